import { hash, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Identity, KeyRefusal, Scope, TokenIdentity } from '../contract/contract.js';
import { createGroupCommit } from '../store/group-commit.js';
import type { KeyRow, KeyTable, ListedKey } from '../store/keys.js';
import { isTransient } from '../store/retry.js';
import { createNetworkCheck } from './networks.js';
import { allScopes } from './scopes.js';
import type { SessionTokens } from './session-token.js';

/**
 * How long a key's row is cached, in ms. Every replica rejects a revoked key, and applies a changed tier or setting of
 * its account or key, within this time.
 */
const cacheMs = 1_000;
const keysMax = 10_000;
/**
 * Minimum time between two updates of a key's last use, in ms. Hourly is precise enough to find unused keys, and costs
 * the database little.
 */
const useMs = 60 * 60 * 1000;
/** Maximum number of keys in one query, and maximum number of keys that wait for the next query. */
const groupMax = 500;
const queueMax = 5_000;

export interface IdentifyParts {
  readonly keys: Pick<KeyTable, 'byHashes' | 'recordUse'>;
  /** Epoch ms. */
  readonly now: () => number;
  readonly onExpiredUse: (key: ListedKey) => void;
  /** Called for each text in the format of a key. `isCached` is true if the row of the key is in the cache. */
  readonly onLookup?: (isCached: boolean) => void;
}

/** A key of the database, with values derived from its row. */
interface KnownKey {
  readonly row: ListedKey;
  readonly identity: Identity;
  readonly isFrom: (address: string | undefined) => boolean;
}

const unknownKey: Identity = { refusal: 'unknown' };

/**
 * Returns a function that finds the caller of a key at an address. Keys that are not cached are looked up in groups,
 * one query at a time. A flood of invalid keys therefore causes only a few queries per second.
 */
export function createIdentify({ keys, now, onExpiredUse, onLookup }: IdentifyParts) {
  const lookups = createGroupCommit<string, ListedKey | undefined>({
    commit: (hashes) => findAll(keys, hashes),
    isOutage: isTransient,
    groupMax,
    queueMax,
  });
  const cache = new LRUCache<string, { readonly known: KnownKey | undefined }>({
    max: keysMax,
    ttl: cacheMs,
    fetchMethod: async (keyHash) => {
      const row = await lookups.submit(keyHash);
      if (row && isUseStale(row, now())) void keys.recordUse(row, now()).catch(() => undefined);
      return { known: row && toKnownKey(row) };
    },
  });
  return async (key: string, address: string | undefined): Promise<Identity> => {
    // A text that cannot be a key needs no lookup.
    if (!keyFormat.test(key)) return unknownKey;
    const keyHash = hashKey(key);
    const cached = cache.get(keyHash);
    onLookup?.(cached !== undefined);
    const known = (cached ?? (await cache.fetch(keyHash)))?.known;
    if (!known || !timingSafeEqual(Buffer.from(known.row.keyHash), Buffer.from(keyHash))) return unknownKey;
    const refusal = findRefusal(known, address, now());
    if (refusal === 'expired') onExpiredUse(known.row);
    return refusal ? { refusal, keyId: known.row.keyId } : known.identity;
  };
}

/** Returns one row per hash, in the order of the hashes. Undefined for an unknown hash. */
async function findAll(keys: IdentifyParts['keys'], hashes: readonly string[]): Promise<Array<ListedKey | undefined>> {
  const found = new Map((await keys.byHashes(hashes)).map((row) => [row.keyHash, row]));
  return hashes.map((hash) => found.get(hash));
}

function toKnownKey(row: ListedKey): KnownKey {
  const { accountId, keyId, tier, settings, scopes, networks, expiresAtMs } = row;
  const caller = { accountId, keyId, tier, settings, ...(expiresAtMs !== null && { expiresAtMs }) };
  return {
    row,
    identity: { caller, scopes: readScopes({ scopes }) },
    isFrom: networks ? createNetworkCheck(networks) : () => true,
  };
}

/** Returns the scopes of a key: the usual ones if it was created without a list of them. */
export function readScopes({ scopes }: Pick<KeyRow, 'scopes'>): ReadonlySet<Scope> {
  return new Set(scopes ?? usualScopes);
}

function findRefusal({ row, isFrom }: KnownKey, address: string | undefined, nowMs: number): KeyRefusal | undefined {
  const status = describeStatus(row, nowMs);
  if (status !== 'valid') return status;
  return isFrom(address) ? undefined : 'network';
}

export function describeStatus({ revokedAtMs, expiresAtMs }: KeyRow, nowMs: number): 'valid' | 'expired' | 'revoked' {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'valid';
}

function isUseStale({ lastUsedAtMs }: ListedKey, nowMs: number): boolean {
  return lastUsedAtMs === null || lastUsedAtMs < nowMs - useMs;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 32;
/** The scopes of a key that was created without a list of them. */
const usualScopes = allScopes.filter((scope) => scope !== 'sources');
const keyFormat = /^sk_[0-9A-Za-z]{32}$/;

/** Returns an unguessable id: the prefix and up to 32 hex characters. */
export function createKeyRecordId(prefix: 'acc' | 'key' | 'aud' | 'srk' | 'lnk', characters: number): string {
  return `${prefix}_${randomUUID().replaceAll('-', '').slice(0, characters)}`;
}

/** Returns a new key: a prefix and 32 random base62 characters, about 190 bits. */
export function generateKey(prefix = 'sk_'): string {
  const random = Array.from({ length: randomCharacters }, () => alphabet[randomInt(alphabet.length)]);
  return `${prefix}${random.join('')}`;
}

/** Returns the SHA-256 of a key in hex. A plain hash is enough, because keys are long and random. */
export function hashKey(key: string): string {
  return hash('sha256', key);
}

export interface IdentifyTokenParts {
  readonly sessionTokens: SessionTokens;
  /** Finds the key that issued a token. The result may be 1 s old. Undefined if there is no such key. */
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
    const grant = { sessionId, issuedAtMs, expiresAtMs, ...canRead, ...(subjectId !== undefined && { subjectId }) };
    const caller = { accountId, keyId, tier: key.tier, settings: key.settings, grant };
    return { caller, scopes: new Set<Scope>(scopes) };
  };
}

/** Returns true for a key that exists and is neither revoked nor expired. */
export function isUsable(key: ListedKey | undefined, nowMs: number): boolean {
  return key !== undefined && describeStatus(key, nowMs) === 'valid';
}

export function createFindKey(find: KeyTable['find']) {
  type Ids = Parameters<KeyTable['find']>;
  const cache = new LRUCache<string, { readonly row: ListedKey | undefined }, Ids>({
    max: keysMax,
    ttl: cacheMs,
    fetchMethod: async (_key, _stale, { context }) => ({ row: await find(...context) }),
  });
  return async (...context: Ids): Promise<ListedKey | undefined> =>
    (await cache.fetch(context.join(' '), { context }))?.row;
}
