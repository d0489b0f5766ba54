import { LRUCache } from 'lru-cache';
import type { KeyTable, ListedKey } from '../store/keys.js';

/** How long a key's row is cached, ms. After a key is revoked, every replica rejects its tokens within this time. */
const cacheMs = 1_000;
const keysMax = 10_000;

/** Returns a function that finds a key by its id and caches it. */
export function createFindKey(find: KeyTable['find']) {
  const cache = new LRUCache<string, { readonly row: ListedKey | undefined }>({
    max: keysMax,
    ttl: cacheMs,
    fetchMethod: async (ids) => {
      const [accountId = '', keyId = ''] = ids.split(' ');
      return { row: await find(accountId, keyId) };
    },
  });
  return async (accountId: string, keyId: string): Promise<ListedKey | undefined> =>
    (await cache.fetch(`${accountId} ${keyId}`))?.row;
}
