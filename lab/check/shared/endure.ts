import type { Schema } from '../../../src/contract/contract.js';
import { createRequest, createWebhookClient, type WebhookClient } from './client.js';
import { type Load, type Loaded, type LoadOptions, startLoad } from './load.js';
import { watchQueue } from './queue.js';
import { startUnreliableReceiver, type UnreliableReceiver } from './receiver.js';
import { judge, listChanges, type Verdict } from './verdict.js';

export interface Trial extends LoadOptions {
  readonly databaseUrl: string;
  /** Whether the receiver fails and delays requests at random. */
  readonly isReceiverUnreliable?: boolean;
  /** Maximum time to deliver all queued deliveries, ms. */
  readonly drainMs: number;
  /** Runs while the readings are sent, e.g. kills processes. Absent: waits until every sender has ended. */
  readonly disturb?: (load: Load) => Promise<unknown>;
  /** Runs between the last reading and the delivery of its events. */
  readonly recover?: () => Promise<unknown>;
}

/** Tools for measurements after the load. */
export interface Aftermath {
  readonly client: WebhookClient;
  readonly webhook: Schema<'Webhook'>;
  readonly receiver: UnreliableReceiver;
  readonly failed: ReadonlyArray<Schema<'FailedDelivery'>>;
  /** Number of deliveries in the queue when the load ended. */
  readonly queued: number;
  /** Resolves when the queue is empty. */
  readonly drain: (limitMs: number) => Promise<void>;
}

/**
 * Sends readings that change states to services whose events go to a receiver. Compares the acknowledged state changes with
 * the received events when all of them are delivered.
 */
export async function endure<Result>(
  { databaseUrl, isReceiverUnreliable = false, drainMs, disturb, recover, ...options }: Trial,
  measure: (loaded: Loaded, events: Verdict, aftermath: Aftermath) => Promise<Result>,
): Promise<Result> {
  const receiver = await startUnreliableReceiver(options.random);
  if (!isReceiverUnreliable) receiver.recover();
  const queue = watchQueue(databaseUrl);
  const report = (count: number) => console.error(`${count} deliveries queued`);
  try {
    const client = createWebhookClient(createRequest(options.urls()[0] ?? '', options.key));
    const webhook = await client.register(receiver.url);
    receiver.expect(webhook.secret);
    const load = startLoad(options);
    await disturb?.(load).finally(load.stop);
    const loaded = await load.finish();
    await recover?.();
    const queued = await queue.waiting();
    await queue.empty(drainMs, report);
    const failed = await client.allFailed();
    const events = judge({ changes: listChanges(loaded.sent), ...receiver, failed });
    const drain = (limitMs: number) => queue.empty(limitMs, report);
    return await measure(loaded, events, { client, webhook, receiver, failed, queued, drain });
  } finally {
    await queue.close();
    receiver.close();
  }
}
