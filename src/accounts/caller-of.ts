import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../contract.js';
import { createGroupCommit } from '../group-commit.js';
import type { KeyOfTier, KeyRow, KeyTable } from '../store/keys.js';
import { isTransient } from '../store/transient.js';
import { hashOfKey, looksLikeKey } from './key.js';

/** How long an answer about a key is trusted; a revocation takes at most this long to reach every replica. */
const trustMs = 1_000;
const keysMax = 10_000;
/** Last use is recorded once an hour: often enough to find keys that nobody needs, seldom enough to cost nothing. */
const useMs = 60 * 60 * 1000;
/** Keys that one query asks for, and keys that wait for theirs. */
const askedAtOnce = 500;
const waitingMax = 5_000;

/** What is asked of the keys of a database. */
export type AskedKeys = Pick<KeyTable, 'byHashes' | 'recordUse'>;

/**
 * Finds who a key belongs to. Keys that are not known yet are looked up together, one query at a time, so that a flood
 * of wrong ones costs the database a few queries a second.
 */
export function createCallerOf(keys: AskedKeys, now: () => number): (key: string) => Promise<Caller | undefined> {
  const lookups = createGroupCommit<string, KeyOfTier | undefined>({
    commit: (hashes) => findAll(keys, hashes),
    isOutage: isTransient,
    groupMax: askedAtOnce,
    queueMax: waitingMax,
  });
  const cache = new LRUCache<string, { readonly row: KeyOfTier | undefined }>({
    max: keysMax,
    ttl: trustMs,
    fetchMethod: async (keyHash) => {
      const row = await lookups.submit(keyHash);
      if (row && isStale(row, now())) void keys.recordUse(row, now()).catch(() => undefined);
      return { row };
    },
  });
  return async (key) => {
    if (!looksLikeKey(key)) return undefined;
    const keyHash = hashOfKey(key);
    const row = (cache.get(keyHash) ?? (await cache.fetch(keyHash)))?.row;
    return row && isSame(row.keyHash, keyHash) && isValid(row, now()) ? toCaller(row) : undefined;
  };
}

/** In the order in which they were asked for. */
async function findAll(keys: AskedKeys, hashes: readonly string[]): Promise<Array<KeyOfTier | undefined>> {
  const found = new Map((await keys.byHashes(hashes)).map((row) => [row.keyHash, row]));
  return hashes.map((hash) => found.get(hash));
}

function toCaller({ accountId, keyId, tier }: KeyOfTier): Caller {
  return { accountId, keyId, tier };
}

/** In a time that does not depend on where they differ; both are 64 hex characters. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function isValid({ revokedAtMs, expiresAtMs }: KeyRow, nowMs: number): boolean {
  return revokedAtMs === null && (expiresAtMs === null || nowMs < expiresAtMs);
}

function isStale({ lastUsedAtMs }: KeyRow, nowMs: number): boolean {
  return lastUsedAtMs === null || lastUsedAtMs < nowMs - useMs;
}
