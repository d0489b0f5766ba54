import { expandEvents } from '../../src/webhooks/expand.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { batchResults } from '../../testkit/batch.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { deliveriesOf, register, storeFailed } from '../../testkit/webhooks.js';
import { openKnex } from '../../testkit/temporary-database.js';

const daySeconds = 24 * 60 * 60;
/** Seconds after which an expired session is purged: up to 70 minutes after the expiry, and some minutes for rounding. */
const purgedAfterSeconds = 75 * 60;
const url = 'https://8.8.8.8/';
const hostile = { heart_rate: 130, tone: 'hostile' } as const;

/** Sends the readings of a session with one state transition, from calm to acute stress. */
async function changeState(service: TestService, session_id: string, subject_id?: string): Promise<void> {
  for (const signals of [{ heart_rate: 60, tone: 'calm' } as const, hostile]) {
    await service.read({ session_id, ...(subject_id !== undefined && { subject_id }), ...signals });
    service.clock.advance(1);
  }
}

const stored = ({ database }: TestService, table: string, column = 'session_id'): Promise<string[]> =>
  openKnex(database.url)(table).pluck(column).orderBy(column);

const deliver = (service: TestService) => expandEvents(service.store, service.clock.now);

async function expireSessions(service: TestService): Promise<void> {
  service.clock.advance(daySeconds + purgedAfterSeconds);
  await purgeExpired(service.store, service.clock.nowMs);
  expect(await stored(service, 'sessions')).toEqual([]);
}

const erase = (service: TestService, subject: string) =>
  service.request(`/v1/subjects/${subject}`, { method: 'DELETE' });

test("an erasure also deletes events and deliveries of the subject's expired sessions, but not those of other sessions", async () => {
  const service = await startTestService({});
  await register(service, url);
  for (const subject of ['anna', 'bert']) await changeState(service, `${subject}-delivered`, subject);
  await deliver(service);
  for (const subject of ['anna', 'bert']) await changeState(service, `${subject}-waiting`, subject);
  await expireSessions(service);
  expect(await stored(service, 'outbox')).toEqual(['anna-waiting', 'bert-waiting']);
  expect(await stored(service, 'deliveries')).toEqual(['anna-delivered', 'bert-delivered']);
  expect((await erase(service, 'anna')).body).toMatchObject({ sessions_removed: 0 });
  expect(await stored(service, 'outbox')).toEqual(['bert-waiting']);
  expect(await stored(service, 'deliveries')).toEqual(['bert-delivered']);
});

test('an erasure deletes events and deliveries from before the session named its subject', async () => {
  const service = await startTestService({});
  await register(service, url);
  await changeState(service, 'delivered');
  await deliver(service);
  await changeState(service, 'waiting');
  for (const session_id of ['delivered', 'waiting'])
    await service.read({ session_id, subject_id: 'anna', heart_rate: 130, tone: 'hostile' });
  await expireSessions(service);
  expect(await stored(service, 'deliveries')).toEqual(['delivered']);
  await erase(service, 'anna');
  expect(await stored(service, 'outbox')).toEqual([]);
  expect(await stored(service, 'deliveries')).toEqual([]);
});

test('an erasure deletes a delivery of an event whose batch names the subject of the session in a later line', async () => {
  const service = await startTestService({});
  await register(service, url);
  const signals = [{ heart_rate: 60, tone: 'calm' }, hostile, { ...hostile, subject_id: 'anna' }];
  const lines = signals.map((it, index) => ({ session_id: 's1', timestamp: service.clock.at(index - 3), ...it }));
  await batchResults(service, lines);
  await deliver(service);
  await expireSessions(service);
  expect(await stored(service, 'deliveries')).toEqual(['s1']);
  await erase(service, 'anna');
  expect(await stored(service, 'deliveries')).toEqual([]);
});

test.each([
  ['before the session names its subject', 'before'],
  ['after the session names its subject', 'after'],
] as const)('an erasure removes a webhook that was registered for a session %s', async (_, when) => {
  const service = await startTestService({});
  await register(service, 'https://8.8.4.4/');
  await register(service, url, { session_id: 'of-bert' });
  if (when === 'before') await register(service, url, { session_id: 'of-anna' });
  await service.read({ session_id: 'of-anna', heart_rate: 60, tone: 'calm' });
  await service.read({ session_id: 'of-bert', subject_id: 'bert', heart_rate: 60 });
  await service.read({ session_id: 'of-anna', subject_id: 'anna', heart_rate: 61, tone: 'calm' });
  if (when === 'after') await register(service, url, { session_id: 'of-anna' });
  await changeState(service, 'of-anna');
  await deliver(service);
  await expireSessions(service);
  await erase(service, 'anna');
  const { webhooks } = (await service.request('/webhooks')).body;
  expect(webhooks.map((it: { session_id?: string }) => it.session_id ?? 'every session').sort()).toEqual([
    'every session',
    'of-bert',
  ]);
  expect(await stored(service, 'deliveries')).toEqual([]);
});

