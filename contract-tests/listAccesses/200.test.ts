import type { Schema } from '../../src/contract/contract.js';
import { createAccessTable } from '../../src/store/accesses.js';
import { createKeyTable } from '../../src/store/keys.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { startTwoServices } from '../../testkit/two-services.js';
import { until } from '../../testkit/until.js';

type Access = Schema<'Access'>;

const list = async ({ request }: Pick<TestService, 'request'>, id = 'anna'): Promise<Access[]> =>
  (await request(`/v1/subjects/${id}/accesses`)).body.accesses ?? [];

/** Returns the accesses without the lists that a test has read, once the record has `count` of them. */
async function recorded(service: Pick<TestService, 'request'>, count: number, id = 'anna'): Promise<Access[]> {
  let found: Access[] = [];
  await until(`${count} accesses`, async () => {
    found = (await list(service, id)).filter(({ operation }) => operation !== 'listAccesses');
    return found.length >= count;
  });
  return found;
}

const operationsOf = (accesses: readonly Access[]) =>
  accesses.map(({ operation, action, scope }) => `${operation} ${action} ${scope}`).sort();

test('reads of a person, of their sessions and of the whole account are listed with key and minute', async () => {
  const service = await startTestService({});
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  await service.read({ session_id: 'other', subject_id: 'bert', heart_rate: 80 });
  const minute = new Date(Math.floor(service.clock.nowMs / 60_000) * 60_000).toISOString();
  for (const path of ['state?session_id=talk', 'state?session_id=other', 'subjects/anna', 'triggers?subject_id=anna'])
    await service.request(`/v1/${path}`);
  for (const path of ['sessions', 'sessions?subject_id=anna', 'export?session_id=talk', 'export'])
    await service.request(`/v1/${path}`);
  const found = await recorded(service, 7);
  expect(operationsOf(found)).toEqual([
    'exportReadings export account',
    'exportReadings export subject',
    'getState read subject',
    'getSubject read subject',
    'getTriggers read subject',
    'listSessions read account',
    'listSessions read subject',
  ]);
  const keyId = (await service.store.use(createKeyTable).list()).find(
    ({ accountId }) => accountId === service.accountId,
  )?.keyId;
  for (const access of found) expect(access).toMatchObject({ minute, key_id: keyId, credential: 'key' });
});

test('requests that send data, and requests without data, are not listed', async ({ ownService: service }) => {
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  await service.request('/v1/state?session_id=unknown');
  await service.request('/v1/subjects/nobody');
  await service.request('/v1/subjects/anna');
  expect(operationsOf(await recorded(service, 1))).toEqual(['getSubject read subject']);
});

test('equal requests of a minute are one entry, and the next minute has its own', async ({ ownService: service }) => {
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  for (let count = 0; count < 5; count += 1) await service.request('/v1/state?session_id=talk');
  expect(await recorded(service, 1)).toHaveLength(1);
  service.clock.advance(60);
  for (let count = 0; count < 5; count += 1) await service.request('/v1/state?session_id=talk');
  expect(await recorded(service, 2)).toHaveLength(2);
});

test('an access by a token names the key that issued it', async ({ ownService: service }) => {
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  const { body } = await service.post('/v1/tokens', { session_id: 'talk', scopes: ['read'] });
  const headers = { Authorization: `Bearer ${body.token}` };
  expect((await fetch(`${service.url}/v1/state?session_id=talk`, { headers })).status).toBe(200);
  expect((await fetch(`${service.url}/v1/export`, { headers })).status).toBe(200);
  const found = await recorded(service, 2);
  expect(operationsOf(found)).toEqual(['exportReadings export subject', 'getState read subject']);
  for (const { credential } of found) expect(credential).toBe('token');
});

test('a stream is listed for the minutes in which it sent events', async ({ ownService: service }) => {
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  const closing = new AbortController();
  const headers = { 'X-Service-Key': service.key };
  const { body } = await fetch(`${service.url}/v1/stream?session_id=talk`, { headers, signal: closing.signal });
  const reader = body?.getReader();
  await reader?.read();
  expect(operationsOf(await list(service))).not.toContain('streamEvents read subject');
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 90 });
  await reader?.read();
  expect(operationsOf(await recorded(service, 1))).toEqual(['streamEvents read subject']);
  closing.abort();
});

test('the pages contain every access once, of all processes, newest first', async () => {
  const { one, clock, calls } = await startTwoServices();
  await one.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  const minutes = 60;
  for (let minute = 0; minute < minutes; minute += 1) {
    clock.advance(60);
    await Promise.all(calls.map(({ request }) => request('/v1/subjects/anna')));
    await calls[0].request('/v1/sessions');
  }
  let pages: Access[][] = [];
  const readAll = async () => {
    pages = [];
    for (let cursor = ''; ;) {
      const { body } = await one.request(`/v1/subjects/anna/accesses${cursor}`);
      pages.push(body.accesses.filter(({ operation }: Access) => operation !== 'listAccesses'));
      if (body.next_cursor === null) return pages.flat();
      cursor = `?cursor=${body.next_cursor}`;
    }
  };
  await until('all accesses', async () => (await readAll()).length >= 3 * minutes);
  const all = pages.flat();
  expect(all).toHaveLength(3 * minutes);
  expect(pages.length).toBeGreaterThan(1);
  expect(all.map((it) => it.minute)).toEqual(
    all
      .map((it) => it.minute)
      .sort()
      .reverse(),
  );
});

test('an erasure deletes the link between the person and the entries, and another account sees none of them', async () => {
  const service = await startTestService({});
  const stranger = await startTestService({ database: service.database, clock: service.clock });
  for (const { read } of [service, stranger]) await read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  await service.request('/v1/subjects/anna');
  await recorded(service, 1);
  expect(operationsOf(await list(stranger))).toEqual([]);
  const pseudonym = await service.store.use(createAccessTable).findPseudonym(service.accountId, 'anna');
  // Read directly before the erasure, so that the entry is stored after it.
  await service.request('/v1/triggers?subject_id=anna');
  expect((await service.request('/v1/subjects/anna', { method: 'DELETE' })).status).toBe(200);
  await until('the erasure in the record', async () =>
    (await service.store.use(createAccessTable).newest(10)).some(({ action }) => action === 'erase'),
  );
  expect(await service.store.use(createAccessTable).findPseudonym(service.accountId, 'anna')).toBeUndefined();
  expect((await service.request('/v1/subjects/anna/accesses')).status).toBe(404);
  const entries = await service.store.use(createAccessTable).newest(20, service.accountId);
  expect(entries.find(({ operation }) => operation === 'getSubject')?.subject).toBe(pseudonym);
  expect(entries.find(({ action }) => action === 'erase')?.subject).toBe('!');
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  expect(operationsOf(await list(service))).toEqual([]);
});

test('with RETENTION_ACCESS_DAYS=0, no access is recorded', async ({ database }) => {
  const service = await startTestService({ database, env: { RETENTION_ACCESS_DAYS: '0' } });
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  await service.request('/v1/subjects/anna');
  // The end of a service stores the accesses that wait.
  await service.close();
  const { store } = await startTestService({ database });
  expect(await store.use(createAccessTable).newest(10)).toEqual([]);
});
