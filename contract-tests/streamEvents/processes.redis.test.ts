import { expect, onTestFinished, test, vi } from 'vitest';
import type { StateReading } from '../../src/contract/contract.js';
import { openStream } from '../../testkit/event-source.js';
import { startMain } from '../../testkit/process.js';
import { type PrivateRedis, startPrivateRedis } from '../../testkit/redis.js';
import { realTime, startTestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { startTwoServices } from '../../testkit/two-services.js';
import { until } from '../../testkit/until.js';

const channel = 'state-service:stream-events';
const outage = 'streams get readings of other processes from the query once per second';
const recovery = 'streams are notified of readings of other processes';

async function startRedis(): Promise<PrivateRedis> {
  const redis = await startPrivateRedis();
  onTestFinished(redis.stop);
  return redis;
}

/**
 * Starts two services on one database and one Redis. `other` sends requests to the second service with the key of
 * `one`.
 */
async function startTwo(redis: PrivateRedis) {
  const { one, clock, calls } = await startTwoServices({ REDIS_URL: redis.url });
  return { one, clock, other: calls[1] };
}

/** Returns a function that returns the number of subscribed connections. */
function subscribers(redis: PrivateRedis): () => Promise<number> {
  const connection = redis.connect().on('error', () => undefined);
  onTestFinished(() => connection.disconnect());
  return async () => Number((await connection.pubsub('NUMSUB', channel))[1]);
}

/** Prevents polls of streams that are opened later, so that only notifications wake them. */
function stopPolls(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('a notification wakes streams of a session and of the account for readings of another process', async () => {
  const redis = await startRedis();
  const { one, other, clock } = await startTwo(redis);
  const count = subscribers(redis);
  stopPolls();
  const ofSession = await openStream(one, { session_id: 's1' });
  const ofAccount = await openStream(one);
  await until('the process has subscribed', async () => (await count()) === 1);
  const readings: StateReading[] = [];
  for (let index = 0; index < 8; index += 1) {
    readings.push(await other.read({ session_id: `s${index % 2}`, heart_rate: 60 + index }));
    clock.advance(1);
    const received = await ofAccount.until(index + 1);
    expect(received.at(-1)?.data).toEqual(readings.at(-1));
  }
  expect((await ofSession.until(4)).map(({ data }) => data)).toEqual(readings.filter((_, index) => index % 2));
});

test('a notification wakes the stream of a person for readings of another process, of each session of the person', async () => {
  const redis = await startRedis();
  const { one, other } = await startTwo(redis);
  const count = subscribers(redis);
  stopPolls();
  const stream = await openStream(one, { subject_id: 'anna' });
  await until('the process has subscribed', async () => (await count()) === 1);
  for (const [index, session_id] of ['watch', 'chat', 'watch'].entries()) {
    await other.read({ session_id: 'stranger', subject_id: 'ben', heart_rate: 70 + index });
    const sent = await other.read({ session_id, subject_id: 'anna', heart_rate: 80 + index });
    expect((await stream.until(index + 1)).at(-1)?.data).toEqual({ ...sent, subject_id: 'anna' });
  }
  expect(stream.events().filter(({ data }) => data.session_id === 'stranger')).toEqual([]);
});

test('a process subscribes only while it has streams, and messages contain no session ids and keys', async () => {
  const redis = await startRedis();
  const { one, other } = await startTwo(redis);
  const count = subscribers(redis);
  const listener = redis.connect();
  onTestFinished(() => listener.disconnect());
  const messages: string[] = [];
  listener.on('message', (_, message) => messages.push(message));
  await listener.subscribe(channel);
  const stream = await openStream(one);
  await until('the process subscribes', async () => (await count()) === 2);
  await other.read({ session_id: 'session-of-anna', subject_id: 'anna', heart_rate: 70 });
  await stream.until(1);
  await until('the message arrives', async () => messages.length === 1);
  expect(messages[0]).toMatch(new RegExp(`^[\\w-]{36} ${one.accountId}$`));
  await stream.close();
  await until('the process unsubscribes', async () => (await count()) === 1);
});

/** Kinds of Redis outages: a name, a function that starts the outage and a function that ends it. */
const outages: ReadonlyArray<[string, (redis: PrivateRedis) => unknown, (redis: PrivateRedis) => unknown]> = [
  ['stops', (redis) => redis.stop(), (redis) => redis.start()],
  ['stops responding', (redis) => redis.freeze(), (redis) => redis.thaw()],
];

test.each(outages)(
  'when Redis %s, every reading is accepted and every event arrives, during and after the outage',
  async (...it) => {
    const [, takeAway, bringBack] = it;
    const redis = await startRedis();
    const { one, other, clock } = await startTwo(redis);
    const count = subscribers(redis);
    const stream = await openStream(one);
    const readings: StateReading[] = [];
    const send = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        readings.push(await other.read({ heart_rate: 60 + (index % 40) }));
        clock.advance(0.1);
      }
    };
    await send(5);
    await takeAway(redis);
    await send(12);
    expect((await stream.until(17)).map(({ data }) => data)).toEqual(readings);
    await bringBack(redis);
    await until('the process subscribes again', async () => (await count()) === 1);
    await send(5);
    expect((await stream.until(22)).map(({ data }) => data)).toEqual(readings);
    expect(stream.isEnded()).toBe(false);
  },
);

test('an outage of Redis is logged once when it starts and once when it ends', async () => {
  const redis = await startRedis();
  const { one } = await startTwo(redis);
  const logged = (message: string) => one.logs.filter((line) => line.includes(message)).length;
  await openStream(one);
  await redis.stop();
  await until('the outage is logged', async () => logged(outage) > 0);
  await redis.start();
  await until('the recovery is logged', async () => logged(recovery) > 0);
  expect([logged(outage), logged(recovery)]).toEqual([1, 1]);
});

test('a separate process gets the notifications of another one, and continues when Redis no longer permits the subscription', async () => {
  const redis = await startRedis();
  const database = await temporaryDatabase();
  const REDIS_URL = redis.url;
  const two = await startTestService({ database, clock: realTime(), env: { REDIS_URL } });
  const one = await startMain({ DATABASE_URL: database.url, REDIS_URL });
  const count = subscribers(redis);
  const stream = await openStream({ url: one.url, key: two.key });
  await until('the process has subscribed', async () => (await count()) === 1);
  const readings: StateReading[] = [];
  for (let index = 0; index < 10; index += 1) readings.push(await two.read({ heart_rate: 60 + index }));
  expect((await stream.until(10)).map(({ data }) => data)).toEqual(readings);
  const administrator = redis.connect();
  onTestFinished(() => administrator.disconnect());
  // Redis closes the connections of subscribers and rejects each new subscription.
  await administrator.acl('SETUSER', 'default', 'resetchannels');
  await until('the rejected subscription is logged', async () => one.stderr().includes('NOPERM'));
  readings.push(await two.read({ heart_rate: 90 }));
  expect((await stream.until(11)).map(({ data }) => data)).toEqual(readings);
  expect((await one.stop('SIGTERM')).code).toBe(0);
});
