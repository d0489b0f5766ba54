import type { Scope, TokenIdentity } from '../contract/contract.js';
import type { ListedKey } from '../store/keys.js';
import type { SessionTokens } from './session-token.js';

export interface IdentifyTokenParts {
  readonly sessionTokens: SessionTokens;
  /** Returns the key that issued a token, as it was at most 1 s ago. Undefined if it does not exist. */
  readonly findKey: (accountId: string, keyId: string) => Promise<ListedKey | undefined>;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Returns a function that finds the caller of a session token. The key that issued the token must be valid at the time
 * of the call.
 */
export function createIdentifyToken({ sessionTokens, findKey, now }: IdentifyTokenParts) {
  return async (token: string): Promise<TokenIdentity> => {
    const claims = await sessionTokens.verify(token, now()).catch((error: Error) => error);
    if (claims instanceof Error) return { refusal: claims.message };
    const { accountId, keyId, sessionId, subjectId, issuedAtMs, scopes, expiresAtMs } = claims;
    const key = await findKey(accountId, keyId);
    if (!key || !isUsable(key, now())) return { refusal: 'the key that issued the token is revoked or expired' };
    const canRead = scopes.includes('read') && { canRead: true as const };
    const grant = { issuedAtMs, ...canRead, ...(subjectId !== undefined && { subjectId }) };
    const caller = { accountId, keyId, tier: key.tier, settings: key.settings, grant };
    return { caller, scopes: new Set<Scope>(scopes), sessionId, expiresAtMs };
  };
}

/** Returns true for a key that exists and is neither revoked nor expired. */
export function isUsable(key: ListedKey | undefined, nowMs: number): boolean {
  return key !== undefined && key.revokedAtMs === null && (key.expiresAtMs === null || nowMs < key.expiresAtMs);
}
