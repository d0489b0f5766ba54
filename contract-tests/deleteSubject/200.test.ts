import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { eraseSubject, finishErasures } from '../../src/retention/erase.js';
import { createKeyTable } from '../../src/store/keys.js';
import type { Store } from '../../src/store/store.js';
import { createHourReader, createHourWriter } from '../../src/store/subject-hours.js';
import { interruptBefore } from '../../testkit/interrupt.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { erasing } from '../../testkit/stored.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { register, storeFailed } from '../../testkit/webhooks.js';
import { openKnex } from '../../testkit/temporary-database.js';

const turn = { user_message: 'my exam is tomorrow', ai_response: 'Good luck!' };
const tables = ['sessions', 'session_readings', 'subjects', 'triggers', 'erasures'];

function rowCounts({ database }: TestService): Promise<number[]> {
  const knex = openKnex(database.url);
  return Promise.all(tables.map(async (table) => (await knex(table).select()).length));
}

async function liveOnce(service: TestService, subject_id: string, sessions: number): Promise<void> {
  for (let session = 0; session < sessions; session++) {
    for (let reading = 0; reading < 3; reading++) {
      await service.read({ session_id: `${subject_id}-${session}`, subject_id, heart_rate: 95, ...turn });
      service.clock.advance(1);
    }
  }
}

test('an erasure deletes all data of a subject and no data of others', async ({ ownService: service }) => {
  await liveOnce(service, 'bert', 1);
  const before = await rowCounts(service);
  await liveOnce(service, 'anna', 3);
  const profile = await service.request('/v1/triggers?subject_id=anna');
  const topics = Object.keys(profile.body.triggers).length;
  expect(topics).toBeGreaterThan(0);
  const erased = await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect(erased).toMatchObject({
    status: 200,
    body: {
      subject_id: 'anna',
      deleted: true,
      ...{ sessions_removed: 3, triggers_removed: topics },
      ...{ sessions_deleted: 3, trigger_entries_deleted: topics },
    },
  });
  expect(await rowCounts(service)).toEqual(before);
  for (const path of ['state?session_id=anna-0', 'history?session_id=anna-0', 'triggers?subject_id=anna'])
    expect((await service.request(`/v1/${path}`)).status).toBe(404);
  expect((await service.request('/v1/subjects/anna', { method: 'DELETE' })).status).toBe(404);
  expect((await service.request('/v1/triggers?subject_id=bert')).status).toBe(200);
});

test('an erasure deletes the events and deliveries of the subject and no events and deliveries of others', async () => {
  const service = await startTestService({});
  const { id: webhookId } = await register(service, 'https://8.8.8.8/');
  const others = { status: 'due', reason: null, settledAtMs: null } as const;
  await storeFailed(service, [
    { webhookId, sessionId: 'anna-0' },
    { webhookId, sessionId: 'anna-0', ...others },
    { webhookId, sessionId: 'bert-0' },
  ]);
  for (const [subject_id, tone] of [
    ['anna', 'calm'],
    ['bert', 'calm'],
    ['anna', 'hostile'],
    ['bert', 'hostile'],
  ] as const) {
    service.clock.advance(1);
    const heart_rate = tone === 'calm' ? 60 : 130;
    await service.read({ session_id: `${subject_id}-0`, subject_id, heart_rate, tone });
  }
  const knex = openKnex(service.database.url);
  const sessionsIn = (table: string) => knex(table).pluck('session_id').orderBy('session_id');
  expect(await sessionsIn('outbox')).toEqual(['anna-0', 'bert-0']);
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect(await sessionsIn('outbox')).toEqual(['bert-0']);
  expect(await sessionsIn('deliveries')).toEqual(['bert-0']);
});

test('after an erasure, the same subject and session names start with no data', async ({ ownService: service }) => {
  await liveOnce(service, 'anna', 1);
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  const fresh = await service.read({ session_id: 'anna-0', subject_id: 'anna', heart_rate: 95 });
  expect(fresh).toMatchObject({ active_triggers: [], resolved_triggers: [] });
  expect(fresh).not.toHaveProperty('adaptation_effectiveness');
  expect((await service.request('/v1/history?session_id=anna-0')).body.datapoints).toHaveLength(1);
});

/** Returns the store of a process that stops directly after it has written the tombstones. */
function stopAfterTombstones(store: Store): Store {
  let isStopped = false;
  return {
    ...store,
    async transact(work) {
      const result = await store.transact(work);
      isStopped = typeof result === 'object';
      return result;
    },
    run: async <T>(work: (knex: Knex) => Promise<T>) => (isStopped ? (true as T) : store.run(work)),
  };
}

