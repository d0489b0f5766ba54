import type { Knex } from 'knex';
import { deleteOldest } from './delete-oldest.js';
import { type Delivery, deliveryColumns, toDelivery } from './delivery-row.js';
import { retry } from './retry.js';

/** A delivery that a claim holds, of whatever account. */
export type DueDelivery = Delivery & { readonly accountId: string };

/** What a worker wants to send now. */
export interface Claim {
  /** Names the claim, 16 hex characters: a fresh one each time. */
  readonly owner: string;
  readonly nowMs: number;
  /** Until then nobody else can claim them. */
  readonly leasedUntilMs: number;
  /** Most deliveries. */
  readonly max: number;
  /** Most deliveries of one receiver. */
  readonly maxOf: (receiver: string) => number;
  /** Receivers that can take nothing more at present. */
  readonly busyReceivers: readonly string[];
}

/** So that one receiver with much waiting does not hide the others from one look. */
const candidatesPerSlot = 4;

/** Claims due deliveries: looks for some, and takes those that nobody else has taken meanwhile. */
export async function claimDue(knex: Knex, claim: Claim): Promise<DueDelivery[]> {
  const keys = pick(spread(await retry(() => candidates(knex, claim)), claim), claim);
  return keys.length === 0 ? [] : retry(() => take(knex, keys, claim));
}

/**
 * Takes by compare-and-set: whoever still finds a row due moves the time at which it is due to the end of the lease.
 * Run again it finds what it had got before a broken connection.
 */
async function take(knex: Knex, keys: ReadonlyArray<[string, string]>, claim: Claim): Promise<DueDelivery[]> {
  const mine = () => knex('deliveries').whereIn(['account_id', 'delivery_id'], keys);
  await mine()
    .where({ status: 'due' })
    .where('due_at_ms', '<=', claim.nowMs)
    .update({ owner: claim.owner, due_at_ms: claim.leasedUntilMs });
  const rows = await mine()
    .select({ accountId: 'account_id', ...deliveryColumns })
    .where({ owner: claim.owner, status: 'due' });
  return rows.map((row) => ({ accountId: row.accountId, ...toDelivery(row) }));
}

interface Candidate {
  readonly account_id: string;
  readonly delivery_id: string;
  readonly receiver: string;
}

async function candidates(knex: Knex, { nowMs, max, busyReceivers }: Claim): Promise<Candidate[]> {
  return knex('deliveries')
    .select('account_id', 'delivery_id', 'receiver')
    .where({ status: 'due' })
    .where('due_at_ms', '<=', nowMs)
    .whereNotIn('receiver', busyReceivers)
    .orderBy('due_at_ms')
    .limit(max * candidatesPerSlot);
}

/** Workers that look at the same moment find the same; each begins elsewhere, so that both get something. */
function spread(found: readonly Candidate[], { owner }: Claim): Candidate[] {
  const start = Number.parseInt(owner.slice(0, 8), 16) % Math.max(1, found.length);
  return [...found.slice(start), ...found.slice(0, start)];
}

function pick(found: readonly Candidate[], { max, maxOf }: Claim): Array<[string, string]> {
  const taken = new Map<string, number>();
  const fits = ({ receiver }: Candidate) => {
    const count = (taken.get(receiver) ?? 0) + 1;
    if (count > maxOf(receiver)) return false;
    taken.set(receiver, count);
    return true;
  };
  return found
    .filter(fits)
    .slice(0, max)
    .map(({ account_id, delivery_id }) => [account_id, delivery_id]);
}

/** Deletes at most `batch` deliveries that were settled before `beforeMs`; returns how many. */
export function purgeDeliveries(knex: Knex, beforeMs: number, batch: number): Promise<number> {
  return deleteOldest(knex, 'deliveries', 'settled_at_ms', beforeMs, batch);
}
