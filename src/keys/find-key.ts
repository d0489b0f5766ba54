import { LRUCache } from 'lru-cache';
import type { KeyTable, ListedKey } from '../store/keys.js';

/** How long a key's row is cached, ms. After a key is revoked, every replica rejects its tokens within this time. */
const cacheMs = 1_000;
const keysMax = 10_000;

/** Returns a function that finds a key by its id and caches it. */
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
