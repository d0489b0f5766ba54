import type { Knex } from 'knex';
import { webhookDelivery as settings } from '../../generated/spec.js';
import { unionAll } from './columns.js';
import { type Delivery, deliveryColumns, type DeliveryRow, toDelivery } from './delivery-row.js';
import { retry } from './retry.js';
import { isMysql, selectKeys, skipThrough } from './rows.js';

/** A claimed delivery with its account. */
export type DueDelivery = Delivery & { readonly accountId: string };

/** The deliveries of one account to one receiver that are due, waiting for a retry or claimed. */
export interface DueQueue {
  /** Name of the queue. See `Delivery.receiver`. */
  readonly receiver: string;
  /** Time at which the first delivery of the queue may be claimed, in epoch ms. */
  readonly firstDueAtMs: number;
  readonly lastDueAtMs: number;
}

export interface Claim {
  /** Random id of the claim, 16 hex characters. */
  readonly owner: string;
  readonly nowMs: number;
  /** End of the lease in epoch ms. No other worker can claim the deliveries before this time. */
  readonly leasedUntilMs: number;
  /** Number of deliveries to claim per queue. */
  readonly shares: ReadonlyArray<{ readonly queue: DueQueue; readonly count: number }>;
}

const keyColumns = ['account_id', 'delivery_id'] as const;
/**
 * Number of candidates per slot. Concurrent workers find the same candidates, so extra candidates let each worker claim
 * some.
 */
const candidatesPerSlot = 4;
/**
 * Margin for clock differences in ms. A delivery that is due later than a lease plus this margin was written by a process
 * whose clock is fast.
 */
const clockMarginMs = 5_000;
/** First character of the second half of the names of queues with extended retries. */
export const extendedQueueMark = 'x';
const extendedPauseMs = settings.extended_retry.max_seconds * 1000;

/**
 * Returns all queues with deliveries that are due, waiting for a retry or claimed. The duration depends on the number
 * of queues, not on their length, because the database skips from queue to queue in the index. MySQL does this for
 * GROUP BY. SQLite requires a statement per queue.
 */
export async function findDueQueues(knex: Knex): Promise<DueQueue[]> {
  const bounds = 'min(due_at_ms) as firstDueAtMs, max(due_at_ms) as lastDueAtMs';
  if (isMysql(knex)) {
    const query = knex('deliveries').select('receiver', knex.raw(bounds)).where({ status: 'due' });
    return retry(async () => query.clone().groupBy('status', 'receiver'));
  }
  return skipThrough<DueQueue>(
    knex,
    `select receiver, due_at_ms as firstDueAtMs,
       (select max(due_at_ms) from deliveries where status = 'due' and receiver = first.receiver) as lastDueAtMs
     from deliveries first where status = 'due' and receiver > ? order by receiver, due_at_ms limit 1`,
    ({ receiver }) => receiver,
  );
}

/** Claims due deliveries. Reads candidates, then takes the candidates that no other worker has taken. */
export async function claimDue(knex: Knex, claim: Claim): Promise<DueDelivery[]> {
  const found = await retry(() => candidates(knex, claim));
  await shortenLeases(knex, found, claim);
  const keys = pick(spread(found, claim), claim);
  return keys.length === 0 ? [] : retry(() => take(knex, keys, claim));
}

/**
 * Takes deliveries by compare-and-set: if a delivery is still due, its due time becomes the end of the lease.
 * Idempotent: a retry after a lost connection returns the deliveries of the first attempt.
 */
async function take(knex: Knex, keys: ReadonlyArray<[string, string]>, claim: Claim): Promise<DueDelivery[]> {
  // With `coalesce`, SQLite uses the primary key instead of the index of due deliveries.
  const isDueRow = "coalesce(status, '') = 'due'";
  const mine = () => selectKeys(knex('deliveries'), keyColumns, keys).whereRaw(isDueRow);
  const horizon = `case when substr(receiver, 9, 1) = '${extendedQueueMark}' then ? else ? end`;
  const isFree = `due_at_ms <= ? or (due_at_ms > ${horizon} and owner is null)`;
  await mine()
    .whereRaw(`(${isFree})`, [claim.nowMs, computeHorizon(claim, true), computeHorizon(claim)])
    .update({ owner: claim.owner, due_at_ms: claim.leasedUntilMs });
  const rows: Array<DeliveryRow & { accountId: string }> = await mine()
    .select({ accountId: 'account_id', ...deliveryColumns })
    .where({ owner: claim.owner });
  return rows.map((row) => ({ accountId: row.accountId, ...toDelivery(row) }));
}

interface Candidate {
  readonly account_id: string;
  readonly delivery_id: string;
  readonly receiver: string;
  readonly owner: string | null;
  readonly due_at_ms: number;
}

