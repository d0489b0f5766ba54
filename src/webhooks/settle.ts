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
  findStatusChange,
  gone,
  logStatusChange,
  type StatusChange,
  updateWebhook,
} from './schedule.js';
import type { WorkerParts } from './worker-parts.js';

const settledAtOnce = 128;
const settleAgainMs = 250;
const droppedAtOnce = 500;
const failedAtOnce = 500;
const recoveryMs = settings.extended_retry.recovery_seconds * 1000;

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
  const changes = await store.transact(async (openScope) => {
    const changes: StatusChange[] = [];
    for (const accountId of [...new Set(group.map((it) => it.delivery.accountId))].sort()) {
      const mine = group.filter((it) => it.delivery.accountId === accountId);
      for (const [before, after] of await settleAccount(openScope(accountId), mine, nowMs))
        changes.push(...[findStatusChange(accountId, before, after)].filter((it) => it !== undefined));
    }
    return changes;
  });
  for (const change of changes) await followStatus(store, change, nowMs);
  return changes;
}

/**
 * Stores the outcomes of one account's deliveries. Returns each webhook before and after.
 *
 * Uses few statements for any group size, because the webhook locks block new deliveries to their queues.
 */
async function settleAccount(
  scope: WriteScope,
  group: readonly HandledDelivery[],
  nowMs: number,
): Promise<Array<[before: StoredWebhook, after: StoredWebhook]>> {
  const webhookIds = [...new Set(group.map((it) => it.delivery.webhookId))];
  // Locks the account before the webhooks, as registration does.
  if (group.some(({ attempt }) => attempt?.status === gone)) await createWebhookTable(scope).lockAccount();
  const before = await createWebhookTable(scope).lock(webhookIds);
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
    const outcome = attempt
      ? updateDelivery({ ...mine, accountId: delivery.accountId }, after, attempt, nowMs)
      : unsent(mine, after, nowMs);
    settled.push(outcome);
    const hasFailed = after.failedInRow > webhook.failedInRow;
    const nextAttemptAtMs = outcome.settledAtMs === null ? outcome.dueAtMs : undefined;
    webhooks.set(after.webhookId, hasFailed ? { ...after, nextAttemptAtMs } : after);
  }
  // Some deliveries of a removed webhook remain if the process stopped during the removal.
  for (const webhookId of orphaned) while (await createDeliveryTable(scope).removeSome(webhookId, droppedAtOnce));
  await createDeliveryTable(scope).updateHeld(settled);
  await saveWebhooks(scope, before, webhooks, nowMs);
  // A delivery that will be retried stays in its queue.
  const left = settled.filter(({ seq, settledAtMs }) => seq !== null && settledAtMs !== null);
  await createDeliveryTable(scope).promoteNext(left, nowMs);
  return [...before.values()].map((webhook) => [webhook, webhooks.get(webhook.webhookId) ?? webhook]);
}

/**
 * Saves the changed webhooks. Those that a receiver disabled start a new epoch together, and the oldest waiting deliveries
 * of the first of them fail at once.
 */
async function saveWebhooks(
  scope: WriteScope,
  before: ReadonlyMap<string, StoredWebhook>,
  after: ReadonlyMap<string, StoredWebhook>,
  nowMs: number,
): Promise<void> {
  const changed = [...after.values()].filter((it) => it !== before.get(it.webhookId));
  const isNewlyDisabled = ({ webhookId, disabledAtMs }: StoredWebhook) =>
    disabledAtMs !== undefined && before.get(webhookId)?.disabledAtMs === undefined;
  const [first] = changed.filter(isNewlyDisabled);
  const epoch = first && { disabledEpoch: await createWebhookTable(scope).nextEpoch() };
  await createWebhookTable(scope).saveAttempts(changed.map((it) => (isNewlyDisabled(it) ? { ...it, ...epoch } : it)));
  if (first) await createDeliveryTable(scope).failOldest(first.webhookId, failedAtOnce, 'disabled', nowMs);
}

/**
 * Changes the waiting deliveries of a webhook after its status changed, in transactions of their own, because there may be
 * many. Those of a disabled webhook fail. If the process stops in between, a worker claims and fails the rest. Those of a
 * webhook that is active again are due soon. They are not due immediately, because the receiver may reject some deliveries
 * and accept others.
 */
async function followStatus(
  store: Store,
  { accountId, webhookId, previous, status }: StatusChange,
  nowMs: number,
): Promise<void> {
  const change = (
    work: (webhook: StoredWebhook, deliveries: ReturnType<typeof createDeliveryTable>) => Promise<number>,
  ) =>
    store.transact(async (scopeOf) => {
      const webhook = (await createWebhookTable(scopeOf(accountId)).lock([webhookId])).get(webhookId);
      return webhook ? work(webhook, createDeliveryTable(scopeOf(accountId))) : 0;
    });
  if (status === 'disabled')
    while (
      await change(async ({ disabledAtMs }, deliveries) =>
        disabledAtMs === undefined ? 0 : deliveries.failOldest(webhookId, failedAtOnce, 'disabled', nowMs),
      )
    );
  if (previous === 'failed' && status === 'active')
    await change(async ({ retry }, deliveries) =>
      retry === 'extended' ? deliveries.hastenRetries(webhookId, nowMs + recoveryMs) : 0,
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
