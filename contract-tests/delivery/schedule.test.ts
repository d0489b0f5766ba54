import { type Receiver, startReceiver } from '../../testkit/receiver.js';
import { startDelivering, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import {
  attempted,
  deliveriesOf,
  failedDeliveries,
  register,
  startHeartbeat,
  startStory,
  webhookOf,
} from '../../testkit/webhooks.js';

const pauses = [1, 4, 16];

/** Registers a webhook whose receiver fails until the test changes its response. */
async function startFailing(service: TestService, status = 500) {
  const receiver = await startReceiver();
  receiver.answer(status);
  const webhook = await register(service, receiver.url);
  return { receiver, webhook, deliveries: deliveriesOf(service, webhook.id) };
}

/** Advances the clock through all retries of one delivery whose first attempt has failed. */
async function runOut(
  { clock }: TestService,
  deliveries: ReturnType<typeof deliveriesOf>,
  attemptsBefore = 1,
): Promise<void> {
  for (const [index, seconds] of pauses.entries()) {
    clock.advance(seconds);
    await attempted(deliveries, attemptsBefore + index + 1);
  }
}

const idsOf = ({ received }: Receiver) => received.map(({ id }) => id);

test('retries follow 1, 4 and 16 s after the previous failure, not a millisecond earlier, and then stop', async () => {
  const service = await startDelivering();
  const beat = await startHeartbeat(service);
  const { receiver, webhook, deliveries } = await startFailing(service);
  const startMs = service.clock.nowMs;
  await (await startStory(service)).change();
  await attempted(deliveries, 1);
  const statuses = [(await webhookOf(service, webhook.id)).status];
  for (const [index, seconds] of pauses.entries()) {
    service.clock.advance(seconds - 0.001);
    await beat();
    expect(receiver.received).toHaveLength(index + 1);
    service.clock.advance(0.001);
    await attempted(deliveries, index + 2);
    expect(receiver.received).toHaveLength(index + 2);
    statuses.push((await webhookOf(service, webhook.id)).status);
  }
  // The status is `failed` from the third failure on. The third retry is sent nevertheless.
  expect(statuses).toEqual(['active', 'active', 'failed', 'failed']);
  const [failed] = (await failedDeliveries(service)).deliveries;
  const timestamps = failed?.attempts.map(({ timestamp }) => Date.parse(timestamp) - startMs);
  expect(timestamps).toEqual([0, 1_000, 5_000, 21_000]);
  service.clock.advance(3600);
  await beat();
  expect(receiver.received).toHaveLength(4);
});

test('a failed delivery is listed with its event and the outcomes of its attempts', async ({ delivering: service }) => {
  const { receiver, webhook, deliveries } = await startFailing(service);
  receiver.answer((_, response, count) => void response.writeHead(499 + count).end(`no, and no: ${count}`));
  await (await startStory(service)).change();
  await attempted(deliveries, 1);
  expect((await failedDeliveries(service)).deliveries).toEqual([]);
  await runOut(service, deliveries);
  const { deliveries: listed, next_cursor } = await failedDeliveries(service);
  expect(listed).toEqual([
    {
      id: receiver.received[0]?.id,
      webhook_id: webhook.id,
      payload: receiver.received[0]?.event,
      attempts: [1, 2, 3, 4].map((count) => ({
        timestamp: expect.any(String),
        status: 499 + count,
        duration_ms: expect.any(Number),
        answer: `no, and no: ${count}`,
      })),
      reason: 'attempts_exhausted',
    },
  ]);
  expect(next_cursor).toBeNull();
  expect(new Set(idsOf(receiver)).size).toBe(1);
});

test('a webhook with status failed still gets later events, and the first success makes it active', async () => {
  const service = await startDelivering();
  const { receiver, webhook, deliveries } = await startFailing(service);
  const { change } = await startStory(service);
  await change();
  await attempted(deliveries, 1);
  await runOut(service, deliveries);
  expect((await webhookOf(service, webhook.id)).status).toBe('failed');
  receiver.answer(204);
  const later = await change();
  await attempted(deliveries, 5);
  expect(receiver.received.at(-1)?.event).toMatchObject({ new_state: later.state });
  expect((await webhookOf(service, webhook.id)).status).toBe('active');
});

test('consecutive failures are counted over all deliveries of a webhook, and a success resets the count', async () => {
  const service = await startDelivering();
  const { receiver, webhook, deliveries } = await startFailing(service);
  const statusAfter = async (session: string, answer: number, attempts: number) => {
    receiver.answer(answer);
    await (await startStory(service, session)).change();
    await attempted(deliveries, attempts);
    return (await webhookOf(service, webhook.id)).status;
  };
  expect([
    await statusAfter('a', 500, 1),
    await statusAfter('b', 500, 2),
    await statusAfter('c', 200, 3),
    await statusAfter('d', 500, 4),
    await statusAfter('e', 500, 5),
    await statusAfter('f', 500, 6),
    await statusAfter('g', 299, 7),
  ]).toEqual(['active', 'active', 'active', 'active', 'active', 'failed', 'active']);
});

test('a manual retry is sent immediately with its original id, and is not listed as failed after its success', async () => {
  const service = await startDelivering();
  const { receiver, webhook, deliveries } = await startFailing(service);
  await (await startStory(service)).change();
  await attempted(deliveries, 1);
  await runOut(service, deliveries);
  receiver.answer(204);
  const id = receiver.received[0]?.id as string;
  const answer = await service.post('/webhooks/retries', { delivery_ids: [id] });
  expect(answer).toMatchObject({ status: 202, body: { count: 1, delivery_ids: [id] } });
  await receiver.until(5);
  expect(new Set(idsOf(receiver))).toEqual(new Set([id]));
  expect(receiver.received[4]?.bytes).toEqual(receiver.received[0]?.bytes);
  await attempted(deliveries, 1);
  expect((await failedDeliveries(service)).deliveries).toEqual([]);
  expect((await webhookOf(service, webhook.id)).status).toBe('active');
});

test('a manual retry that fails gets the whole schedule again, and the list contains its attempts', async () => {
  const service = await startDelivering();
  const beat = await startHeartbeat(service);
  const { receiver, deliveries } = await startFailing(service);
  await (await startStory(service)).change();
  await attempted(deliveries, 1);
  await runOut(service, deliveries);
  service.clock.advance(100);
  const retriedAtMs = service.clock.nowMs;
  const [failed] = (await failedDeliveries(service)).deliveries;
  await service.post('/webhooks/retries', { delivery_ids: [failed?.id] });
  await receiver.until(5);
  await attempted(deliveries, 1);
  await runOut(service, deliveries);
  await beat();
  expect(receiver.received).toHaveLength(8);
  const [again, ...others] = (await failedDeliveries(service)).deliveries;
  expect(others).toEqual([]);
  expect(again?.id).toBe(failed?.id);
  const timestamps = again?.attempts.map(({ timestamp }) => Date.parse(timestamp) - retriedAtMs);
  expect(timestamps).toEqual([0, 1_000, 5_000, 21_000]);
});

test('a delivery that waits for its retry blocks only its queue, and later deliveries follow in order', async () => {
  const service = await startDelivering();
  const beat = await startHeartbeat(service);
  const { receiver, deliveries } = await startFailing(service);
  const other = await startReceiver();
  await register(service, other.url);
  receiver.answer(({ event }, response, count) => {
    const isRefused = event.session_id === 'held' && count === 1 && receiver.received.length === 1;
    response.writeHead(isRefused ? 503 : 204).end();
  });
  const [held, free] = [await startStory(service, 'held'), await startStory(service, 'free')];
  await held.change();
  await attempted(deliveries, 1);
  for (let index = 0; index < 3; index += 1) await held.change();
  for (let index = 0; index < 2; index += 1) await free.change();
  await attempted(deliveries, 3);
  await beat();
  const sessions = () => receiver.received.map(({ event }) => event.session_id);
  expect(sessions()).toEqual(['held', 'free', 'free']);
  expect(await other.until(6)).toHaveLength(6);

  service.clock.advance(1);
  await attempted(deliveries, 7);
  expect(sessions().slice(3)).toEqual(['held', 'held', 'held', 'held']);
  const inOrder = other.received.filter(({ event }) => event.session_id === 'held').map(({ event }) => event);
  expect(receiver.received.slice(3).map(({ event }) => event)).toEqual(inOrder);
  expect(receiver.received[3]?.id).toBe(receiver.received[0]?.id);
});

test('deliveries queued behind a failing delivery are sent after its last retry has failed', async () => {
  const service = await startDelivering();
  const { receiver, deliveries } = await startFailing(service);
  const { change } = await startStory(service);
  await change();
  const next = await change();
  await attempted(deliveries, 1);
  receiver.answer(({ event }, response) => void response.writeHead(event.new_state === next.state ? 204 : 500).end());
  await runOut(service, deliveries);
  await attempted(deliveries, 5);
  expect(receiver.received.at(-1)?.event).toMatchObject({ new_state: next.state, stress_score: next.stress_score });
});

test('a 410 disables the webhook: its failed and queued deliveries get reason disabled, and no delivery is sent', async () => {
  const service = await startDelivering();
  const beat = await startHeartbeat(service);
  const { receiver, webhook, deliveries } = await startFailing(service);
  const [one, two] = [await startStory(service, 'one'), await startStory(service, 'two')];
  for (const { change } of [one, one, one, two, two]) await change();
  await attempted(deliveries, 2);
  receiver.answer(410);
  service.clock.advance(1);
  await receiver.until(3);
  await attempted(deliveries, 3);
  // This change follows the 410 response in the same millisecond. The order does not depend on the clock.
  await one.change();
  await beat();
  const told = receiver.received.length;
  expect((await webhookOf(service, webhook.id)).status).toBe('disabled');
  const { deliveries: listed } = await failedDeliveries(service);
  expect(listed.map(({ reason }) => reason)).toEqual(Array(5).fill('disabled'));

  service.clock.advance(1);
  await one.change();
  await two.change();
  service.clock.advance(3600);
  await beat();
  expect(receiver.received).toHaveLength(told);
  expect((await failedDeliveries(service)).deliveries).toHaveLength(5);
});

test.each([
  ['again', (url: string) => url],
  ['in another notation', (url: string) => url.replace('127.0.0.1', '0x7f.1').replace('http', 'HTTP')],
])('registering a disabled webhook %s enables it with the same id and secret', async (_name, write) => {
  const service = await startDelivering();
  const { receiver, webhook, deliveries } = await startFailing(service, 410);
  const { change } = await startStory(service);
  await change();
  await attempted(deliveries, 1);
  receiver.answer(204);
  service.clock.advance(1);
  const again = await service.post('/webhooks/register', { url: write(receiver.url), events: ['state_change'] });
  const { secret: _, ...shown } = webhook;
  expect(again).toMatchObject({ status: 200, body: shown });
  const later = await change();
  await attempted(deliveries, 2);
  expect(receiver.received[1]?.event).toMatchObject({ new_state: later.state });
});

test('a failed delivery of a disabled webhook can be retried manually, and the webhook stays disabled', async () => {
  const service = await startDelivering();
  const { receiver, webhook, deliveries } = await startFailing(service, 410);
  await (await startStory(service)).change();
  await attempted(deliveries, 1);
  receiver.answer(204);
  const answer = await service.post('/webhooks/retries', { webhook_id: webhook.id });
  expect(answer.body.count).toBe(1);
  await receiver.until(2);
  await attempted(deliveries, 1);
  expect((await failedDeliveries(service)).deliveries).toEqual([]);
  expect((await webhookOf(service, webhook.id)).status).toBe('disabled');
});

test('the failed and queued deliveries of a removed webhook are deleted', async ({ delivering: service }) => {
  const beat = await startHeartbeat(service);
  const { receiver, webhook, deliveries } = await startFailing(service);
  const [failing, waiting] = [await startStory(service, 'failing'), await startStory(service, 'waiting')];
  await failing.change();
  await attempted(deliveries, 1);
  await runOut(service, deliveries);
  for (let index = 0; index < 3; index += 1) await waiting.change();
  await attempted(deliveries, 5);
  expect((await failedDeliveries(service)).deliveries).toHaveLength(1);
  expect((await service.request(`/webhooks/${webhook.id}`, { method: 'DELETE' })).status).toBe(204);
  service.clock.advance(3600);
  await waiting.change();
  await beat();
  expect(receiver.received).toHaveLength(5);
  expect((await failedDeliveries(service)).deliveries).toEqual([]);
  expect(await deliveries()).toEqual([]);
});

test('only webhooks that watch the session get its events, and only events after their registration', async () => {
  const service = await startDelivering();
  const beat = await startHeartbeat(service);
  const [all, mine, others] = [await startReceiver(), await startReceiver(), await startReceiver()];
  const { change } = await startStory(service, 'mine');
  await change();
  await beat();
  service.clock.advance(1);
  for (const [receiver, watched] of [
    [all, {}],
    [mine, { session_id: 'mine' }],
    [others, { session_id: 'MINE' }],
  ] as const)
    await register(service, receiver.url, watched);
  const told = await change();
  await Promise.all([all.until(1), mine.until(1)]);
  await beat();
  for (const { received } of [all, mine]) expect(received.map(({ event }) => event.new_state)).toEqual([told.state]);
  expect(others.received).toEqual([]);
  expect(all.received[0]?.id).not.toBe(mine.received[0]?.id);
});

test('a resent reading creates no second event', async ({ delivering: service }) => {
  const beat = await startHeartbeat(service);
  const receiver = await startReceiver();
  await register(service, receiver.url);
  await service.read({ heart_rate: 60, tone: 'calm', timestamp: service.clock.at(-1) });
  const body = { heart_rate: 130, tone: 'hostile', timestamp: service.clock.at() } as const;
  await Promise.all([service.read(body), service.read(body)]);
  await service.read(body);
  await receiver.until(1);
  await beat();
  expect(receiver.received).toHaveLength(1);
});
