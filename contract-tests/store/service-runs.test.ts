import { expect, test } from 'vitest';
import { startPresence } from '../../src/serve/presence.js';
import { addObserved, findAbsences, storeRun } from '../../src/store/service-runs.js';
import { alertsOf, createRule, evaluateNow, stress } from '../../testkit/alerts.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';

const hourSeconds = 3_600;

/** Stops a service. Starts another one on its database after some seconds. */
async function startAfter(seconds: number, { close, clock, database }: TestService): Promise<TestService> {
  await close();
  clock.advance(seconds);
  return startTestService({ database, clock });
}

/** Stores that a process runs now. */
const beat = ({ store, clock }: TestService) => store.run((knex) => storeRun(knex, clock.nowMs));
/** Returns the absences until now, in seconds after a time. */
async function listAbsences({ store, clock }: TestService, afterMs: number): Promise<number[][]> {
  const found = await store.run((knex) => findAbsences(knex, clock.nowMs));
  return found.map(({ fromMs, toMs }) => [fromMs, toMs].map((ms) => (ms - afterMs) / 1000));
}

test('after two hours without a process nobody alerts, and a silence of an hour after the start does', async () => {
  const first = await startTestService({ database: await temporaryDatabase() });
  const { clock } = first;
  await createRule(first, { condition: 'no_data', hours: 1 });
  for (const person of ['anna', 'ben']) await stress(first, person, 0);
  const second = await startAfter(2 * hourSeconds, first);
  expect(await evaluateNow(second)).toBe(0);
  await client(second.url, first.key, clock).read({ session_id: 'of-ben', subject_id: 'ben', heart_rate: 70 });
  clock.advance(hourSeconds - 0.001);
  expect(await evaluateNow(second)).toBe(0);
  clock.advance(0.001);
  expect(await evaluateNow(second)).toBe(2);
  expect((await alertsOf({ ...second, accountId: first.accountId })()).map((it) => it.subject_id)).toEqual([
    'anna',
    'ben',
  ]);
});

test('summaries and histories name what was not observed in their windows, and nothing if there is nothing', async () => {
  const first = await startTestService({ database: await temporaryDatabase() });
  const { clock } = first;
  await stress(first, 'anna', 0);
  const from = clock.at();
  expect((await first.request('/v1/history?subject_id=anna')).body).not.toHaveProperty('not_observed');
  const second = await startAfter(2 * hourSeconds, first);
  const { request } = client(second.url, first.key, clock);
  const partsOf = async (path: string) => (await request(path)).body.not_observed;
  const to = clock.at();
  expect(await partsOf('/v1/subjects/anna/summary')).toEqual([{ from, to }]);
  expect(await partsOf(`/v1/subjects/anna/summary?to=${clock.at(-3 * hourSeconds)}`)).toBeUndefined();
  clock.advance(600);
  expect(await partsOf('/v1/history?subject_id=anna&minutes=30')).toEqual([{ from: clock.at(-1_800), to }]);
  expect(await partsOf('/v1/history?subject_id=anna&minutes=10')).toBeUndefined();
});

test('more than 300 s without a process is an absence, and a process that was suspended finds its own', async () => {
  const service = await startTestService({ database: await temporaryDatabase() });
  const { clock } = service;
  const startMs = clock.nowMs;
  for (const seconds of [300, 300.001, 60]) {
    clock.advance(seconds);
    await beat(service);
  }
  expect(await listAbsences(service, startMs)).toEqual([[300, 600.001]]);
  // The first reading arrives before the process notices that it was suspended.
  clock.advance(hourSeconds);
  await service.read({ heart_rate: 70 });
  clock.advance(30);
  await Promise.all([beat(service), beat(service)]);
  expect((await listAbsences(service, startMs)).slice(1)).toEqual([[660.001, 4_260.001]]);
});

test('readings that a process without a heartbeat stored, as of 1.0.0, end an absence', async () => {
  const service = await startTestService({ database: await temporaryDatabase() });
  const { clock } = service;
  const startMs = clock.nowMs;
  clock.advance(hourSeconds);
  await service.read({ session_id: 's1', heart_rate: 70 });
  clock.advance(hourSeconds);
  await service.read({ session_id: 's2', heart_rate: 70 });
  clock.advance(hourSeconds);
  await beat(service);
  expect(await listAbsences(service, startMs)).toEqual([
    [0, hourSeconds],
    [2 * hourSeconds, 3 * hourSeconds],
  ]);
});

test('a worker knows an absence that lasts, and does not end it', async () => {
  const service = await startTestService({ database: await temporaryDatabase() });
  const { clock, store } = service;
  const log = { warn: () => undefined } as never;
  const presence = await startPresence({ store, now: clock.now, log, isObserving: false, isClockManual: true });
  const fromMs = clock.nowMs;
  expect(await presence.find()).toEqual([]);
  for (const _ of [1, 2]) {
    clock.advance(hourSeconds);
    expect(await presence.find()).toEqual([{ fromMs, toMs: clock.nowMs }]);
  }
});

test('observed time leaves out absences, also one in which it began', () => {
  const absences = [
    { fromMs: 0, toMs: 10 },
    { fromMs: 20, toMs: 50 },
    { fromMs: 60, toMs: 90 },
  ];
  expect(
    [
      [-5, 5],
      [5, 10],
      [5, 11],
      [10, 19],
      [10, 20],
      [10, 21],
      [90, 5],
    ].map(([from = 0, ms = 0]) => addObserved(from, ms, absences)),
  ).toEqual([...[0, 20, 51, 59, 60, 91, 95]]);
});
