import { createServer } from 'node:http';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import { createOutboxTable } from '../../src/store/outbox.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { createDelivery } from '../../src/webhooks/queues.js';
import { slotsMax } from '../../src/webhooks/slots.js';
import { makeAccount } from '../../testkit/calls.js';
import { listen } from '../../testkit/listen.js';
import { startReceiver } from '../../testkit/receiver.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import { deliveriesOf, register, startWorkerOn } from '../../testkit/webhooks.js';

/** Returns the same service with a new account. */
async function accountOn(service: TestService, account: string): Promise<TestService> {
  const own = await makeAccount(service, account, 'enterprise');
  return { ...service, ...client(service.url, own.key, service.clock), ...own };
}

/** Registers a webhook and stores due deliveries. */
async function storeDueAt(service: TestService, url: string, count: number): Promise<void> {
  const { id: webhookId } = await register(service, url);
  const { accountId, clock } = service;
  const due = () =>
    createDelivery({ accountId, webhookId, url }, { sessionId: 's', payload: '{}', dueAtMs: clock.nowMs });
  const deliveries = Array.from({ length: count }, due);
  await service.store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).insert(deliveries));
}

/** Starts receivers on many ports that accept requests and never respond. */
async function startHanging(count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, async () => `${await listen(createServer(() => undefined))}/`));
}

test('two accounts with hanging receivers do not delay a third account, and the log reports used-up slots', async () => {
  const service = await startTestService({});
  const third = await accountOn(service, 'third');
  const urls = await startHanging(70);
  const accounts = [await accountOn(service, 'first'), await accountOn(service, 'second')];
  const fill = async (account: TestService) => {
    for (const url of urls) await storeDueAt(account, url, 4);
  };
  await Promise.all(accounts.map(fill));
  const logs: string[] = [];
  await startWorkerOn(service, logs);
  await until('all slots are in use', () => logs.some((line) => line.includes('slots are in use')));
  const receiver = await startReceiver();
  const { id } = await register(third, receiver.url);
  for (let count = 1; count <= 20; count += 1) {
    await third.post(`/webhooks/${id}/test`);
    await receiver.until(count);
  }
  expect(70 * 4 * 2).toBeGreaterThan(slotsMax);
  expect(logs.filter((line) => line.includes('slots are in use'))).toHaveLength(1);
});

test('an account whose attempts hang at a shared host does not use the slots of another account at that host', async () => {
  const service = await startTestService({});
  const [hanging, healthy] = [await accountOn(service, 'hanging'), await accountOn(service, 'healthy')];
  const receiver = await startReceiver();
  receiver.answer(({ headers }, response) => {
    if (headers['x-service-signature'] !== undefined && response.req.url === '/hooks') response.writeHead(204).end();
  });
  const stuck = await register(hanging, receiver.url.replace('/hooks', '/stuck'));
  for (let count = 0; count < 8; count += 1) await hanging.post(`/webhooks/${stuck.id}/test`);
  await startWorkerOn(service);
  await receiver.until(4);
  const { id } = await register(healthy, receiver.url);
  for (let count = 1; count <= 20; count += 1) await healthy.post(`/webhooks/${id}/test`);
  await receiver.until(24);
});

test("an account's backlog of events does not delay the events of another account", async ({ ownService: service }) => {
  const [busy, neighbor] = [await accountOn(service, 'busy'), await accountOn(service, 'neighbor')];
  await register(busy, 'https://8.8.8.8/');
  const { id } = await register(neighbor, 'https://8.8.8.8/');
  const payload = {
    event: 'state_change',
    session_id: 's',
    previous_state: 'calm',
    new_state: 'stressed',
    stress_score: 64,
    timestamp: service.clock.at(),
  } as const;
  const storeEvents = ({ accountId, store, clock }: TestService, count: number) => {
    const events = Array.from({ length: count }, (_, index) => ({ sessionId: `s${index}`, seq: 1, payload }));
    return store.transact((scopeOf) => createOutboxTable(scopeOf(accountId)).append(events, 1, clock.nowMs));
  };
  await storeEvents(busy, 500);
  service.clock.advance(60);
  await storeEvents(neighbor, 1);
  await expandEvents(service.store, service.clock.now);
  expect(await deliveriesOf(neighbor, id)()).toHaveLength(1);
});
