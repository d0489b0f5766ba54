import { expect, test } from 'vitest';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { startDatabaseProxy } from '../../testkit/proxy.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { until } from '../../testkit/until.js';
import { register, startStory } from '../../testkit/webhooks.js';

/**
 * Starts a service whose database becomes unavailable after a delivery was received and before its outcome was stored.
 */
async function startOutage() {
  const database = await temporaryDatabase();
  const { proxy, url } = await startDatabaseProxy(database.url);
  const service = await startTestService({ database: { ...database, url }, env: { WORKER: '1', ...storyEnv } });
  const receiver = await startReceiver();
  await register(service, receiver.url);
  const { change } = await startStory(service);
  receiver.answer((_, response) => {
    proxy.cut();
    response.writeHead(204).end();
  });
  const told = [await change()];
  await receiver.until(1);
  receiver.answer(204);
  return {
    service,
    receiver,
    told,
    change: async () => void told.push(await change()),
    async restore() {
      proxy.restore();
      await until('ready', async () => (await service.request('/readyz')).status === 200);
    },
    close: service.close,
  };
}

test('when the database returns within the lease, the outcome is stored and the delivery is not sent again', async () => {
  const { receiver, told, change, restore, close } = await startOutage();
  await restore();
  await change();
  await change();
  // The later deliveries of the session are queued behind the first one.
  await receiver.until(3);
  expect(receiver.received.map(({ event }) => event.timestamp)).toEqual(told.map(({ timestamp }) => timestamp));
  await close();
});

test('when the lease ends before the outcome is stored, the delivery is sent again with its id, before later deliveries', async () => {
  const { service, receiver, told, change, restore, close } = await startOutage();
  service.clock.advance(30);
  await until('the settling is given up', () => service.logs.some((line) => line.includes('could not be settled')));
  await restore();
  await receiver.until(2);
  await change();
  await change();
  await receiver.until(4);
  const [first, again, ...rest] = receiver.received;
  expect(again?.id).toBe(first?.id);
  expect([first, ...rest].map((it) => it?.event.timestamp)).toEqual(told.map(({ timestamp }) => timestamp));
  await close();
});
