import type { Schema } from '../contract.js';
import type { Delivery } from '../store/delivery-row.js';
import type { DueDelivery } from '../store/delivery-queue.js';
import type { Store, Writer } from '../store/store.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { isSuccess } from './attempt.js';
import { deliveryAfter, gone, webhookAfter } from './schedule.js';

const droppedAtOnce = 500;

/** A claimed delivery and what came of it; without an attempt it was not sent. */
export interface Handled {
  readonly delivery: DueDelivery;
  readonly attempt: Schema<'DeliveryAttempt'> | undefined;
  /** Its webhook as it was when the delivery was claimed. */
  readonly webhook?: StoredWebhook | undefined;
}

/** Writes down what came of deliveries, in the order of the group and in one transaction; only while they are still held. */
export async function settleGroup(store: Store, group: readonly Handled[], nowMs: number): Promise<void> {
  await store.transact(async (writerOf) => {
    for (const accountId of [...new Set(group.map((it) => it.delivery.accountId))].sort()) {
      const mine = group.filter((it) => it.delivery.accountId === accountId);
      await settleAccount(writerOf(accountId), mine, nowMs);
    }
  });
}

/**
 * In few statements, however large the group: as long as this takes, nothing is added to the lines of its webhooks.
 * Others that settle wait only where an attempt has failed, which changes its webhook; a success does so once after
 * failures.
 */
async function settleAccount(writer: Writer, group: readonly Handled[], nowMs: number): Promise<void> {
  const webhookIds = [...new Set(group.map((it) => it.delivery.webhookId))];
  const isShared = !group.some(changesWebhook);
  // Before the webhooks, as in a registration.
  if (group.some(({ attempt }) => attempt?.status === gone)) await writer.webhooks.lockAccount();
  const before = await writer.webhooks.lock(webhookIds, isShared);
  const held = await writer.deliveries.lockHeld(group.map((it) => it.delivery));
  const webhooks = new Map(before);
  const settled: Delivery[] = [];
  const orphaned = new Set<string>();
  for (const { delivery, attempt } of group) {
    const mine = held.get(delivery.deliveryId);
    if (mine?.owner !== delivery.owner) continue;
    const webhook = webhooks.get(mine.webhookId);
    if (!webhook) orphaned.add(mine.webhookId);
    if (!webhook) continue;
    const after = attempt ? webhookAfter(webhook, attempt, nowMs) : webhook;
    webhooks.set(after.webhookId, after);
    settled.push(attempt ? deliveryAfter(mine, after, attempt, nowMs) : unsent(mine, after, nowMs));
  }
  for (const webhookId of orphaned) await dropAll(writer, webhookId);
  await writer.deliveries.updateHeld(settled);
  for (const webhook of webhooks.values()) await saveWebhook(writer, before.get(webhook.webhookId), webhook, nowMs);
  await writer.deliveries.promoteNext(settled.filter(isOutOfLine), nowMs);
}

/** Its webhook was removed, and the process that did it stopped before all that waited was gone. */
async function dropAll(writer: Writer, webhookId: string): Promise<void> {
  while (await writer.deliveries.removeSome(webhookId, droppedAtOnce));
}

/** As far as can be told before the webhook is locked. */
function changesWebhook({ attempt, webhook }: Handled): boolean {
  return attempt !== undefined && (!isSuccess(attempt) || (webhook !== undefined && webhook.failedInRow > 0));
}

/** What waits for one that has just been disabled fails with it. */
async function saveWebhook(
  writer: Writer,
  before: StoredWebhook | undefined,
  after: StoredWebhook,
  nowMs: number,
): Promise<void> {
  if (after === before) return;
  const isDisabled = after.disabledAtMs !== undefined && before?.disabledAtMs === undefined;
  await writer.webhooks.update(isDisabled ? { ...after, disabledEpoch: await writer.webhooks.nextEpoch() } : after);
  if (isDisabled) await writer.deliveries.failWaiting(after.webhookId, 'disabled', nowMs);
}

/** A delivery that was not sent: because its webhook is disabled, or because the worker had to let it go. */
function unsent(delivery: Delivery, { disabledAtMs }: StoredWebhook, nowMs: number): Delivery {
  if (disabledAtMs === undefined || delivery.seq === null) return { ...delivery, owner: null, dueAtMs: nowMs };
  return { ...delivery, owner: null, status: 'failed', reason: 'disabled', settledAtMs: nowMs };
}

/** The next of a line follows one that is settled; one that is to be tried again holds it back. */
function isOutOfLine({ seq, settledAtMs }: Delivery): boolean {
  return seq !== null && settledAtMs !== null;
}
