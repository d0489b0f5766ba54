import { hash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { oauth as settings } from '../../generated/spec.js';
import { createDigest } from '../contract/derive-key.js';
import type { Grant, Identify } from '../contract/grant.js';
import type { WithIssuerKeys } from './issuer-keys.js';
import { allScopes } from './scopes.js';

/** What the operator configured. See docs/oauth.md. */
export interface OAuthSettings {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** The name of the account, or else the claim that contains it. */
  readonly account: string | undefined;
  readonly accountClaim: string | undefined;
  readonly subjectClaim: string | undefined;
  readonly allowsWholeAccount: boolean;
}

export interface IdentifyOAuthParts {
  readonly settings: OAuthSettings;
  readonly withKeys: WithIssuerKeys;
  /** Returns the grant of an account, on which its tokens rest. */
  readonly findAccount: (name: string) => Promise<Grant | undefined>;
  /** Returns the id of the person that a claim identifies. */
  readonly toPersonId: (claim: string) => string;
  /** Returns the namespace of a person's sessions. */
  readonly toNamespace: (accountId: string, subjectId: string) => string;
  /** Called for a client that was not seen lately, with the id that limits and records have. */
  readonly onClient: (keyId: string, clientId: string) => void;
  /** Epoch ms. */
  readonly now: () => number;
}

const clientsMax = 1_000;
const claimLengthMax = 512;
const grantable = allScopes.filter((scope) => !(settings.never_scopes as readonly string[]).includes(scope));
/** The types of an access token (RFC 9068, 4). A JWT of another type is for another use (RFC 8725, 3.11). */
const accessType = /^(application\/)?(at\+)?jwt$/i;

/** The reason why a token is not accepted. Only the log contains it. */
class Refusal extends Error {}

/**
 * Returns a function that finds the caller of an access token. A token is accepted for an account that exists and, unless
 * the operator allows more, for one person.
 */
export function createIdentifyOAuth(parts: IdentifyOAuthParts): Identify {
  const { settings: configured } = parts;
  const clients = new LRUCache<string, true>({ max: clientsMax });

  async function identify(token: string): Promise<Grant> {
    const claims = await verify(token, parts);
    const name = configured.account ?? readText(claims, configured.accountClaim);
    const account = name === undefined ? undefined : await parts.findAccount(name);
    if (!account) throw new Refusal('the account does not exist');
    const stated = listScopes(claims);
    const clientId = ['client_id', 'azp', 'appid', 'cid'].map((it) => readText(claims, it)).find(Boolean) ?? '';
    const keyId = toClientKeyId(configured.issuer, clientId);
    if (!clients.has(keyId)) parts.onClient(keyId, clientId);
    clients.set(keyId, true);
    const subjectId = findPerson(claims, parts);
    return {
      ...{ ...account, kind: 'oauth', keyId },
      scopes: grantable.filter((it) => stated.includes(it)),
      ...(subjectId !== undefined && { subjectId, namespace: parts.toNamespace(account.accountId, subjectId) }),
      ...{ issuedAtMs: claims.iat * 1_000, endsAtMs: claims.exp * 1_000 },
    };
  }

  return async (token) => {
    try {
      return { grant: await identify(token) };
    } catch (error) {
      if (error instanceof Refusal || error instanceof errors.JOSEError) return { refusal: error.message };
      throw error;
    }
  };
}

type Claims = JWTPayload & { readonly iat: number; readonly exp: number };

/** Resolves with the claims of a valid token. Rejects with a Refusal or an error of `jose`. */
async function verify(token: string, { settings: { issuer, audiences }, withKeys, now }: IdentifyOAuthParts) {
  const nowMs = now();
  const options = {
    algorithms: [...settings.algorithms],
    issuer,
    audience: [...audiences],
    requiredClaims: ['exp', 'iat'],
    currentDate: new Date(nowMs),
    clockTolerance: settings.clock_seconds_max,
  };
  const { payload, protectedHeader } = await withKeys((findKey) => jwtVerify<Claims>(token, findKey, options));
  const { iat, exp, cnf } = payload;
  if (!accessType.test(protectedHeader.typ ?? 'JWT')) throw new Refusal('the type is not that of an access token');
  if (cnf !== undefined) throw new Refusal('the token is bound to a key of its client (cnf), which is not supported');
  if (exp * 1_000 <= nowMs) throw new Refusal('the token has expired');
  if (!(iat * 1_000 <= nowMs + settings.clock_seconds_max * 1_000)) throw new Refusal('iat is in the future');
  if (!(exp - iat <= settings.life_seconds_max))
    throw new Refusal(`the life is longer than ${settings.life_seconds_max} s: shorten it at the authorization server`);
  return payload;
}

/** Returns the person that the token is limited to. Undefined for a token of the whole account. */
function findPerson(
  claims: Claims,
  { settings: { subjectClaim, allowsWholeAccount }, toPersonId }: IdentifyOAuthParts,
): string | undefined {
  const isAbsent = subjectClaim === undefined || claims[subjectClaim] === undefined;
  if (isAbsent && allowsWholeAccount) return undefined;
  const claim = readText(claims, subjectClaim);
  if (claim === undefined) throw new Refusal(`the claim ${subjectClaim} does not name a person`);
  return toPersonId(claim);
}

function readText(claims: Claims, name = ''): string | undefined {
  const value = claims[name];
  return typeof value === 'string' && value !== '' && value.length <= claimLengthMax ? value : undefined;
}

/** Returns the names in `scope` (RFC 9068) and in `scp`, a text or a list. */
function listScopes({ scope, scp }: Claims): unknown[] {
  return [scope, scp].flatMap((it) => (typeof it === 'string' ? it.split(' ') : Array.isArray(it) ? it : []));
}

/** Returns the id that counts for a client in limits and in the access record, in place of the id of a key. */
export function toClientKeyId(issuer: string, clientId: string): string {
  return 'oauth_' + hash('sha256', JSON.stringify([issuer, clientId])).slice(0, 24);
}

/**
 * Returns a function that computes the id of a person: a keyed digest of the issuer and the claim. The last of the keys
 * counts, so that an id remains while SECRETS_KEY is replaced.
 */
export function createComputePersonId(secretsKeys: readonly string[], issuer: string): (claim: string) => string {
  const digest = createDigest(secretsKeys.slice(-1), 'oauth people');
  return (claim) => `person_${digest(JSON.stringify([issuer, claim])).join()}`;
}
