import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createGroupCommit } from '../store/group-commit.js';
import type { Schema } from '../contract/contract.js';
import type { DueDelivery } from '../store/delivery-queue.js';
import type { Store } from '../store/store.js';
import { isTransient } from '../store/retry.js';
import { type StoredWebhook, webhookTable } from '../store/webhooks.js';
import { createAttempt, isSuccess } from './attempt.js';
import { createClaim } from './claim.js';
import { createDialer } from './dial.js';
import { expandEvents } from './expand.js';
import { startLoop } from './loop.js';
import type { ResolveName } from './resolve-name.js';
import type { SecretBox } from './secret-box.js';
import { createQueueBound } from './queue-bound.js';
import { createSender } from './send.js';
import { type Handled, settleGroup } from './settle.js';
import { createSlots, type EndedAttempt } from './slots.js';
import { logStatusChange } from './status-change.js';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { TargetPolicy } from './target.js';
import { createDeliveriesInFlight, type WorkerLoad } from './worker-load.js';

const attemptMs = settings.attempt_timeout_seconds * 1000;
/**
 * Duration of a claim, ms. Much longer than an attempt with its settlement. When it ends, other workers can claim the
 * deliveries of a crashed worker.
 */
const leaseMs = 3 * attemptMs;
const settledAtOnce = 128;
const settleAgainMs = 250;
/** Maximum pause after a claim, ms. A claim that takes longer waited for an unavailable database. */
const claimPauseMaxMs = 100;
/** Grace period for attempts in flight when the worker closes, ms. */
const graceMs = 2_000;

export interface WorkerParts {
  readonly store: Store;
  readonly secretBox: SecretBox;
  readonly targetPolicy: TargetPolicy;
  readonly resolveName: ResolveName;
  /** Whether failed deliveries contain the start of the receiver's response. */
  readonly keepsResponses: boolean;
  readonly now: () => number;
  readonly log: Logger;
  /** Called for each settled attempt. */
  readonly observeAttempt: (outcome: 'delivered' | 'failed', seconds: number) => void;
  /** Called for each webhook whose status an attempt changed, with the new status. */
  readonly observeStatus: (status: Schema<'WebhookStatus'>) => void;
  /**
   * Maximum pause of the worker between two queries, ms. Events and deliveries of other processes do not end the pause
   * early.
   */
  readonly pollMs: number;
}

/** A worker creates deliveries from events and sends them. Any number of workers may share one database. */
export interface Worker {
  /** Ends the pause of the worker, because there may be new events or deliveries. */
  wake(): void;
  /** Number of slots in use, and ages of the deliveries in flight in seconds. */
  load(): WorkerLoad;
  /** Stops claiming and waits for a grace period. Releases the unfinished deliveries to other workers. */
  close(): Promise<void>;
}

export function startWorker(parts: WorkerParts): Worker {
  const { store, log, now } = parts;
  const { dial, close: hangUp } = createDialer(parts.targetPolicy, parts.resolveName);
  const closing = new AbortController();
  // The number of listeners is unlimited, because each attempt in flight adds one.
  setMaxListeners(0, closing.signal);
  const attempt = createAttempt({ dial, keepsResponses: parts.keepsResponses, timeoutMs: attemptMs });
  const send = createSender({ ...parts, attempt, abort: closing.signal, attemptMs });
  const settling = createGroupCommit<Handled, undefined>({
    commit: (group) => commitSettled(parts, group),
    isOutage: isTransient,
    groupMax: settledAtOnce,
    queueMax: Number.POSITIVE_INFINITY,
  });
  const slots = createSlots();
  const queueBound = createQueueBound();
  const inFlight = createDeliveriesInFlight();
  const claim = createClaim({ ...parts, slots, leaseMs, max: settledAtOnce });

  /**
   * Stores the outcome of a delivery. Retries while the database is unavailable, until the lease ends. No other worker
   * can claim the delivery before that time.
   */
  async function settle(handled: Handled): Promise<void> {
    while (!closing.signal.aborted && now() < handled.delivery.dueAtMs) {
      const error: unknown = await settling.submit(handled).catch((reason: unknown) => reason);
      if (error === undefined) return;
      if (!isTransient(error)) throw error;
      await sleep(settleAgainMs);
    }
    await settling.submit(handled);
  }

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
      await settle({ delivery, attempt, webhook });
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
    const startedAtMs = performance.now();
    const { deliveries, pauseMs } = await claim();
    const claimMs = performance.now() - startedAtMs;
    const webhooks = await listWebhooks(store, deliveries);
    for (const delivery of deliveries) {
      slots.take(delivery.receiver);
      inFlight.add(handle(delivery, webhooks.get(`${delivery.accountId} ${delivery.webhookId}`)));
    }
    // Leaves at least half of the time to other database work, even while a long queue is sent.
    await sleep(Math.min(claimMs, claimPauseMaxMs));
    return pauseMs;
  }

  return {
    wake() {
      expanding.wake();
      sending.wake();
    },
    load: () => ({ slotsInUse: slots.inUse(), agesSeconds: inFlight.ages() }),
    async close() {
      await Promise.all([expanding.close(), sending.close()]);
      await Promise.race([Promise.all(inFlight.all()), sleep(graceMs, undefined, { ref: false })]);
      closing.abort();
      await Promise.all(inFlight.all());
      await settling.close();
      hangUp();
    },
  };
}

/** Stores the outcomes. Logs and counts the changes of webhook status after the commit. */
async function commitSettled(
  { store, log, now, observeStatus }: WorkerParts,
  group: readonly Handled[],
): Promise<undefined[]> {
  for (const change of await settleGroup(store, group, now())) {
    logStatusChange(log, change);
    observeStatus(change.status);
  }
  return group.map(() => undefined);
}

/** Returns the webhooks of the deliveries, keyed by account and webhook id. */
async function listWebhooks(store: Store, deliveries: readonly DueDelivery[]): Promise<Map<string, StoredWebhook>> {
  const found = new Map<string, StoredWebhook>();
  for (const accountId of new Set(deliveries.map((it) => it.accountId)))
    for (const webhook of await webhookTable(store.read(accountId)).list())
      found.set(`${accountId} ${webhook.webhookId}`, webhook);
  return found;
}
