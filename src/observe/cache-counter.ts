import { Counter, type Registry } from 'prom-client';
import type { CacheLookups } from '../store/row-cache.js';
import { inTime } from './in-time.js';

/** Returns the lookups of caches since the start, by the name of the cache. */
export type ReadLookups = () => Promise<Readonly<Record<string, CacheLookups>>>;

/**
 * Creates the counter of cache lookups. Hit rates are computed from counters, because a rate of the process would hide
 * changes. If a read fails, the scrape shows the previous numbers.
 */
export function addCacheCounter(registry: Registry) {
  let read: ReadLookups = async () => ({});
  const known = new Map<string, number>();
  const counter = new Counter({
    name: 'state_service_cache_lookups_total',
    help: 'Lookups in the caches of keys, sessions and subjects, by result.',
    labelNames: ['cache', 'result'],
    registers: [registry],
    async collect() {
      for (const [cache, { hits, misses }] of Object.entries(await inTime(read()).catch(() => ({})))) {
        raise(cache, 'hit', hits);
        raise(cache, 'miss', misses);
      }
    },
  });
  const raise = (cache: string, result: 'hit' | 'miss', total: number): void => {
    const name = `${cache} ${result}`;
    counter.inc({ cache, result }, total - (known.get(name) ?? 0));
    known.set(name, total);
  };
  return {
    observeKeyLookup: (isCached: boolean) => counter.inc({ cache: 'keys', result: isCached ? 'hit' : 'miss' }),
    watchCaches: (lookups: ReadLookups) => void (read = lookups),
  };
}
