import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config/config.js';
import { batchRows, computePace, createPurgeProgress, purgeExpired } from '../../src/retention/purge.js';
import { batchResults } from '../../testkit/batch.js';
import { claimPurge } from '../../src/store/due-accounts.js';
import { toAccountKey } from '../../src/store/readings.js';
import { chunksOf, insertRows } from '../../src/store/rows.js';
import { setUp } from '../../testkit/consents.js';
import { Clock, startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { deliveriesOf, register, storeDue, storeFailed } from '../../testkit/webhooks.js';

const minute = 60;
const day = 24 * 60 * minute;
/** Stores no hours, so that readings are deleted at once. */
const withoutHours = readConfig({ RETENTION_SUMMARY_DAYS: '0' }).retention;

test('a reading of a person is deleted when its hour is stored, at most 70 minutes after 24 hours', async () => {
  const clock = new Clock();
  clock.nowMs = Date.parse('2026-03-10T12:55:00Z');
  const { read, request, store } = await startTestService({ clock });
  await read({ subject_id: 'p', heart_rate: 70 });
  clock.advance(day + 70 * minute - 1);
  expect(await purgeExpired(store, clock.nowMs)).toBe(0);
  expect((await request('/v1/state?session_id=s1')).status).toBe(200);
  clock.advance(1);
  expect(await purgeExpired(store, clock.nowMs)).toBe(2);
  expect((await request('/v1/export?subject_id=p')).body).toBe('');
  expect((await request('/v1/state?session_id=s1')).status).toBe(404);
});

test('readings and idle sessions are deleted after 24 hours, at most a minute late', async () => {
  const { read, request, store, clock } = await startTestService({});
  await read({ session_id: 'old', heart_rate: 70 });
  clock.advance(day - 1);
  await purgeExpired(store, clock.nowMs, withoutHours);
  expect((await request('/v1/state?session_id=old')).status).toBe(200);
  await read({ session_id: 'young', heart_rate: 70 });
  clock.advance(1 + minute);
  expect(await purgeExpired(store, clock.nowMs, withoutHours)).toBe(2);
  expect((await request('/v1/state?session_id=old')).status).toBe(404);
  expect((await request('/v1/state?session_id=young')).status).toBe(200);
});

test('an active session stays, and only its old readings are deleted', async () => {
  const { read, store, clock } = await startTestService({});
  await read({ heart_rate: 70 });
  clock.advance(day - 1);
  await read({ heart_rate: 71 });
  clock.advance(2);
  expect(await purgeExpired(store, clock.nowMs, withoutHours)).toBe(1);
  const again = await read({ heart_rate: 72 });
  expect(again.adaptation_effectiveness).toBeDefined();
});

test('a deployment sets how long readings and idle sessions are stored', async () => {
  const { retention } = readConfig({
    ...{ RETENTION_READINGS_HOURS: '48', RETENTION_IDLE_SESSIONS_HOURS: '72', RETENTION_SUMMARY_DAYS: '0' },
  });
  const { read, request, store, clock } = await startTestService({});
  await read({ heart_rate: 70 });
  const rowsAfter = async (seconds: number) => {
    clock.advance(seconds);
    await purgeExpired(store, clock.nowMs, retention);
    const { status, body } = await request('/v1/export?session_id=s1');
    return status === 200 ? body.split('\n').length - 1 : status;
  };
  expect(await rowsAfter(2 * day)).toBe(1);
  expect(await rowsAfter(0.001)).toBe(0);
  expect(await rowsAfter(day + minute)).toBe(404);
});

test('an interrupted purge keeps the sessions of remaining readings, so that an erasure deletes these readings', async () => {
  const service = await startTestService({});
  const { request, store, clock } = service;
  const lines = Array.from({ length: batchRows + 1 }, (_, index) => {
    return { session_id: 's1', subject_id: 'p', timestamp: clock.at(-index / 10), heart_rate: 70 };
  });
  await batchResults(service, lines);
  clock.advance(2 * day);
  const stop = new AbortController();
  const options = { signal: stop.signal, onDeleted: () => stop.abort() };
  expect(await purgeExpired(store, clock.nowMs, undefined, options)).toBe(batchRows);
  expect((await request('/v1/subjects/p', { method: 'DELETE' })).body).toMatchObject({ sessions_removed: 1 });
  expect(await purgeExpired(store, clock.nowMs)).toBe(0);
});

test('readings older than a day are exported and erased while they are stored', async () => {
  const service = await startTestService({ env: { RETENTION_READINGS_HOURS: '72' } });
  const { read, request, store, clock } = service;
  await read({ subject_id: 'p', heart_rate: 70 });
  clock.advance(3 * day - 1);
  await purgeExpired(store, clock.nowMs, readConfig({ RETENTION_READINGS_HOURS: '72' }).retention);
  const timestamp = clock.at(1 - 3 * day);
  const [line] = await batchResults(service, [
    { session_id: 'offline', subject_id: 'p', timestamp, heart_rate: 71, backfill: true },
  ]);
  expect(line?.status).toBe(200);
  expect((await request('/v1/export?subject_id=p')).body.match(/"heart_rate":7[01]/g)).toHaveLength(2);
  expect((await request('/v1/subjects/p', { method: 'DELETE' })).body).toMatchObject({ sessions_removed: 2 });
  expect((await request('/v1/export')).body).toBe('');
});

/** Stores a fact, and a live and a backfilled reading that expire with it. Returns what remains of an account. */
async function storeOld({ clock, read, request, store, accountId }: TestService) {
  await read({ session_id: 'live', subject_id: 'p', heart_rate: 70 });
  await read({ session_id: 'late', subject_id: 'p', heart_rate: 70, timestamp: clock.at(-301), backfill: true });
  const fact = { subject_id: 'p', kind: 'rest', start: clock.at(-60), end: clock.at() };
  const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fact) };
  expect((await request('/v1/facts/f', init)).status).toBe(200);
  const of = { session_readings: 'account', late_readings: 'account', sessions: 'account_id', facts: 'account_id' };
  return () =>
    store.run(async (knex) =>
      Promise.all(
        Object.entries(of).map(async ([table, column]) => {
          const id = column === 'account' ? toAccountKey(accountId) : accountId;
          return (await knex(table).where({ [column]: id })).length;
        }),
      ),
    );
}

