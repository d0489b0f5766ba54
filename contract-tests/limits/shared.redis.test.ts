import { expect, onTestFinished, test } from 'vitest';
import { startMain } from '../../testkit/process.js';
import { type PrivateRedis, startPrivateRedis } from '../../testkit/redis.js';
import type { TestService } from '../../testkit/service.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';
import { startTwoServices } from '../../testkit/two-services.js';

const unavailable = 'Redis unavailable';
const available = 'Redis available again';

/** Starts two services on one database and one Redis, with one key. */
async function startTwo(env: Record<string, string>) {
  const redis = await startPrivateRedis();
  onTestFinished(redis.stop);
  const { one, two, calls } = await startTwoServices({ REDIS_URL: redis.url, ...env });
  return { redis, one, two, ours: calls };
}

type Ours = ReadonlyArray<Pick<TestService, 'request' | 'ingest'>>;

/** Sends `count` requests for a session to each service. Resolves with the number of admitted requests per service. */
async function passedBy(ours: Ours, session: string, count: number): Promise<number[]> {
  const ask = async ({ request }: Ours[number]) => {
    const answers = Array.from({ length: count }, () => request(`/v1/state?session_id=${session}`));
    return (await Promise.all(answers)).filter(({ status }) => status !== 429).length;
  };
  return Promise.all(ours.map(ask));
}

const sum = (counts: readonly number[]) => counts.reduce((total, it) => total + it, 0);

/**
 * Returns log lines about the limit of requests per session. Excludes lines about the limit of new sessions, which has
 * a separate connection.
 */
const logged = ({ logs }: TestService, message: string) =>
  logs.filter((line) => line.includes(message) && line.includes('"limit":"session"')).length;

test('two services that share Redis admit 120 requests per session and 50 new sessions in total', async () => {
  const { ours, one } = await startTwo({ LIMIT_SESSION_REQUESTS_PER_MINUTE: '', LIMIT_NEW_SESSIONS_PER_MINUTE: '' });
  const passed = await passedBy(ours, 's1', 100);
  expect(sum(passed)).toBe(120);
  const begun = await Promise.all(
    Array.from({ length: 70 }, (_, index) => ours[index % 2]?.ingest({ session_id: `n${index}`, heart_rate: 70 })),
  );
  expect(begun.filter((it) => it?.status === 200)).toHaveLength(50);
  expect(logged(one, unavailable)).toBe(0);
});

test('Redis stores neither ids nor keys, and each entry expires within a minute', async () => {
  const { ours, redis, one } = await startTwo({});
  await ours[0].ingest({ session_id: 'session-of-anna', subject_id: 'anna', heart_rate: 70 });
  const inside = redis.connect();
  onTestFinished(() => inside.disconnect());
  const names = await inside.keys('*');
  expect(names).toHaveLength(2);
  for (const name of names) {
    expect(name).toMatch(/^state-service:(session|new-sessions):[\w-]{22}$/);
    expect(await inside.get(name)).toBe('1');
    expect(await inside.ttl(name)).toBeGreaterThan(0);
    expect(await inside.ttl(name)).toBeLessThanOrEqual(60);
  }
  expect(names.join()).not.toContain(one.key);
});

/** Kinds of Redis outages: a name, a function that starts the outage and a function that ends it. */
const outages: ReadonlyArray<[string, (redis: PrivateRedis) => unknown, (redis: PrivateRedis) => unknown]> = [
  ['stops', (redis) => redis.stop(), (redis) => redis.start()],
  ['stops responding', (redis) => redis.freeze(), (redis) => redis.thaw()],
];

test.each(outages)(
  'when Redis %s, every request gets a response and no service admits more than its quota',
  async (...it) => {
    const [, takeAway, bringBack] = it;
    const { ours, redis, one, two } = await startTwo({ LIMIT_SESSION_REQUESTS_PER_MINUTE: '20' });
    const before = await passedBy(ours, 's1', 5);
    expect(before).toEqual([5, 5]);
    await takeAway(redis);
    const during = await passedBy(ours, 's1', 25);
    for (const [index, passed] of during.entries()) {
      expect(passed).toBeGreaterThan(0);
      expect((before[index] ?? 0) + passed).toBeLessThanOrEqual(20);
    }
    // Redis contains no count for this session, so each service counts separately.
    expect(await passedBy(ours, 's2', 25)).toEqual([20, 20]);
    await bringBack(redis);
    await expect.poll(() => [one, two].map((it) => logged(it, available))).toEqual([1, 1]);
    expect(sum(await passedBy(ours, 's3', 15))).toBe(20);
    expect([one, two].map((it) => logged(it, unavailable))).toEqual([1, 1]);
  },
);

test.each([
  ['nothing listens', async () => 'redis://127.0.0.1:1'],
  [
    'the password is wrong',
    async () => {
      const redis = await startPrivateRedis(['--requirepass', 'right']);
      onTestFinished(redis.stop);
      return redis.url.replace('redis://', 'redis://:wrong@');
    },
  ],
])('when %s, the service starts with a warning and counts separately', async (_, urlOf) => {
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url, REDIS_URL: await urlOf(), LIMIT_SESSION_REQUESTS_PER_MINUTE: '5' };
  const service = await startMain(env);
  await expect.poll(service.stdout).toMatch(/sk_\w{32}/);
  const key = /sk_\w{32}/.exec(service.stdout())?.[0] ?? '';
  const ask = () => fetch(`${service.url}/v1/state?session_id=s1`, { headers: { 'X-Service-Key': key } });
  const statuses = [];
  for (let index = 0; index < 7; index++) statuses.push((await ask()).status);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429]);
  const { code, stderr } = await service.stop('SIGTERM');
  expect(code).toBe(0);
  expect(stderr).toContain('REDIS_URL: Redis does not respond');
  for (const limit of ['session', 'new-sessions'])
    expect(
      stderr.split('\n').filter((it) => it.includes(unavailable) && it.includes(`"limit":"${limit}"`)),
    ).toHaveLength(1);
  expect(stderr).not.toContain('wrong@');
});
