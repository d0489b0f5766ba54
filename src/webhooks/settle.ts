import { setTimeout as sleep } from 'node:timers/promises';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { createDeliveryTable } from '../store/deliveries.js';
import type { DueDelivery } from '../store/delivery-queue.js';
import { type Delivery, isManualRetry } from '../store/delivery-row.js';
import { createGroupCommit } from '../store/group-commit.js';
import { isTransient } from '../store/retry.js';
import type { WriteScope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import { type StoredWebhook, createWebhookTable } from '../store/webhooks.js';
import {
  updateDelivery,
  findStatus,
  findStatusChange,
  gone,
  logStatusChange,
  type StatusChange,
  updateWebhook,
} from './schedule.js';
import { isSuccess } from './send.js';
import type { WorkerParts } from './worker-parts.js';

const settledAtOnce = 128;
const settleAgainMs = 250;
const droppedAtOnce = 500;

/** A claimed delivery and its attempt. `attempt` is undefined if the delivery was not sent. */
export interface HandledDelivery {
  readonly delivery: DueDelivery;
  readonly attempt: Schema<'DeliveryAttempt'> | undefined;
  /** The webhook as it was when the delivery was claimed. */
  readonly webhook?: StoredWebhook | undefined;
}

/**
 * Creates the settlement of a worker. It stores outcomes that arrive at the same time in one transaction. `abort` ends
 * its retries when the worker closes.
 */
export function createSettlement(
  { store, log, now, observeStatus }: Pick<WorkerParts, 'store' | 'log' | 'now' | 'observeStatus'>,
  abort: AbortSignal,
) {
  const groups = createGroupCommit<HandledDelivery, undefined>({
    async commit(group) {
      for (const change of await settleGroup(store, group, now())) {
        logStatusChange(log, change);
        observeStatus(change.status);
      }
      return group.map(() => undefined);
    },
    isOutage: isTransient,
    groupMax: settledAtOnce,
    queueMax: Number.POSITIVE_INFINITY,
  });
  return {
    /**
     * Stores the outcome of a delivery. Retries while the database is unavailable, until the lease ends. No other worker
     * can claim the delivery before that time.
     */
    async settle(handled: HandledDelivery): Promise<void> {
      while (!abort.aborted && now() < handled.delivery.dueAtMs) {
        const error: unknown = await groups.submit(handled).catch((reason: unknown) => reason);
        if (error === undefined) return;
        if (!isTransient(error)) throw error;
        await sleep(settleAgainMs);
      }
      await groups.submit(handled);
    },
    close: () => groups.close(),
  };
}

/**
 * Stores the outcomes of deliveries in one transaction, in the order of the group. Ignores deliveries whose claim was
 * lost. Resolves with the webhooks whose status changed.
 */
export async function settleGroup(
  store: Store,
  group: readonly HandledDelivery[],
  nowMs: number,
): Promise<StatusChange[]> {
  return store.transact(async (openScope) => {
    const changes: StatusChange[] = [];
    for (const accountId of [...new Set(group.map((it) => it.delivery.accountId))].sort()) {
      const mine = group.filter((it) => it.delivery.accountId === accountId);
      for (const [before, after] of await settleAccount(openScope(accountId), mine, nowMs))
        changes.push(...[findStatusChange(accountId, before, after)].filter((it) => it !== undefined));
    }
    return changes;
  });
}

/**
 * Stores the outcomes of one account's deliveries. Returns each webhook before and after.
 *
 * Uses few statements for any group size, because the webhook locks block new deliveries to their queues. The locks are
 * shared, unless an attempt changes its webhook: a failure, or the first success after failures.
 */
async function settleAccount(
  scope: WriteScope,
  group: readonly HandledDelivery[],
  nowMs: number,
): Promise<Array<[before: StoredWebhook, after: StoredWebhook]>> {
  const webhookIds = [...new Set(group.map((it) => it.delivery.webhookId))];
  const isShared = !group.some(changesWebhook);
  // Locks the account before the webhooks, as registration does.
  if (group.some(({ attempt }) => attempt?.status === gone)) await createWebhookTable(scope).lockAccount();
  const before = await createWebhookTable(scope).lock(webhookIds, isShared);
  const held = await createDeliveryTable(scope).lockHeld(group.map((it) => it.delivery));
  const webhooks = new Map(before);
  const settled: Delivery[] = [];
  const orphaned = new Set<string>();
  for (const { delivery, attempt } of group) {
    const mine = held.get(delivery.deliveryId);
    if (mine?.owner !== delivery.owner) continue;
    const webhook = webhooks.get(mine.webhookId);
    if (!webhook) orphaned.add(mine.webhookId);
    if (!webhook) continue;
    const after = attempt ? updateWebhook(webhook, attempt, nowMs) : webhook;
    webhooks.set(after.webhookId, after);
    settled.push(
      attempt
        ? updateDelivery({ ...mine, accountId: delivery.accountId }, after, attempt, nowMs)
        : unsent(mine, after, nowMs),
    );
  }
  // Some deliveries of a removed webhook remain if the process stopped during the removal.
  for (const webhookId of orphaned) while (await createDeliveryTable(scope).removeSome(webhookId, droppedAtOnce));
  await createDeliveryTable(scope).updateHeld(settled);
  for (const webhook of webhooks.values()) await saveWebhook(scope, before.get(webhook.webhookId), webhook, nowMs);
  // A delivery that will be retried stays in its queue.
  const left = settled.filter(({ seq, settledAtMs }) => seq !== null && settledAtMs !== null);
  await createDeliveryTable(scope).promoteNext(left, nowMs);
  return [...before.values()].map((webhook) => [webhook, webhooks.get(webhook.webhookId) ?? webhook]);
}

/**
 * Returns true if the attempt is likely to change its webhook. Decides before the webhook is locked, from the webhook
 * as it was at the claim.
 */
function changesWebhook({ attempt, webhook }: HandledDelivery): boolean {
  return attempt !== undefined && (!isSuccess(attempt) || (webhook !== undefined && webhook.failedInRow > 0));
}

/**
 * Saves a changed webhook. If the change disabled it, its waiting deliveries fail. If it is active again, its waiting
 * deliveries are due soon. They are not due immediately, because the receiver may reject some deliveries and accept
 * others.
 */
async function saveWebhook(
  scope: WriteScope,
  before: StoredWebhook | undefined,
  after: StoredWebhook,
  nowMs: number,
): Promise<void> {
  if (after === before) return;
  const isDisabled = after.disabledAtMs !== undefined && before?.disabledAtMs === undefined;
  await createWebhookTable(scope).update(
    isDisabled ? { ...after, disabledEpoch: await createWebhookTable(scope).nextEpoch() } : after,
  );
  if (isDisabled) await createDeliveryTable(scope).failWaiting(after.webhookId, 'disabled', nowMs);
  const isRecovered = before !== undefined && findStatus(before) === 'failed' && findStatus(after) === 'active';
  if (isRecovered && after.retry === 'extended')
    await createDeliveryTable(scope).hastenRetries(
      after.webhookId,
      nowMs + settings.extended_retry.recovery_seconds * 1000,
    );
}

/**
 * Returns the outcome of a delivery that was not sent: failed if its webhook is disabled and it is no manual retry,
 * otherwise released and due immediately.
 */
function unsent(delivery: Delivery, { disabledAtMs }: StoredWebhook, nowMs: number): Delivery {
  if (disabledAtMs === undefined || isManualRetry(delivery)) return { ...delivery, owner: null, dueAtMs: nowMs };
  return { ...delivery, owner: null, status: 'failed', reason: 'disabled', settledAtMs: nowMs };
}
