import { LRUCache } from 'lru-cache';
import type { Caller } from '../contract.js';
import type { KeyRow, KeyTable } from '../store/keys.js';
import { hashOfKey, looksLikeKey } from './key.js';

/** How long an answer about a key is trusted; a revocation takes at most this long to reach every replica. */
const trustMs = 1_000;
const keysMax = 10_000;

/** Finds who a key belongs to. Simultaneous questions about one key reach the database once; unknown keys count too. */
export function createCallerOf(keys: KeyTable, now: () => number): (key: string) => Promise<Caller | undefined> {
  const cache = new LRUCache<string, { readonly row: KeyRow | undefined }>({
    max: keysMax,
    ttl: trustMs,
    fetchMethod: async (keyHash) => ({ row: await keys.byHash(keyHash) }),
  });
  return async (key) => {
    if (!looksLikeKey(key)) return undefined;
    const row = (await cache.fetch(hashOfKey(key)))?.row;
    return row && isValid(row, now()) ? { accountId: row.accountId } : undefined;
  };
}

function isValid({ revokedAtMs, expiresAtMs }: KeyRow, nowMs: number): boolean {
  return revokedAtMs === null && (expiresAtMs === null || nowMs < expiresAtMs);
}