test('an account keeps readings, facts and sessions for its own hours, and others for those of the deployment', async () => {
  const services = await startAccounts([0, 0, 0]);
  const [usual, longer, shorter] = services as [TestService, TestService, TestService];
  const { store, clock } = usual;
  await setUp(longer, { keep_readings_hours: 48 });
  await setUp(shorter, { keep_readings_hours: 6 });
  const progress = createPurgeProgress();
  const left = await Promise.all(services.map(storeOld));
  const after = async (seconds: number) => {
    clock.advance(seconds);
    await purgeExpired(store, clock.nowMs, withoutHours, { progress });
    return Promise.all(left.map((count) => count()));
  };
  const [all, none] = [
    [2, 1, 2, 1],
    [0, 0, 0, 0],
  ];
  expect(await after(0)).toEqual([all, all, all]);
  // The minute in which a session is touched, and a late reading is older.
  expect(await after(6 * 3600 + 0.001)).toEqual([all, all, [0, 0, 2, 0]]);
  expect(await after(18 * 3600 + minute)).toEqual([none, all, none]);
  expect(await after(24 * 3600 - 2 * minute)).toEqual([none, [1, 0, 2, 1], none]);
  expect(await after(2 * minute)).toEqual([none, none, none]);
});

test('a purge does not read again what an account keeps for longer, and a changed setting applies in the next round', async () => {
  const [usual, longer] = (await startAccounts([0, 0])) as [TestService, TestService];
  const { store, clock } = usual;
  await setUp(longer, { keep_readings_hours: 720 });
  const counts = await storeOld(longer);
  clock.advance(2 * day);
  const progress = createPurgeProgress();
  const searched: number[] = [];
  const run: typeof store.run = (work) =>
    store.run((knex) => {
      knex.on('query', ({ sql, bindings }) => void (/late_readings/.test(sql) && searched.push(Number(bindings[0]))));
      return work(knex).finally(() => knex.removeAllListeners('query'));
    });
  const purge = () => purgeExpired({ ...store, run }, clock.nowMs, withoutHours, { progress });
  await purge();
  searched.splice(0);
  await purge();
  // Those of the deployment, and of the other account.
  expect(searched.map((fromMs) => clock.nowMs - fromMs)).toEqual([25, 721].map((hours) => hours * 3_600_000));
  await setUp(longer, { keep_readings_hours: undefined });
  await purge();
  expect(await counts()).toEqual([0, 0, 0, 0]);
});

