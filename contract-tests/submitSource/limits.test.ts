import { createUsageTable } from '../../src/store/usage.js';
import { createLog } from '../../src/observe/log.js';
import { openStoredReadings } from '../../src/limits/window-limit.js';
import { createKeyTable } from '../../src/store/keys.js';
import { sources as settings, tiers } from '../../generated/spec.js';
import { openSocket } from '../../testkit/open-socket.js';
import { connectPhone, metric } from '../../testkit/phone.js';
import { startPrivateRedis } from '../../testkit/redis.js';
import { startTestService } from '../../testkit/service.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const hourMs = 3_600_000;
const body = { heart_rate: 72 };

test('processes with one Redis together store 20,000 readings of a person per hour, and skip the others as rate', async () => {
  const redis = await startPrivateRedis();
  onTestFinished(redis.stop);
  const service = await startTestService({ env: { REDIS_URL: redis.url } });
  const phone = await connectPhone(service, 'generic');
  const other = await openStoredReadings({ redisUrl: redis.url, log: createLog('silent', { write() {} }) });
  onTestFinished(other.close);
  const { quota } = settings.stored_readings;
  expect(await other.count(quota - 3, phone.accountId, phone.subjectId)).toBe(3);
  const samples = Array.from({ length: 5 }, (_, index) => ({ time: service.clock.at(-index - 1), heart_rate: 70 }));
  expect((await phone.post(samples)).body).toMatchObject({ stored: 3, skipped: { rate: 2 } });
  expect(await other.count(0, phone.accountId, phone.subjectId)).toBe(0);
  expect((await phone.post(samples)).body).toMatchObject({ stored: 0, skipped: { rate: 5 } });
  const neighbor = await connectPhone(service, 'generic');
  expect((await neighbor.post(samples)).body).toMatchObject({ stored: 5, skipped: {} });
});

test('slow uploads take no place of a large body, and get a 503', async () => {
  const service = await startTestService({ uploadMs: 5_000 });
  const length = settings.large_bytes + 1;
  const slow = [];
  for (let account = 0; account < settings.large_in_progress_max; account += 1) {
    const { key } = await connectPhone(service, 'generic');
    const { socket, received } = openSocket(service.url);
    const head = ['POST /v1/sources/generic HTTP/1.1', 'Host: x', `X-Service-Key: ${key}`];
    socket.write([...head, 'Content-Type: application/json', `Content-Length: ${length}`, '', '['].join('\r\n'));
    slow.push(received);
  }
  const phone = await connectPhone(service, 'generic');
  expect((await phone.post(JSON.stringify(body).padEnd(length))).status).toBe(200);
  for (const received of slow) {
    await until('the response', () => received().includes('service_unavailable'));
    expect(received()).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: \d+/i);
  }
});

test('an upload may take longer than other requests, which get a 408', async () => {
  const service = await startTestService({ requestMs: 1_000 });
  const { key } = await connectPhone(service, 'generic');
  const open = (path: string, sent: string) => {
    const { socket, received } = openSocket(service.url);
    const head = [`POST ${path} HTTP/1.1`, 'Host: x', `X-Service-Key: ${sent}`, 'Content-Type: application/json'];
    socket.write([...head, 'Content-Length: 2', '', '['].join('\r\n'));
    return { socket, received };
  };
  const [upload, other] = [open('/v1/sources/generic', key), open('/v1/ingest', service.key)];
  await until('the 408', () => other.received().includes('request_timeout'));
  upload.socket.write(']');
  await until('the response', () => upload.received().includes('"stored":0'));
  expect(upload.received()).toMatch(/^HTTP\/1\.1 200 /);
});

test('a post above the calls of the month is a 429, and the post that reaches them is stored as a whole', async ({
  ownService: service,
}) => {
  const phone = await connectPhone(service, 'generic');
  await service.store.use(createKeyTable).transact((writer) => writer.setTier(phone.accountId, 'free'));
  await until('the tier', async () => (await phone.post(body)).headers.has('ratelimit-policy'));
  const month = service.clock.at().slice(0, 7);
  const calls = tiers.free.monthly_calls - 10;
  await service.store.use(createUsageTable).add([{ accountId: phone.accountId, month, calls }]);
  const samples = Array.from({ length: 20 }, (_, index) => ({ time: service.clock.at(-index - 1), heart_rate: 70 }));
  expect((await phone.post(samples)).body).toMatchObject({ stored: 20 });
  await until('the quota', async () => (await phone.post(body)).status === 429);
  expect((await phone.post(body)).body.violated_policies).toEqual(['month']);
});

test('a person who is erased during a large post has no reading of it afterwards', async () => {
  const service = await startTestService({ env: { RETENTION_READINGS_HOURS: '100' } });
  for (const days of [1, 2]) {
    const phone = await connectPhone(service, 'health_auto_export');
    const person = `subject_id=${phone.subjectId}`;
    const fromMs = Math.floor((service.clock.nowMs - 80 * hourMs) / 60_000) * 60_000;
    const samples = Array.from({ length: 4_000 }, (_, index) => [fromMs + index * 60_000, 60 + (index % 20)] as const);
    const post = phone.post({ data: { metrics: [metric('heart_rate', 'count/min', samples)] } });
    await until('a part is stored', async () => {
      const { body: list } = await phone.operator.request(`/v1/sessions?${person}`);
      return list.sessions.length >= days;
    });
    const erase = () => phone.operator.request(`/v1/subjects/${phone.subjectId}`, { method: 'DELETE' });
    expect((await erase()).status).toBe(200);
    expect((await post).body.skipped.erased).toBeGreaterThan(0);
    expect((await phone.operator.request(`/v1/export?${person}`)).status).toBe(404);
    expect((await erase()).status).toBe(404);
  }
});
