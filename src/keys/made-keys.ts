import { LRUCache } from 'lru-cache';
import type { Made } from '../store/made-keys.js';

/** How long a row is cached, in ms. Every replica rejects a removed one, or one whose maker was revoked, within this time. */
const cacheMs = 1_000;
const rowsMax = 10_000;

export interface FindValidParts<By, Row> {
  readonly find: (by: By) => Promise<Row | undefined>;
  /** Returns the time of the newest erasure of a person, in epoch ms. 0 if there is none. */
  readonly findErased: (accountId: string, subjectId: string) => Promise<number>;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Returns a function that finds a valid source key or link: before its effective end and created after the newest erasure
 * of its person, also if an earlier release, which does not know it, erased the person.
 */
export function createFindValid<By extends object, Row extends Made>({
  find,
  findErased,
  now,
}: FindValidParts<By, Row>) {
  const cache = new LRUCache<string, { readonly row: Row | undefined }, { readonly by: By }>({
    max: rowsMax,
    ttl: cacheMs,
    async fetchMethod(_key, _stale, { context }) {
      const row = await find(context.by);
      if (!row || row.subjectId === null) return { row };
      const isErased = (await findErased(row.accountId, row.subjectId)) >= row.createdAtMs;
      return { row: isErased ? undefined : row };
    },
  });
  return async (by: By): Promise<Row | undefined> => {
    const row = (await cache.fetch(Object.values(by).join(' '), { context: { by } }))?.row;
    return row && row.expiresAtMs > now() ? row : undefined;
  };
}
