import type { Schema } from '../../src/contract.js';
import type { Change } from './load.js';
import type { Arrival } from './receiver.js';

/** What a run left behind. */
export interface Evidence {
  /** By session, in order. */
  readonly changes: ReadonlyMap<string, readonly Change[]>;
  readonly arrivals: readonly Arrival[];
  readonly accepted: readonly Arrival[];
  readonly failed: ReadonlyArray<Schema<'FailedDelivery'>>;
}

export interface Verdict {
  readonly acknowledged: number;
  /** Acknowledged changes that the receiver has answered with a 2xx. */
  readonly delivered: number;
  /** Those that it has not, but that are listed as failed. */
  readonly listedAsFailed: number;
  /** Delivered, yet listed as failed: its worker was killed after the 2xx, and all later attempts failed. */
  readonly deliveredAndListed: number;
  readonly lost: number;
  /** Deliveries, arrived or listed, of a change that nobody was told of. */
  readonly invented: number;
  /** Arrivals beyond the first 2xx of a delivery: the receiver had it already. */
  readonly duplicates: number;
  /** Changes that came under more than one webhook-id. */
  readonly renamed: number;
  /** Deliveries whose bytes were not the same every time. */
  readonly altered: number;
  readonly badSignatures: number;
  /** Deliveries whose first 2xx came after that of a later change of the same session. */
  readonly outOfOrder: number;
}

/** Pure: what acknowledged changes and what came of them amount to. */
export function judge({ changes, arrivals, accepted, failed }: Evidence): Verdict {
  const known = [...changes.values()].flat().map(keyOf);
  const delivered = new Set(accepted.map(({ event }) => keyOf(event)));
  const listed = new Set(failed.map(({ payload }) => keyOf(payload)));
  const told = new Set(known);
  const idsOf = groupSets([
    ...arrivals.map(({ id, event }) => [keyOf(event), id]),
    ...failed.map(({ id, payload }) => [keyOf(payload), id]),
  ]);
  const bodiesOf = groupSets(arrivals.map(({ id, bodyDigest }) => [id, bodyDigest]));
  return {
    acknowledged: told.size,
    delivered: known.filter((key) => delivered.has(key)).length,
    listedAsFailed: known.filter((key) => !delivered.has(key) && listed.has(key)).length,
    deliveredAndListed: known.filter((key) => delivered.has(key) && listed.has(key)).length,
    lost: known.filter((key) => !delivered.has(key) && !listed.has(key)).length,
    invented: [...idsOf.keys()].filter((key) => !told.has(key)).length,
    duplicates: accepted.length - new Set(accepted.map(({ id }) => id)).size,
    renamed: [...idsOf.values()].filter((ids) => ids.size > 1).length,
    altered: [...bodiesOf.values()].filter((bodies) => bodies.size > 1).length,
    badSignatures: arrivals.filter(({ isSigned }) => !isSigned).length,
    outOfOrder: countOutOfOrder(changes, accepted, new Set(failed.map(({ id }) => id))),
  };
}

export function isUpheld({ lost, invented, renamed, altered, badSignatures, outOfOrder }: Verdict): boolean {
  return [lost, invented, renamed, altered, badSignatures, outOfOrder].every((count) => count === 0);
}

/** One that failed for good stands outside the order: its successors were sent in the meantime. */
function countOutOfOrder(
  changes: Evidence['changes'],
  accepted: readonly Arrival[],
  failedIds: ReadonlySet<string>,
): number {
  const placeOf = new Map([...changes.values()].flatMap((mine) => mine.map((change, place) => [keyOf(change), place])));
  const lastOf = new Map<string, number>();
  const seen = new Set<string>();
  let count = 0;
  for (const { id, event } of accepted) {
    if (seen.has(id) || failedIds.has(id)) continue;
    seen.add(id);
    const place = placeOf.get(keyOf(event)) ?? -1;
    const last = lastOf.get(event.session_id) ?? -1;
    if (place < last) count += 1;
    lastOf.set(event.session_id, Math.max(place, last));
  }
  return count;
}

function keyOf({ session_id, timestamp, previous_state, new_state, stress_score }: Change): string {
  return [session_id, timestamp, previous_state, new_state, stress_score].join(' ');
}

function groupSets(pairs: ReadonlyArray<readonly string[]>): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const [key = '', value = ''] of pairs) groups.set(key, (groups.get(key) ?? new Set()).add(value));
  return groups;
}
