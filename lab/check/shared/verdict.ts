import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Schema, StateReading } from '../../../src/contract/contract.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import type { Sent, SentReadings } from './load.js';
import type { Arrival } from './receiver.js';

/** Maximum duration of an export, ms. */
const exportMs = 120_000;

/** Returns the number of acknowledged readings that the account's export does not contain. */
export async function countLost(url: string, key: string, sent: SentReadings): Promise<number> {
  const acknowledged = [...sent.values()].flat().filter(({ answers }) => answers.length > 0);
  const missing = new Set(acknowledged.map(({ reading }) => toName(reading)));
  if (missing.size === 0) return 0;
  const signal = AbortSignal.timeout(exportMs);
  const response = await fetch(`${url}/v1/export`, { headers: { 'X-Service-Key': key }, signal });
  if (!response.ok || !response.body) throw new Error(`the export responded with ${response.status}`);
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) }))
    missing.delete(toName((JSON.parse(line) as { readonly reading: Parameters<typeof toName>[0] }).reading));
  return missing.size;
}

function toName({ session_id, timestamp }: { readonly session_id: string; readonly timestamp: string }): string {
  return `${session_id} ${timestamp}`;
}

/** A state change, derived from the responses to a session's readings. */
export type Change = Pick<
  Schema<'StateChange'>,
  'session_id' | 'previous_state' | 'new_state' | 'stress_score' | 'timestamp'
>;

/**
 * Returns the responses to readings that were the newest when they arrived. A late reading gets the response of the
 * newest reading.
 */
export function findMoves(sent: readonly Sent[]): StateReading[] {
  return sent.flatMap(({ reading, answers: [answer] }) =>
    answer !== undefined && answer !== 'stored' && answer.timestamp === reading.timestamp ? [answer] : [],
  );
}

/**
 * Returns the state changes in the responses, in order per session. Each of these changes must have exactly one event.
 * The list is complete if each reading is sent until it is acknowledged.
 */
export function listChanges(sent: SentReadings): Map<string, Change[]> {
  return new Map(
    [...sent].map(([session_id, readings]) => {
      const moves = findMoves(readings);
      const changes = moves.flatMap(({ state, stress_score, timestamp }, index): Change[] => {
        const previous_state = moves[index - 1]?.state;
        const isChange = previous_state !== undefined && previous_state !== state;
        return isChange ? [{ session_id, previous_state, new_state: state, stress_score, timestamp }] : [];
      });
      return [session_id, changes];
    }),
  );
}

/** Records of a run. */
export interface Evidence {
  /** State changes by session, in order. */
  readonly changes: ReadonlyMap<string, readonly Change[]>;
  readonly arrivals: readonly Arrival[];
  readonly accepted: readonly Arrival[];
  readonly failed: ReadonlyArray<Schema<'FailedDelivery'>>;
}

export interface Verdict {
  readonly acknowledged: number;
  /** Number of acknowledged changes that the receiver accepted with a 2xx response. */
  readonly delivered: number;
  /** Number of acknowledged changes that are listed as failed and were not accepted. */
  readonly listedAsFailed: number;
  /**
   * Number of changes that were accepted but are listed as failed. The worker was killed after the 2xx response, and
   * all later attempts failed.
   */
  readonly deliveredAndListed: number;
  readonly lost: number;
  /** Number of deliveries for a change that no response reported. */
  readonly invented: number;
  /** Number of attempts after the first 2xx response of a delivery. */
  readonly duplicates: number;
  /** Number of changes that were delivered under more than one webhook-id. */
  readonly renamed: number;
  /** Number of deliveries whose body differed between attempts. */
  readonly altered: number;
  readonly badSignatures: number;
  /** Number of deliveries whose first 2xx response came after that of a later change of the same session. */
  readonly outOfOrder: number;
}

/** Compares the acknowledged changes with the deliveries. */
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

/** Returns the measurements of the events with their allowed ranges. A permanently failed delivery is allowed by default. */
export function rowsOfEvents(events: Verdict, failedMax = Number.POSITIVE_INFINITY): Row[] {
  return [
    { what: 'state changes in responses', found: events.acknowledged, allowed: atLeast(1) },
    { what: '  delivered', found: events.delivered },
    { what: '  listed as failed', found: events.listedAsFailed, allowed: failedMax },
    { what: '  lost', found: events.lost, allowed: 0 },
    { what: 'delivered, and listed as failed too', found: events.deliveredAndListed },
    { what: 'events without a state change', found: events.invented, allowed: 0 },
    { what: 'state changes with two webhook-ids', found: events.renamed, allowed: 0 },
    { what: 'events whose body differs between attempts', found: events.altered, allowed: 0 },
    { what: 'events with an invalid signature', found: events.badSignatures, allowed: 0 },
    { what: 'events out of order within a session', found: events.outOfOrder, allowed: 0 },
    { what: 'events accepted more than once, same webhook-id', found: events.duplicates },
  ];
}

/**
 * Returns the number of deliveries out of order. Excludes permanently failed deliveries, because the deliveries behind
 * them were sent in the meantime.
 */
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
