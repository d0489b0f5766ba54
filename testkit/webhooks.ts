import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { readConfig } from '../src/config/config.js';
import type { Schema, StateReading } from '../src/contract/contract.js';
import { createLog } from '../src/observe/log.js';
import type { Closable } from '../src/observe/start.js';
import { startDelivery } from '../src/serve/deliver.js';
import { openDatabase } from '../src/store/database.js';
import { createDeliveryTable } from '../src/store/deliveries.js';
import { type Delivery, deliveryColumns, toDelivery } from '../src/store/delivery-row.js';
import type { StoredWebhook } from '../src/store/webhooks.js';
import { createDelivery } from '../src/webhooks/queues.js';
import { settingsFor } from './databases.js';
import { startDeliver } from './process.js';
import { startReceiver } from './receiver.js';
import type { TestService } from './service.js';
import { storyTime } from './story.js';
import { until } from './until.js';

/** A webhook in the response that issues its secret. */
export type IssuedWebhook = Schema<'Webhook'> & { readonly secret: string };

/** Registers a new webhook. Removes it at the end of the test, so that it does not disturb the next test. */
export async function register(
  service: TestService,
  url: string,
  rest: Partial<Schema<'WebhookRegistration'>> = {},
): Promise<IssuedWebhook> {
  const answer = await service.post('/webhooks/register', { url, events: ['state_change'], ...rest });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  const { id } = answer.body;
  onTestFinished(async () => {
    await service.request(`/webhooks/${id}`, { method: 'DELETE' }).catch(() => undefined);
  });
  return answer.body;
}

/** Returns the webhook as the API shows it. */
export async function webhookOf(service: TestService, id: string): Promise<Schema<'Webhook'>> {
  const { webhooks } = (await service.request('/webhooks')).body;
  return webhooks.find((it: Schema<'Webhook'>) => it.id === id);
}

/** Returns a page of failed deliveries. Without a cursor in `query`, this is the first page. */
export async function failedDeliveries(service: TestService, query = ''): Promise<Schema<'FailedDeliveryList'>> {
  return (await service.request(`/webhooks/retries${query}`)).body;
}

const calm = { tone: 'calm', expression: 'relaxed', sentiment: 0.9 } as const;
const hostile = { tone: 'hostile', expression: 'tense', sentiment: -0.9 } as const;
/**
 * Starts a session whose state changes on demand, without advancing the clock. The service requires `storyEnv`.
 */
export async function startStory(
  service: TestService,
  session_id = 's1',
): Promise<{ change(): Promise<StateReading> }> {
  const startedMs = service.clock.nowMs;
  let told = 0;
  const tell = () => {
    told += 1;
    const timestamp = storyTime(startedMs, told);
    return service.read({ session_id, timestamp, ...(told % 2 === 1 ? calm : hostile) });
  };
  await tell();
  return { change: tell };
}

/** Returns a function that reads the stored deliveries of a webhook, oldest first. */
export function deliveriesOf({ database }: TestService, webhook_id: string): () => Promise<Delivery[]> {
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(() => knex.destroy());
  return async () =>
    (await knex('deliveries').select(deliveryColumns).where({ webhook_id }).orderBy('seq')).map(toDelivery);
}

/** Resolves when `count` attempts are settled. The test may then advance the clock. */
export async function attempted(deliveries: () => Promise<Delivery[]>, count: number): Promise<void> {
  await until(`${count} attempts`, async () => {
    const all = await deliveries();
    const isQuiet = all.every(({ owner }) => owner === null);
    return isQuiet && all.reduce((sum, { attempts }) => sum + attempts.length, 0) >= count;
  });
}

/**
 * Returns a function that resolves when the worker has polled twice and has sent all due deliveries. It queues a sample
 * for a separate receiver and waits for its arrival.
 */
export async function startHeartbeat(service: TestService): Promise<() => Promise<void>> {
  const receiver = await startReceiver();
  const { id } = await register(service, receiver.url, { session_id: randomUUID() });
  const beat = async () => {
    const { length } = receiver.received;
    await service.post(`/webhooks/${id}/test`);
    await receiver.until(length + 1);
  };
  return async () => {
    await beat();
    await beat();
  };
}

/** Returns a webhook of every change of state, as it is stored. */
export function storedWebhook(webhookId: string, rest: Partial<StoredWebhook> = {}): StoredWebhook {
  const url = 'http://127.0.0.1:9/';
  return {
    webhookId,
    url,
    events: ['state_change'],
    secret: '',
    failedInRow: 0,
    createdAtMs: 0,
    registeredEpoch: 1,
    ...rest,
  };
}

/** Stores failed deliveries in the same form as the worker, oldest first. */
export async function storeFailed(
  { store, accountId, clock }: TestService,
  deliveries: ReadonlyArray<Partial<Delivery> & Pick<Delivery, 'webhookId'>>,
): Promise<Delivery[]> {
  const payload: Schema<'StateChange'> = {
    event: 'state_change',
    session_id: 's1',
    previous_state: 'calm',
    new_state: 'stressed',
    stress_score: 64,
    timestamp: clock.at(),
  };
  const failed = deliveries.map((delivery) => {
    const rest = { sessionId: 's1', payload: JSON.stringify(payload), dueAtMs: clock.nowMs, settledAtMs: clock.nowMs };
    const target = { accountId, webhookId: delivery.webhookId, url: 'http://127.0.0.1:9' };
    return createDelivery(target, { ...rest, status: 'failed', reason: 'attempts_exhausted', ...delivery });
  });
  await store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).insert(failed));
  return failed;
}

/** Stores due deliveries that are not in the queue of a session. */
export function storeDue(
  service: TestService,
  webhookId: string,
  count: number,
  receiverOf: (index: number) => string = () => '0'.repeat(16),
): Promise<Delivery[]> {
  const due = { status: 'due', reason: null, settledAtMs: null } as const;
  const deliveries = Array.from({ length: count }, (_, index) => ({ webhookId, ...due, receiver: receiverOf(index) }));
  return storeFailed(service, deliveries);
}

/** Starts a worker as a separate process with the real clock. */
export function startProcessOn({ database }: Pick<TestService, 'database'>) {
  return startDeliver({ DATABASE_URL: database.url, WEBHOOK_ALLOW_LOOPBACK: '1' });
}

/**
 * Starts another worker on the database of the service, with the same clock. With `aheadMs`, the worker has the real
 * clock of the database, and its own clock is ahead. The worker is closed at the end of the test.
 */
export async function startWorkerOn(
  { database, clock }: TestService,
  logs: string[] = [],
  aheadMs?: number,
): Promise<Closable> {
  const config = readConfig({ ...settingsFor(database.url), WEBHOOK_ALLOW_LOOPBACK: '1' });
  const worker = await startDelivery({
    config,
    log: createLog('warn', { write: (line) => void logs.push(line) }),
    ...(aheadMs === undefined ? { now: clock.now, databaseNow: clock.now } : { now: () => Date.now() + aheadMs }),
    pollMs: 50,
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= worker.close());
  onTestFinished(close);
  return { close };
}