test('settled deliveries are deleted after seven days, and queued deliveries stay at any age', async () => {
  const service = await startTestService({});
  const { store, clock } = service;
  const { id: webhookId } = await register(service, 'https://8.8.8.8/');
  const stored = deliveriesOf(service, webhookId);
  const settled = { webhookId, settledAtMs: clock.nowMs };
  const [failed, delivered] = await storeFailed(service, [settled, { ...settled, status: 'delivered', reason: null }]);
  const [due] = await storeDue(service, webhookId, 1);
  const left = async () => (await stored()).map(({ deliveryId }) => deliveryId).sort();
  clock.advance(7 * day);
  expect(await purgeExpired(store, clock.nowMs)).toBe(0);
  expect(await left()).toEqual([failed, delivered, due].map((it) => it?.deliveryId).sort());
  clock.advance(0.001);
  expect(await purgeExpired(store, clock.nowMs)).toBe(2);
  expect(await left()).toEqual([due?.deliveryId]);
});

test('six hundred settled deliveries are purged in small batches, in any settlement order', async () => {
  const service = await startTestService({});
  const { store, clock } = service;
  const deliveries = Array.from({ length: 600 }, (_, index) => ({
    webhookId: 'wh_any',
    settledAtMs: clock.nowMs - ((index * 7) % 600),
  }));
  await storeFailed(service, deliveries);
  clock.advance(7 * day - 0.3);
  // The cutoff is 300 ms before the newest delivery. Before the cutoff, 299 deliveries were settled, one per
  // millisecond.
  expect(await purgeExpired(store, clock.nowMs)).toBe(299);
  clock.advance(1);
  expect(await purgeExpired(store, clock.nowMs)).toBe(301);
});

test('six hundred expired readings are purged in small batches while ingest continues', async () => {
  const service = await startTestService({});
  const { read, request, store, clock } = service;
  const expired = Array.from({ length: 600 }, (_, index) => ({
    session_id: `old${index % 10}`,
    timestamp: clock.at(-index / 10),
    heart_rate: 70,
  }));
  await batchResults(service, expired);
  clock.advance(day + minute + 1);
  let isPurging = true;
  const purge = purgeExpired(store, clock.nowMs, withoutHours).finally(() => {
    isPurging = false;
  });
  let sent = 0;
  while (isPurging) {
    await read({ session_id: 'live', timestamp: clock.at(sent / 1000), heart_rate: 70 });
    sent++;
    await sleep(1);
  }
  expect(await purge).toBe(610);
  expect(sent).toBeGreaterThan(1);
  const { datapoints } = (await request('/v1/history?session_id=live')).body;
  expect(datapoints).toHaveLength(sent);
});

test('a process whose clock is two days ahead deletes nothing of other processes', async ({ ownService: right }) => {
  for (const session_id of ['a', 'b']) await right.read({ session_id, heart_rate: 70 });
  const clock = new Clock();
  clock.advance(2 * day);
  const service = await startTestService({ database: right.database, clock, hasOwnDatabaseClock: true });
  // The first purge runs at the start. Closing waits for it.
  await service.close();
  for (const session_id of ['a', 'b'])
    expect((await right.request(`/v1/history?session_id=${session_id}`)).body.datapoints).toHaveLength(1);
});

test('the more a purge lags behind, the larger its batches and the shorter its pauses', () => {
  const lagsMs = [0, minute, 10 * minute, day].map((seconds) => seconds * 1000);
  const paces = lagsMs.map(computePace);
  expect(paces[0]).toEqual({ rows: batchRows, pausePerBatch: 3 });
  for (const [index, { rows, pausePerBatch }] of paces.slice(1).entries()) {
    expect(rows).toBeGreaterThan(paces[index]?.rows ?? Infinity);
    expect(pausePerBatch).toBeLessThan(paces[index]?.pausePerBatch ?? 0);
    // Leaves a third of the time to other work.
    expect(pausePerBatch).toBeGreaterThanOrEqual(0.5);
  }
});

test('a purge that lags a day behind deletes a thousand readings per batch, one that keeps pace 200', async () => {
  const service = await startTestService({});
  const { store, clock } = service;
  const batchesAfter = async (days: number) => {
    for (let batch = 0; batch < 2; batch += 1)
      await batchResults(
        service,
        Array.from({ length: 900 }, (_, index) => {
          return { session_id: 's1', timestamp: clock.at(-(batch * 900 + index) / 10), heart_rate: 70 };
        }),
      );
    clock.advance(days * day);
    const deleted: number[] = [];
    await purgeExpired(store, clock.nowMs, withoutHours, { onDeleted: (rows) => void deleted.push(rows) });
    return deleted;
  };
  const behind = await batchesAfter(3);
  expect(Math.max(...behind)).toBeGreaterThan(990);
  // Readings of the last 180 s, of which none is expired for longer.
  const inPace = await batchesAfter(1);
  expect(inPace[0]).toBe(batchRows);
  expect(Math.max(...inPace)).toBeLessThan(behind.reduce((a, b) => Math.max(a, b)));
});