test('data left by an interrupted erasure is not readable and is deleted later', async ({ ownService: service }) => {
  await liveOnce(service, 'anna', 2);
  const half = stopAfterTombstones(service.store);
  const accountId = (await service.store.use(createKeyTable).list()).at(-1)?.accountId ?? '';
  expect(await eraseSubject(erasing(service, half), accountId, 'anna')).toMatchObject({ sessions: 2 });
  expect((await service.request('/v1/history?session_id=anna-0')).status).toBe(404);
  await service.read({ session_id: 'anna-0', subject_id: 'anna', heart_rate: 95 });
  expect((await service.request('/v1/history?session_id=anna-0')).body.datapoints).toHaveLength(1);
  expect(await rowCounts(service)).toEqual([1, 7, 1, 0, 2]);
  await finishErasures(service.store);
  expect(await rowCounts(service)).toEqual([1, 1, 1, 0, 0]);
  expect((await service.request('/v1/history?session_id=anna-0')).body.datapoints).toHaveLength(1);
});

test('an erasure after an unfinished one counts only the sessions and topics since then', async () => {
  const service = await startTestService({});
  await liveOnce(service, 'anna', 2);
  const half = stopAfterTombstones(service.store);
  const accountId = (await service.store.use(createKeyTable).list()).at(-1)?.accountId ?? '';
  await eraseSubject(erasing(service, half), accountId, 'anna');
  await service.read({ session_id: 'anna-0', subject_id: 'anna', heart_rate: 95 });
  const erased = await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect(erased.body).toMatchObject({ sessions_deleted: 1, trigger_entries_deleted: 0 });
});

test('readings that arrive during repeated erasures are accepted', async ({ ownService: service }) => {
  const statuses = new Set<number>();
  for (let round = 0; round < 10; round++) {
    const readings = Array.from({ length: 10 }, (_, index) =>
      service.ingest({
        session_id: `s${index % 4}`,
        subject_id: 'anna',
        heart_rate: 80 + index,
        // Later than the erasures, so that the turns are accepted.
        timestamp: service.clock.at((round % 10) + (index + 1) / 100),
        ...turn,
      }),
    );
    const erasure = service.request('/v1/subjects/anna', { method: 'DELETE' });
    for (const { status } of await Promise.all(readings)) expect(status).toBe(200);
    statuses.add((await erasure).status);
  }
  for (const status of statuses) expect([200, 404]).toContain(status);
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect(await rowCounts(service)).toEqual([0, 0, 0, 0, 0]);
});

test.each([
  ['a turn of a later time starts a new session', 200],
  ['a turn of an earlier time is rejected', 409],
  ['a reading with an earlier token is rejected', 401],
])('what arrives during an erasure waits for its end: %s', async (_, status) => {
  const service = await startTestService({});
  const named = { session_id: 'anna-0', subject_id: 'anna' };
  const token = bearer(await issueToken(service, named));
  const timestamp = service.clock.at(status === 200 ? 1 : 0);
  const body = { ...named, timestamp, heart_rate: 95, ...(status !== 401 && turn) };
  let late: ReturnType<TestService['request']> | undefined;
  const interrupted = interruptBefore(service.store, 'sessions', async () => {
    late ??= service.post('/v1/ingest', body, status === 401 ? token : {});
    // Long enough for the reading to be stored if it did not wait for the lock.
    await Promise.race([late, sleep(300)]);
  });
  expect(await eraseSubject(erasing(service, interrupted), service.accountId, 'anna')).toBeUndefined();
  expect((await late)?.status).toBe(status);
  expect(await rowCounts(service)).toEqual(status === 200 ? [1, 1, 1, 1, 0] : [0, 0, 0, 0, 0]);
});

test('an erasure also deletes an hour that the purge stores after the first step', async ({ ownService: service }) => {
  const { store, accountId, clock } = service;
  await service.read({ subject_id: 'anna', heart_rate: 95 });
  const stateMs = { calm: 1000, relaxed: 0, focused: 0, stressed: 0, acute_stress: 0 };
  const hour = { startMs: clock.nowMs, stateMs, scores: undefined, heartRates: undefined, topics: [] };
  let isStored: boolean | undefined;
  const run: typeof store.run = async (work) => {
    const result = await store.run(work);
    isStored ??= await store.transact((scopeOf) => createHourWriter(scopeOf(accountId)).add('anna', [hour], []));
    return result;
  };
  // The first step ends with the batch that finds nothing, which is the first one here.
  await eraseSubject(erasing(service, { ...store, run }), accountId, 'anna');
  expect(isStored).toBe(true);
  expect(await createHourReader(store.read(accountId)).stored('anna', hour.startMs, hour.startMs + 1)).toEqual([]);
});

test('a subject whose name requires encoding in a path is found', async ({ service }) => {
  const subject_id = 'a/b?c#d%20e:f';
  await service.read({ subject_id, heart_rate: 95 });
  const erased = await service.request(`/v1/subjects/${encodeURIComponent(subject_id)}`, { method: 'DELETE' });
  const { receipt: _, ...counts } = erased.body;
  expect(counts).toEqual({
    subject_id,
    deleted: true,
    ...{ sessions_removed: 1, triggers_removed: 0 },
    ...{ sessions_deleted: 1, trigger_entries_deleted: 0 },
  });
});
