import { jwtVerify, SignJWT } from 'jose';
import type { Schema } from '../contract/contract.js';
import { deriveKey } from '../contract/derive-key.js';

export interface TokenClaims {
  readonly accountId: string;
  readonly keyId: string;
  readonly sessionId: string;
  /** The person whose readings the token may send. Absent if the request for the token named none. */
  readonly subjectId?: string;
  /** Database time in epoch ms. */
  readonly issuedAtMs: number;
  readonly scopes: ReadonlyArray<Schema<'TokenScope'>>;
}

/** Signs and verifies session tokens. The service does not store tokens. */
export type SessionTokens = ReturnType<typeof createSessionTokens>;

const algorithm = 'HS256';
/** An explicit type (RFC 8725), so that no other JWT signed with this key is accepted as a session token. */
const type = 'session+jwt';
const issuer = 'realtime-state-service';

/**
 * Creates a signer that uses HMAC-SHA256. Its keys are derived from the deployment's keys. The first key
 * signs, and every key verifies.
 */
export function createSessionTokens(secretsKeys: readonly [string, ...string[]]) {
  const keys = secretsKeys.map((secretsKey) => new Uint8Array(deriveKey(secretsKey, 'session tokens')));
  const [key, ...earlier] = keys as [Uint8Array, ...Uint8Array[]];
  const verifyWith = (token: string, nowMs: number, verifyKey: Uint8Array) =>
    jwtVerify<Claims>(token, verifyKey, {
      algorithms: [algorithm],
      typ: type,
      issuer,
      audience: issuer,
      requiredClaims: ['sub', 'exp', 'iat', 'acc', 'key', 'scope'],
      currentDate: new Date(nowMs),
    });
  return {
    /** Returns the token. `expiresAtMs` is rounded down to the second. */
    sign(claims: TokenClaims, expiresAtMs: number): Promise<string> {
      const { accountId, keyId, sessionId, subjectId, issuedAtMs, scopes } = claims;
      const subject = subjectId === undefined ? {} : { person: subjectId };
      return (
        new SignJWT({ acc: accountId, key: keyId, scope: scopes.join(' '), ...subject })
          .setProtectedHeader({ alg: algorithm, typ: type })
          .setIssuer(issuer)
          .setAudience(issuer)
          .setSubject(sessionId)
          // With a fraction, so that a token is older or newer than an erasure in the same second.
          .setIssuedAt(issuedAtMs / 1000)
          .setExpirationTime(Math.floor(expiresAtMs / 1000))
          .sign(key)
      );
    },
    /**
     * Resolves with the claims of a valid token. Rejects with an error of the `jose` library if the token is expired,
     * altered or not a token of this service.
     */
    async verify(token: string, nowMs: number): Promise<TokenClaims & { readonly endsAtMs: number }> {
      const { payload } = await earlier.reduce(
        (verified, other) => verified.catch(() => verifyWith(token, nowMs, other)),
        verifyWith(token, nowMs, key),
      );
      return {
        accountId: payload.acc,
        keyId: payload.key,
        sessionId: payload.sub,
        ...(payload.person !== undefined && { subjectId: payload.person }),
        issuedAtMs: Math.round(payload.iat * 1000),
        scopes: payload.scope.split(' ') as Array<Schema<'TokenScope'>>,
        endsAtMs: payload.exp * 1000,
      };
    },
  };
}

/** The verified claims. The signature guarantees that this service wrote them. */
interface Claims {
  readonly sub: string;
  readonly exp: number;
  readonly iat: number;
  readonly acc: string;
  readonly key: string;
  readonly scope: string;
  readonly person?: string;
}