test('a purge deletes no reading between the expired ones that is not expired', async () => {
  const { read, store, clock } = await startTestService({});
  await read({ session_id: 'early', heart_rate: 70 });
  // Accepted between the two others, with a timestamp ahead of the clock.
  await read({ session_id: 'ahead', heart_rate: 71, timestamp: clock.at(50) });
  await read({ session_id: 'late', heart_rate: 72 });
  clock.advance(day + 25);
  await purgeExpired(store, clock.nowMs, withoutHours);
  // Not an export, because the session may be deleted already: its time is that of the request.
  const left = await store.run((knex) => knex('session_readings').pluck('timestamp_ms'));
  expect(left.map(Number)).toEqual([clock.nowMs - (day - 25) * 1000]);
});

/** Stores readings of two sessions in each of several accounts of one database. The accounts are in the order of their ids. */
async function startAccounts(counts: readonly number[]): Promise<TestService[]> {
  const first = await startTestService({});
  const { database, clock } = first;
  const others = await Promise.all(counts.slice(1).map(() => startTestService({ database, clock })));
  const services = [first, ...others].sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
  for (const [index, service] of services.entries()) {
    const lines = Array.from({ length: counts[index] ?? 0 }, (_, line) => {
      return { session_id: `s${line % 2}`, timestamp: clock.at(-line / 1000), heart_rate: 70 };
    });
    for (const some of chunksOf(lines, 900)) await batchResults(service, some);
  }
  return services;
}

const countReadings = ({ store, accountId }: TestService): Promise<number> =>
  store.run(async (knex) => (await knex('session_readings').where({ account: toAccountKey(accountId) })).length);

test('accounts and tables are purged in turn, and no session is deleted before its readings', async () => {
  const services = await startAccounts([9 * batchRows, 60, 60]);
  const [large] = services as [TestService];
  const { store, clock } = large;
  await storeFailed(large, [{ webhookId: 'wh_any', settledAtMs: clock.nowMs - 8 * day * 1000 }]);
  clock.advance(day + 3 * minute);
  const stop = new AbortController();
  let batches = 0;
  const onDeleted = (rows: number) => void ((batches += rows > 0 ? 1 : 0) === 5 && stop.abort());
  await purgeExpired(store, clock.nowMs, withoutHours, { signal: stop.signal, onDeleted });
  const left = await Promise.all(services.map(countReadings));
  expect(left).toEqual([expect.toSatisfy((count: number) => count > 0), 0, 0]);
  expect(await deliveriesOf(large, 'wh_any')()).toEqual([]);
  const states = await Promise.all(services.map(({ request }) => request('/v1/state?session_id=s0')));
  expect(states.map(({ status }) => status)).toEqual([200, 404, 404]);
  await purgeExpired(store, clock.nowMs, withoutHours);
  expect((await large.request('/v1/state?session_id=s0')).status).toBe(404);
});

test('processes share the accounts: one deletes what another one has not, and takes over after its claim ends', async () => {
  const services = await startAccounts([2 * batchRows, 60]);
  const [{ store, clock, accountId }] = services as [TestService];
  clock.advance(day + 3 * minute);
  await store.run((knex) => claimPurge(knex, accountId, clock.nowMs, clock.nowMs + 1000));
  expect(await purgeExpired(store, clock.nowMs, withoutHours)).toBe(62);
  clock.advance(1);
  const purges = [1, 2, 3].map(() => purgeExpired(store, clock.nowMs, withoutHours));
  expect((await Promise.all(purges)).reduce((sum, it) => sum + it)).toBe(2 * batchRows + 2);
});

test('accounts without expired readings cost a purge nothing, until a clock that was ahead is set back', async () => {
  const { read, store, clock } = await startTestService({});
  const idle = Array.from({ length: 1_000 }, (_, index) => {
    return { account_id: `acc_${String(index).padStart(12, '0')}`, position: 1, erasures: 0 };
  });
  await store.run((knex) => insertRows(knex, 'stream_positions', idle));
  await purgeExpired(store, clock.nowMs, withoutHours);
  let statements = 0;
  const run: typeof store.run = (work) => ((statements += 1), store.run(work));
  await purgeExpired({ ...store, run }, clock.nowMs, withoutHours);
  expect(statements).toBeLessThan(25);
  await purgeExpired(store, clock.nowMs + 20 * day * 1000, withoutHours);
  await read({ heart_rate: 70 });
  clock.advance(2 * day);
  expect(await purgeExpired(store, clock.nowMs, withoutHours)).toBe(2);
});
