import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerLoad } from '../observe/gauges.js';
import type { DueDelivery } from '../store/delivery-queue.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { createClaim, listWebhooks } from './claim.js';
import { createDialer } from './dial.js';
import { expandEvents } from './expand.js';
import { createQueueBound } from './queues.js';
import { createAttempt, createSender, isSuccess } from './send.js';
import { createSettlement } from './settle.js';
import { createSlots, type EndedAttempt } from './slots.js';
import { startLoop } from './tasks.js';
import { attemptMs, type WorkerParts } from './worker-parts.js';

/*
 * The story of a delivery. Any number of workers share one database.
 *
 * 1. Expand (expand.ts): creates deliveries from the events in the outbox, in a queue per webhook and session
 * (queues.ts).
 * 2. Claim (claim.ts): takes due deliveries for the free slots of their receivers (slots.ts), with a lease.
 * 3. Send (send.ts): signs a delivery (secrets.ts) and sends it once. The address is checked at the connect (dial.ts).
 * 4. Settle (settle.ts): stores the outcomes of many deliveries in one transaction. A delivery is delivered, failed, or
 *    due again (schedule.ts). After a settled delivery, the next one of its queue is due.
 *
 * If a worker crashes, its leases expire, and another worker sends its deliveries again with the same ids.
 */

/** Maximum pause after a claim in ms. A claim that takes longer waited for an unavailable database. */
const claimPauseMaxMs = 100;
/** Grace period for attempts in flight when the worker closes, in ms. */
const graceMs = 2_000;

export type Worker = ReturnType<typeof startWorker>;

/** Starts to create deliveries from events and to send them. Any number of workers may share one database. */
export function startWorker(parts: WorkerParts) {
  const { store, log, now } = parts;
  const { dial, close: hangUp } = createDialer(parts.targetPolicy, parts.resolveName);
  const closing = new AbortController();
  // The number of listeners is unlimited, because each attempt in flight adds one.
  setMaxListeners(0, closing.signal);
  const attempt = createAttempt({ dial, keepsResponses: parts.keepsResponses, timeoutMs: attemptMs });
  const send = createSender(attempt, parts, closing.signal);
  const settlement = createSettlement(parts, closing.signal);
  const slots = createSlots();
  const queueBound = createQueueBound();
  /** The deliveries in flight, with their start on the monotonic clock. */
  const startedAtMs = new Map<Promise<void>, number>();
  const claim = createClaim(parts, slots);

  const sendInSlot = async (delivery: DueDelivery, webhook: StoredWebhook | undefined) => {
    let ended: EndedAttempt | undefined;
    try {
      const attempt = await send(delivery, webhook);
      if (attempt) ended = { isSuccess: isSuccess(attempt), durationMs: attempt.duration_ms };
      return attempt;
    } finally {
      slots.endAttempt(delivery.receiver, ended);
    }
  };

  const handle = async (delivery: DueDelivery, webhook: StoredWebhook | undefined) => {
    try {
      const attempt = await sendInSlot(delivery, webhook);
      // The slot of the receiver is already free, so its next delivery can start before this outcome is committed.
      sending.wake();
      await settlement.settle({ delivery, attempt, webhook });
      if (attempt) parts.observeAttempt(isSuccess(attempt) ? 'delivered' : 'failed', attempt.duration_ms / 1000);
    } catch (error) {
      // The delivery is sent again with the same id when the lease ends.
      log.warn({ err: error }, 'a delivery could not be settled');
    } finally {
      slots.release(delivery.receiver);
      sending.wake();
    }
  };
  const expanding = startLoop('expand', expand, log);
  const sending = startLoop('send', sendDue, log);

  async function expand(): Promise<number> {
    const hadEvents = await expandEvents(store, now, queueBound, (queue) =>
      log.warn(queue, 'the queue of a webhook is full, its oldest deliveries failed'),
    );
    // Wakes `sending` even without events. In an idle process, both loops then run together, once per poll.
    sending.wake();
    return hadEvents ? 0 : parts.pollMs;
  }

  async function sendDue(): Promise<number> {
    const beganAtMs = performance.now();
    const { deliveries, pauseMs } = await claim();
    const claimMs = performance.now() - beganAtMs;
    const webhooks = await listWebhooks(store, deliveries);
    for (const delivery of deliveries) {
      slots.take(delivery.receiver);
      const handling = handle(delivery, webhooks.get(`${delivery.accountId} ${delivery.webhookId}`));
      startedAtMs.set(handling, performance.now());
      void handling.finally(() => startedAtMs.delete(handling));
    }
    // Leaves at least half of the time to other database work, even while a long queue is sent.
    await sleep(Math.min(claimMs, claimPauseMaxMs));
    return pauseMs;
  }

  return {
    /** Ends the pause of the worker, because there may be new events or deliveries. */
    wake(): void {
      expanding.wake();
      sending.wake();
    },
    /** Number of slots in use, and ages of the deliveries in flight, in seconds. */
    load(): WorkerLoad {
      const agesSeconds = [...startedAtMs.values()].map((atMs) => (performance.now() - atMs) / 1000);
      return { slotsInUse: slots.inUse(), agesSeconds };
    },
    /** Stops claiming and waits for a grace period. Releases the unfinished deliveries to other workers. */
    async close(): Promise<void> {
      await Promise.all([expanding.close(), sending.close()]);
      await Promise.race([Promise.all(startedAtMs.keys()), sleep(graceMs, undefined, { ref: false })]);
      closing.abort();
      await Promise.all(startedAtMs.keys());
      await settlement.close();
      hangUp();
    },
  };
}
