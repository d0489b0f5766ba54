import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import type { Delivery } from '../../src/store/delivery-row.js';
import { createDeliveryLog } from '../../src/store/settled-deliveries.js';
import { createWebhookTable } from '../../src/store/webhooks.js';
import { createDelivery } from '../../src/webhooks/queues.js';
import { settleGroup } from '../../src/webhooks/settle.js';
import { startTestService } from '../../testkit/service.js';
import { storedWebhook } from '../../testkit/webhooks.js';

const timestamp = '2026-11-21T09:30:00.000Z';
const failure = { timestamp, status: 500, duration_ms: 1 };
const success = { timestamp, status: 204, duration_ms: 1 };

/** Creates an account with a webhook and the given deliveries. */
async function arrange(...rests: Array<Partial<Delivery>>) {
  const { store } = await startTestService();
  const accountId = `acc_${randomUUID().slice(0, 12)}`;
  const webhook = storedWebhook('wh_1', { createdAtMs: 1 });
  const line = { sessionId: 's1', payload: '{}', dueAtMs: Date.now() + 3_600_000 };
  const deliveries = rests.map((rest) => ({
    ...createDelivery({ ...webhook, accountId }, { ...line, ...rest }),
    accountId,
  }));
  await store.transact(async (scopeOf) => {
    await createWebhookTable(scopeOf(accountId)).insert(webhook);
    await createDeliveryTable(scopeOf(accountId)).insert(deliveries);
  });
  const claimHeld = (ids: readonly string[], owner: string) =>
    store.transact((scopeOf) =>
      createDeliveryTable(scopeOf(accountId)).lockHeld(ids.map((deliveryId) => ({ deliveryId, owner }))),
    );
  return { store, accountId, deliveries, claimHeld };
}

test('the outcome of an earlier claim is ignored, even in one group with the outcome of the current claim', async () => {
  const { store, accountId, deliveries } = await arrange({ seq: 1, owner: 'present' });
  const [delivery] = deliveries;
  if (!delivery) throw new Error('none');
  const group = [
    { delivery, attempt: success },
    { delivery: { ...delivery, owner: 'earlier' }, attempt: failure },
  ];
  await settleGroup(store, group, Date.now());
  const again = await store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).busyQueues([delivery]));
  expect(again).toEqual([]);
  expect((await createWebhookTable(store.read(accountId)).list())[0]?.failedInRow).toBe(0);
});

test('settling a group makes the next delivery due in each of its queues, and in no other queue', async () => {
  const { store, deliveries, claimHeld } = await arrange(
    { sessionId: 'done', seq: 1, owner: 'o' },
    { sessionId: 'done', seq: 3, status: 'queued' },
    { sessionId: 'done', seq: 2, status: 'queued' },
    { sessionId: 'again', seq: 1, owner: 'o' },
    { sessionId: 'again', seq: 2, status: 'queued' },
    { sessionId: 'last', seq: 1, owner: 'o' },
  );
  const group = deliveries
    .filter(({ owner }) => owner === 'o')
    .map((delivery) => ({ delivery, attempt: delivery.sessionId === 'again' ? failure : success }));
  await settleGroup(store, group, Date.now());
  // Contains deliveries that are queued and not claimed.
  const due = await claimHeld(
    deliveries.map(({ deliveryId }) => deliveryId),
    null as never,
  );
  expect([...due.values()].map(({ sessionId, seq }) => `${sessionId} ${seq}`).sort()).toEqual(['again 1', 'done 2']);
});

test('a delivery of a removed webhook is deleted', async () => {
  const { store, accountId, deliveries, claimHeld } = await arrange({ seq: 1, owner: 'o' });
  await store.transact((scopeOf) => createWebhookTable(scopeOf(accountId)).remove('wh_1'));
  const [delivery] = deliveries;
  if (!delivery) throw new Error('none');
  await settleGroup(store, [{ delivery, attempt: success }], Date.now());
  expect((await claimHeld([delivery.deliveryId], 'o')).size).toBe(0);
  expect(await createDeliveryLog(store.read(accountId)).page(['failed'], {}, 10)).toEqual([]);
});
