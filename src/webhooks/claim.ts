import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { atMostEvery } from '../observe/at-most-every.js';
import { claimDue, type DueDelivery, type DueQueue, findDueQueues, isDue } from '../store/delivery-queue.js';
import type { Store } from '../store/store.js';
import { type StoredWebhook, createWebhookTable } from '../store/webhooks.js';
import type { Slots } from './slots.js';
import { attemptMs, type WorkerParts } from './worker-parts.js';

const ownerBytes = 8;
/** Pause after a claim in which another worker took the same deliveries, in ms. */
const contendedMs = 20;
/** A delivery that is overdue by more than this time in ms, is logged. */
const lateMs = 60_000;
const logEveryMs = 60_000;

/**
 * Duration of a claim in ms. Much longer than an attempt with its settlement. When it ends, other workers can claim the
 * deliveries of a crashed worker.
 */
const leaseMs = 3 * attemptMs;
const claimedAtOnce = 128;

type ClaimParts = Pick<WorkerParts, 'store' | 'now' | 'log' | 'pollMs'>;

/**
 * Returns a function that claims as many due deliveries as there are free slots. It also returns the pause before the next
 * claim in ms. A free slot or a new event ends the pause early.
 */
export function createClaim(parts: ClaimParts, slots: Slots) {
  const { store, now, pollMs } = parts;
  const report = createReport(parts.log, slots);
  return async () => {
    const range = { nowMs: now(), leasedUntilMs: now() + leaseMs };
    const queues = await store.run((knex) => findDueQueues(knex));
    const due = queues.filter((queue) => isDue(queue, range));
    const shares = slots.share(due, claimedAtOnce);
    report(due, range.nowMs);
    const owner = randomBytes(ownerBytes).toString('hex');
    const deliveries =
      shares.length === 0 ? [] : await store.run((knex) => claimDue(knex, { owner, ...range, shares }));
    if (deliveries.length > 0) return { deliveries, pauseMs: 0 };
    // Another worker took the deliveries.
    if (shares.length > 0) return { deliveries, pauseMs: contendedMs };
    // Ignores queues without a free slot, because a slot that becomes free wakes the worker.
    const nextDueAtMs = Math.min(...queues.filter(slots.hasRoom).map((it) => it.firstDueAtMs));
    return { deliveries, pauseMs: Math.min(pollMs, Math.max(contendedMs, nextDueAtMs - now())) };
  };
}

/** Returns the webhooks of the deliveries, keyed by account and webhook id. */
export async function listWebhooks(
  store: Store,
  deliveries: readonly DueDelivery[],
): Promise<Map<string, StoredWebhook>> {
  const found = new Map<string, StoredWebhook>();
  for (const accountId of new Set(deliveries.map((it) => it.accountId)))
    for (const webhook of await createWebhookTable(store.read(accountId)).list())
      found.set(`${accountId} ${webhook.webhookId}`, webhook);
  return found;
}

function createReport(log: Logger, slots: Slots): (due: readonly DueQueue[], nowMs: number) => void {
  const reportExhausted = atMostEvery(logEveryMs, (waiting: number) =>
    log.warn({ slotsInUse: slots.inUse(), waitingQueues: waiting }, 'all webhook delivery slots are in use'),
  );
  const reportLate = atMostEvery(logEveryMs, (queues: number, seconds: number) =>
    log.warn({ queues, oldestSeconds: seconds }, 'webhook deliveries are late'),
  );
  return (due, nowMs) => {
    if (due.length > 0 && slots.isExhausted()) reportExhausted(due.length);
    const late = due.filter(({ firstDueAtMs }) => firstDueAtMs < nowMs - lateMs);
    const oldestMs = Math.min(...late.map((it) => it.firstDueAtMs));
    if (late.length > 0) reportLate(late.length, Math.round((nowMs - oldestMs) / 1000));
  };
}