test('an erasure removes the webhook of the person with its deliveries, and keeps those of others', async () => {
  const service = await startTestService({});
  const { id } = await register(service, url, { subject_id: 'anna' });
  await register(service, url, { subject_id: 'bert' });
  for (const subject of ['anna', 'bert']) await changeState(service, `of-${subject}`, subject);
  await deliver(service);
  await service.request(`/webhooks/${id}/test`, { method: 'POST' });
  expect(await stored(service, 'deliveries')).toEqual(['of-anna', 'of-bert', 'webhook-test']);
  await erase(service, 'anna');
  expect(await stored(service, 'webhooks', 'subject_id')).toEqual(['bert']);
  expect(await stored(service, 'deliveries')).toEqual(['of-bert']);
});

test('an erasure removes the webhook of a person of whom nothing else is stored', async ({ ownService: service }) => {
  await register(service, url, { subject_id: 'anna' });
  expect(await erase(service, 'anna')).toMatchObject({ status: 200, body: { deleted: true, sessions_removed: 0 } });
  expect(await stored(service, 'webhooks', 'subject_id')).toEqual([]);
  expect((await erase(service, 'anna')).status).toBe(404);
});

test('an erasure keeps the deliveries of another subject whose expired session had the same name', async () => {
  const service = await startTestService({});
  await register(service, url);
  await changeState(service, 's1', 'bert');
  await deliver(service);
  await expireSessions(service);
  await changeState(service, 's1', 'anna');
  await deliver(service);
  expect(await stored(service, 'deliveries', 'subject_id')).toEqual(['anna', 'bert']);
  await erase(service, 'anna');
  expect(await stored(service, 'deliveries', 'subject_id')).toEqual(['bert']);
});

test.each([
  ['waits for its retry', {}],
  ['is in flight', { owner: 'another worker' }],
  ['is an ordered retry', { seq: -1 }],
])(
  'after an erasure, the events of another person in the same session id are sent: the erased one %s',
  async (_, rest) => {
    const service = await startTestService({});
    const { id: webhookId } = await register(service, url);
    const waiting = { webhookId, reason: null, settledAtMs: null } as const;
    await storeFailed(service, [
      { ...waiting, subjectId: 'anna', seq: 1, status: 'due', ...rest },
      { ...waiting, subjectId: 'bert', seq: 2, status: 'queued' },
      { ...waiting, subjectId: 'bert', seq: 3, status: 'queued' },
      { ...waiting, sessionId: 's2', subjectId: 'bert', seq: 1, status: 'due', owner: 'another worker' },
      { ...waiting, sessionId: 's2', subjectId: 'anna', seq: 2, status: 'queued' },
      { ...waiting, sessionId: 's2', subjectId: 'bert', seq: 3, status: 'queued' },
    ]);
    await erase(service, 'anna');
    const left = (await deliveriesOf(service, webhookId)()).map(({ sessionId, seq, status }) => [
      sessionId,
      seq,
      status,
    ]);
    expect(left.sort()).toEqual([
      ['s1', 2, 'due'],
      ['s1', 3, 'queued'],
      ['s2', 1, 'due'],
      ['s2', 3, 'queued'],
    ]);
  },
);

test('readings of other subjects are stored while an erasure deletes thousands of deliveries', async () => {
  const service = await startTestService({});
  const { id: webhookId } = await register(service, url);
  const ofAnna = { webhookId, sessionId: 'of-anna', subjectId: 'anna' };
  await storeFailed(service, [...Array.from({ length: 6_000 }, () => ofAnna), { webhookId, sessionId: 'of-bert' }]);
  let isErased = false;
  const erasing = erase(service, 'anna').then(({ status }) => {
    isErased = true;
    return status;
  });
  let between = 0;
  while (!isErased) {
    service.clock.advance(1);
    await service.read({ session_id: 'of-bert', heart_rate: 60 });
    between += isErased ? 0 : 1;
  }
  expect(await erasing).toBe(200);
  expect(between).toBeGreaterThan(3);
  expect(await stored(service, 'deliveries')).toEqual(['of-bert']);
});
