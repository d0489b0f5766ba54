import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../../generated/spec.js';
import { revokeKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { copyReading } from '../../testkit/copied-readings.js';
import { openPaused, type OpenSocket } from '../../testkit/open-socket.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { until } from '../../testkit/until.js';

/** Number of readings. Larger than the buffers of a connection. */
const count = 3_000;
const endOfResponse = /\r\n0\r\n\r\n$/;

let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
  await fill(shared);
});

/** Stores readings of the subject `erased`, then one reading of another subject. */
async function fill(service: TestService): Promise<void> {
  await service.read({ session_id: 'first', subject_id: 'erased', heart_rate: 70 });
  await copyReading(service, count);
  service.clock.advance(60);
  await service.read({ session_id: 'last', subject_id: 'kept', heart_rate: 71 });
}

/** Starts an export whose client does not read on. */
const open = ({ url, key }: Pick<TestService, 'url' | 'key'>, headers = { 'X-Service-Key': key } as object) =>
  openPaused(`${url}/v1/export`, { ...headers });

/** Reads the rest of an export. Returns its rows and whether it is complete. */
async function finish({ socket, received: text }: OpenSocket) {
  const isEnded = () => socket.closed || endOfResponse.test(text());
  socket.resume();
  await until('the export ends', async () => isEnded());
  const sessions = [...text().matchAll(/"reading":\{"session_id":"(\w+)"/g)].map(([, id]) => id ?? '');
  return { sessions, isComplete: endOfResponse.test(text()) };
}

/** Makes the service check the keys of exports that are in progress. */
function skipKeyCheckInterval(): void {
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
  onTestFinished(() => later.mockRestore());
}

/** Longer than the time after which a shutdown ends an export whose client does not read. */
function pauseProcess(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a slow client gets every row, also after its key was checked again', async () => {
  const slow = await open(shared);
  skipKeyCheckInterval();
  const { sessions, isComplete } = await finish(slow);
  expect([sessions.length, sessions.at(-1), isComplete]).toEqual([count + 1, 'last', true]);
});

test('a key has a limited number of exports, and a closed export no longer counts', async () => {
  const exports = await Promise.all(Array.from({ length: limits.exports.quota }, () => open(shared)));
  const { status, headers, body } = await shared.request('/v1/export');
  expect([status, body.violated_policies, headers.get('retry-after')]).toEqual([429, ['exports'], '5']);
  const { key } = await makeAccount(shared, 'other', 'solo');
  expect((await fetch(`${shared.url}/v1/export`, { headers: { 'X-Service-Key': key } })).status).toBe(200);
  for (const { socket } of exports) socket.destroy();
  await until('there is room', async () => (await shared.request('/v1/export?session_id=last')).status === 200);
});

test('other requests are answered while a client does not read', async () => {
  await open(shared);
  await shared.read({ session_id: 'meanwhile', heart_rate: 70 });
  const { body } = await shared.request('/v1/export?session_id=meanwhile');
  expect(body).toMatch(/^\{.+\}\n$/);
});

test('an export ends incompletely when its token expires or its key is revoked', async () => {
  const { store, clock, accountId } = shared;
  const { key, keyId, ...rest } = await makeAccount(shared, 'ending', 'solo');
  const mine = { ...shared, ...client(shared.url, key, clock), key, ...rest };
  expect(mine.accountId).not.toBe(accountId);
  await mine.read({ heart_rate: 70 });
  await copyReading(mine, count);
  const ofKey = await open(mine);
  const token = await issueToken(mine, { expires_in: 60 });
  const ofToken = await open(mine, bearer(token));
  await revokeKey(store.use(createKeyTable), keyId, clock.nowMs);
  skipKeyCheckInterval();
  for (const ending of [ofKey, ofToken]) expect((await finish(ending)).isComplete).toBe(false);
});

test('after an erasure, an export in progress contains no further row of the subject, and completes', async () => {
  const service = await startTestService({});
  await fill(service);
  const slow = await open(service);
  const { status } = await service.request('/v1/subjects/erased', { method: 'DELETE' });
  expect(status).toBe(200);
  const { sessions, isComplete } = await finish(slow);
  expect([sessions.at(-1), isComplete]).toEqual(['last', true]);
  // The buffers of the connection contain rows that were sent before the erasure.
  expect(sessions.length).toBeLessThan(count);
  const { body } = await service.request('/v1/export');
  expect(body).not.toContain('erased');
});

test('a shutdown waits for an export whose client reads, also after a pause of the process', async () => {
  const service = await startTestService({});
  await fill(service);
  const slow = await open(service);
  const closing = service.close();
  const isServing = () =>
    service.request('/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
  await until('the service shuts down', async () => !(await isServing()));
  pauseProcess(1_500);
  const { sessions, isComplete } = await finish(slow);
  expect([sessions.length, sessions.at(-1), isComplete]).toEqual([count + 1, 'last', true]);
  await closing;
});

test('a shutdown does not wait for a client that does not read', async () => {
  const service = await startTestService({});
  await fill(service);
  const slow = await open(service);
  await service.close();
  expect((await finish(slow)).isComplete).toBe(false);
});
