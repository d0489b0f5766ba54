import type { DigestId } from '../store/erased-ids.js';
import { deleteLeftovers, findErasingAccounts, listLeftoverPeople } from '../store/leftovers.js';
import type { Store } from '../store/store.js';

/** An erasure is found this long after its time, in ms: its transaction ends later. */
const lateMs = 120_000;

/**
 * Returns a function that deletes what earlier releases left of erased people. The first call looks at all erasures, the
 * next ones at those since. `now` returns the time of the database in epoch ms.
 */
export function createRemoveLeftovers(store: Store, digestId: DigestId, now: () => number) {
  let sinceMs = 0;
  return async (signal?: AbortSignal): Promise<void> => {
    const nextMs = now() - lateMs;
    for (const accountId of await store.run((knex) => findErasingAccounts(knex, sinceMs)))
      for await (const people of store.iterate((knex) => listLeftoverPeople({ knex, accountId }))) {
        if (signal?.aborted) return;
        await store.run((knex) => deleteLeftovers({ knex, accountId }, people, digestId));
      }
    sinceMs = nextMs;
  };
}