/** Returns, per queue, due deliveries and deliveries whose due time is too far in the future. */
async function candidates(knex: Knex, claim: Claim): Promise<Candidate[]> {
  const { nowMs, shares } = claim;
  const of = (receiver: string, count: number) =>
    knex('deliveries')
      .select('account_id', 'delivery_id', 'receiver', 'owner', 'due_at_ms')
      .where({ status: 'due', receiver })
      .limit(count * candidatesPerSlot);
  const queries = shares.flatMap(({ queue: { receiver, firstDueAtMs, lastDueAtMs }, count }) => {
    const horizonMs = computeHorizon(claim, isExtended({ receiver }));
    const next = of(receiver, count).where('due_at_ms', '<=', nowMs).orderBy('due_at_ms');
    const tooLate = of(receiver, count).where('due_at_ms', '>', horizonMs).orderBy('due_at_ms', 'desc');
    return [...(firstDueAtMs <= nowMs ? [next] : []), ...(lastDueAtMs > horizonMs ? [tooLate] : [])];
  });
  return queries.length === 0 ? [] : unionAll(knex, queries);
}

/** Returns true if the queue has due deliveries, or deliveries whose due time is too far in the future. */
export function isDue(queue: DueQueue, claim: Pick<Claim, 'nowMs' | 'leasedUntilMs'>): boolean {
  return queue.firstDueAtMs <= claim.nowMs || queue.lastDueAtMs > computeHorizon(claim, isExtended(queue));
}

/** Returns the time after which no correct clock sets a due time in epoch ms. */
function computeHorizon({ leasedUntilMs }: Pick<Claim, 'leasedUntilMs'>, hasExtendedRetries = false): number {
  return leasedUntilMs + clockMarginMs + (hasExtendedRetries ? extendedPauseMs : 0);
}

function isExtended({ receiver }: Pick<DueQueue, 'receiver'>): boolean {
  return receiver[8] === extendedQueueMark;
}

/**
 * Shortens leases that end later than a lease that starts now. Such leases exist after a clock was set back. Otherwise,
 * the claims of a crashed worker would end too late. A running worker settles its deliveries before the shortened lease
 * ends.
 */
async function shortenLeases(knex: Knex, found: readonly Candidate[], claim: Claim): Promise<void> {
  const tooLong = found.filter((it) => it.owner !== null && it.due_at_ms > computeHorizon(claim, isExtended(it)));
  if (tooLong.length === 0) return;
  const keys = tooLong.map(keyOf);
  const shorten = selectKeys(knex('deliveries'), keyColumns, keys)
    .where({ status: 'due' })
    .whereNotNull('owner')
    .where('due_at_ms', '>', computeHorizon(claim));
  await retry(async () => shorten.clone().update({ due_at_ms: claim.leasedUntilMs }));
}

/** Rotates the candidates by a random offset, so that concurrent workers start with different candidates. */
function spread(found: readonly Candidate[], { owner }: Claim): Candidate[] {
  const start = Number.parseInt(owner.slice(0, 8), 16) % Math.max(1, found.length);
  return [...found.slice(start), ...found.slice(0, start)];
}

function pick(found: readonly Candidate[], claim: Claim): Array<[string, string]> {
  const left = new Map(claim.shares.map(({ queue, count }) => [queue.receiver, count]));
  const fits = ({ receiver, owner, due_at_ms }: Candidate) => {
    const count = left.get(receiver) ?? 0;
    if (count === 0 || (owner !== null && due_at_ms > claim.nowMs)) return false;
    left.set(receiver, count - 1);
    return true;
  };
  return found.filter(fits).map(keyOf);
}

function keyOf({ account_id, delivery_id }: Candidate): [string, string] {
  return [account_id, delivery_id];
}

/**
 * Numbers of deliveries of all accounts, up to `countMax`: unsettled ones (queued, due, waiting for a retry or in flight), and
 * failed ones that are not yet purged.
 */
export type DeliveryCounts = Readonly<Record<'pending' | 'failed', number>>;

/** Maximum of a count. It bounds the duration for a table of any size. */
export const countMax = 100_000;

/** Returns both counts. Runs one statement that reads only an index. */
export async function countDeliveries(knex: Knex): Promise<DeliveryCounts> {
  const counted = (...statuses: readonly string[]) =>
    knex.count('*').from(knex('deliveries').whereIn('status', statuses).select('status').limit(countMax).as('counted'));
  const query = knex.select({ pending: counted('queued', 'due'), failed: counted('failed') });
  const [row] = await retry(async (): Promise<DeliveryCounts[]> => query.clone());
  return { pending: Number(row?.pending), failed: Number(row?.failed) };
}
