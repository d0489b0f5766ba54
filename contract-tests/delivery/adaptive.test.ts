import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { buildQueueName } from '../../src/webhooks/queues.js';
import { slotsPerAccountMax, slotsPerQueue } from '../../src/webhooks/slots.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';
import { register, startHeartbeat, startWorkerOn, storeDue } from '../../testkit/webhooks.js';

/** Delay of a response, ms. Much less than the time from which a response counts as slow. */
const delayMs = 100;
const backlog = 600;

/** Starts a receiver that holds its responses. `inFlight` contains the requests without a response. */
async function startHolding() {
  const { url, received, answer } = await startReceiver();
  const inFlight = new Set<ServerResponse>();
  let isHolding = true;
  let delayed = 0;
  const respond = (response: ServerResponse, status: number) => void response.writeHead(status).end();
  answer((_, response) => {
    inFlight.add(response.once('close', () => inFlight.delete(response)));
    if (isHolding) return;
    delayed += 1;
    setTimeout(() => {
      delayed -= 1;
      respond(response, 204);
    }, delayMs);
  });
  return {
    ...{ url, received, inFlight },
    /** Responds to one held request. */
    async respondOnce(status: number) {
      const [oldest] = inFlight;
      if (!oldest) throw new Error('no request is in flight');
      respond(oldest, status);
      await until('the response has ended', () => !inFlight.has(oldest));
    },
    /** Holds later requests. Resolves when the requests before have got their responses. */
    async hold() {
      isHolding = true;
      await until('delayed responses have ended', () => delayed === 0);
    },
    /** Responds quickly to all held and later requests. */
    respondQuickly() {
      isHolding = false;
      for (const response of inFlight) respond(response, 204);
    },
  };
}

/** Registers the receiver and stores more due deliveries than an account has slots. They belong to no session. */
async function storeBacklog(service: TestService, url: string): Promise<void> {
  const { id } = await register(service, url);
  const queue = buildQueueName(service.accountId, { url });
  await storeDue(service, id, backlog, () => queue);
}

test('a quick receiver gets more than four deliveries at the same time, and an error halves their number', async () => {
  const service = await startTestService({});
  const { inFlight, received, ...receiver } = await startHolding();
  await storeBacklog(service, receiver.url);
  const beat = await startHeartbeat(service);
  await startWorkerOn(service);
  await until('the receiver has its first slots', () => inFlight.size >= slotsPerQueue);
  await beat();
  expect(inFlight.size).toBe(slotsPerQueue);

  receiver.respondQuickly();
  await until('the number has grown', () => inFlight.size >= 4 * slotsPerQueue);
  await receiver.hold();
  await until('all slots are in use', async () => {
    const { length } = received;
    await beat();
    return received.length === length;
  });
  const most = inFlight.size;
  expect(most).toBeGreaterThanOrEqual(4 * slotsPerQueue);

  await receiver.respondOnce(500);
  const { length } = received;
  await beat();
  expect(inFlight.size).toBe(most - 1);
  let left = inFlight.size;
  for (; received.length === length && left > 0; await beat()) {
    await receiver.respondOnce(204);
    left = inFlight.size;
  }
  // Successes in the meantime increase the number by at most one.
  expect(left).toBeLessThanOrEqual(most / 2 + 1);
});

test('a receiver that does not respond leaves slots to another webhook of the same account', async () => {
  const service = await startTestService({});
  const { inFlight, ...holding } = await startHolding();
  await storeBacklog(service, holding.url);
  expect(backlog).toBeGreaterThan(slotsPerAccountMax);
  const other = await startReceiver();
  const { id } = await register(service, other.url);
  await startWorkerOn(service);
  await until('the receiver has all of its slots', () => inFlight.size === slotsPerQueue);
  for (let count = 1; count <= 20; count += 1) {
    await service.post(`/webhooks/${id}/test`);
    await other.until(count);
  }
  expect(inFlight.size).toBe(slotsPerQueue);
});
