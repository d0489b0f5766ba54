import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import type { Schema } from '../../src/contract/contract.js';
import { eraseSubject } from '../../src/retention/erase.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { batchResults, exportRows } from '../../testkit/batch.js';
import { Clock, startTestService, type TestService } from '../../testkit/service.js';
import { erasing } from '../../testkit/stored.js';
import { openKnex } from '../../testkit/temporary-database.js';

type Exported = Schema<'ExportedReading'>;
type Row = Schema<'SummaryRow'>;

const hour = 3600;
const day = 24 * hour;

async function rowsOf({ get }: TestService, subject = 'p'): Promise<Row[]> {
  const { rows, next_cursor } = await get(`/v1/subjects/${subject}/summary?from=2020-01-01T00:00:00Z`);
  expect(next_cursor).toBeNull();
  return rows;
}

/** Adds the stored readings of a subject to `known`. */
async function exportTo(known: Map<string, Exported>, service: TestService): Promise<void> {
  for (const exported of await exportRows(service, 'subject_id=p')) known.set(exported.cursor, exported);
}

/** Computes the hours second by second: each second belongs to the newest reading of the last 300 seconds. */
function recompute(readings: readonly Exported[], nowMs: number): Array<Pick<Row, 'start' | 'readings'> & object> {
  const seconds = (text: string) => Date.parse(text) / 1000;
  const newest = new Map<number, Exported>();
  for (const reading of readings) {
    const at = seconds(reading.reading.timestamp);
    const isHigher = (newest.get(at)?.computed.stress_score ?? -1) < reading.computed.stress_score;
    if (isHigher) newest.set(at, reading);
  }
  const covered = new Set([...newest.keys()].flatMap((at) => Array.from({ length: 300 }, (_, after) => at + after)));
  const states = new Map<number, Record<string, number>>();
  for (const second of covered) {
    if (second * 1000 >= nowMs) continue;
    let at = second;
    while (!newest.has(at)) at -= 1;
    const start = second - (second % hour);
    const durations = states.get(start) ?? { calm: 0, relaxed: 0, focused: 0, stressed: 0, acute_stress: 0 };
    const { state } = newest.get(at)?.computed ?? { state: 'calm' };
    states.set(start, { ...durations, [state]: (durations[state] ?? 0) + 1 });
  }
  const startOf = ({ reading }: Exported) => seconds(reading.timestamp) - (seconds(reading.timestamp) % hour);
  const starts = [...new Set([...states.keys(), ...readings.map(startOf)])].sort((a, b) => a - b);
  return starts.map((start) => {
    const mine = readings.filter((reading) => startOf(reading) === start);
    const scores = mine.map(({ computed }) => computed.stress_score);
    const rates = mine.flatMap(({ reading }) => reading.heart_rate ?? []);
    return {
      start: new Date(start * 1000).toISOString(),
      readings: mine.length,
      state_seconds: states.get(start) ?? { calm: 0, relaxed: 0, focused: 0, stressed: 0, acute_stress: 0 },
      ...(scores.length > 0 && { stress_score: rangeOf(scores) }),
      ...(rates.length > 0 && { heart_rate: rangeOf(rates) }),
      topics: [],
    };
  });
}

function rangeOf(values: readonly number[]): Schema<'ValueRange'> {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean: Math.round(mean * 10) / 10, min: Math.min(...values), max: Math.max(...values) };
}

const signals = fc.oneof(
  fc.record({ heart_rate: fc.integer({ min: 50, max: 170 }) }),
  fc.record({ tone: fc.constantFrom('calm', 'tense', 'hostile') }),
);
/** A reading of one of three sessions. The last session has no subject until it gets a reading with one. */
const reading = fc.record({
  session: fc.constantFrom('a', 'b', 'unbound'),
  /** Age of the timestamp, s. */
  age: fc.oneof(fc.integer({ min: 0, max: 290 }), fc.integer({ min: 0, max: day - 1 })),
  isBound: fc.boolean(),
  signals,
});
const steps = fc.array(
  fc.record({
    readings: fc.array(reading, { maxLength: 6 }),
    wait: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 13 * hour })),
    purges: fc.boolean(),
  }),
  { minLength: 4, maxLength: 10 },
);

test('a summary equals a recomputation from the exported readings, before and after purges', async () => {
  const clock = new Clock();
  clock.nowMs = Date.parse('2026-03-10T12:00:00Z');
  const service = await startTestService({ clock });
  const check = async (known: Map<string, Exported>) => {
    await exportTo(known, service);
    expect(await rowsOf(service)).toEqual(recompute([...known.values()], clock.nowMs));
  };
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const known = new Map<string, Exported>();
      await service.read({ session_id: 'a', subject_id: 'p', heart_rate: 60 });
      for (const { readings, wait, purges } of taken) {
        const lines = readings.map(({ session, age, isBound, signals }) => ({
          session_id: session,
          ...((session !== 'unbound' || isBound) && { subject_id: 'p' }),
          timestamp: clock.at(-age),
          ...signals,
          ...(age > 250 && { backfill: true }),
        }));
        if (lines.length > 0) await batchResults(service, lines);
        await check(known);
        clock.advance(wait);
        if (purges) await purgeExpired(service.store, clock.nowMs);
        await check(known);
      }
      await service.request('/v1/subjects/p', { method: 'DELETE' });
    }),
    { numRuns: 4 },
  );
});

/** Starts a service with an hour of readings of subject p that the next purge deletes. */
async function startWithExpired(): Promise<TestService> {
  const clock = new Clock();
  clock.nowMs = Date.parse('2026-03-10T12:00:00Z');
  const service = await startTestService({ clock });
  await live(service);
  clock.advance(day + 2 * hour);
  return service;
}

/** Stores readings of the last 40 minutes, in two sessions. */
async function live(service: TestService): Promise<void> {
  const lines = Array.from({ length: 120 }, (_, index) => ({
    ...{ session_id: `s${index % 2}`, subject_id: 'p', heart_rate: 60 + (index % 50) },
    timestamp: service.clock.at(-index * 20),
    backfill: true,
  }));
  for (const { status } of await batchResults(service, lines)) expect(status).toBe(200);
}

const countHours = async ({ database }: TestService) => (await openKnex(database.url)('subject_hours').select()).length;

test('a summary stays the same while the readings are purged, also by two processes', async () => {
  const service = await startWithExpired();
  const before = await rowsOf(service);
  expect(before).toHaveLength(2);
  let isPurging = true;
  const purges = [1, 2].map(() => purgeExpired(service.store, service.clock.nowMs));
  const purge = Promise.all(purges).finally(() => {
    isPurging = false;
  });
  while (isPurging) expect(await rowsOf(service)).toEqual(before);
  await purge;
  expect((await service.request('/v1/export?subject_id=p')).body).toBe('');
  expect(await rowsOf(service)).toEqual(before);
  expect(await countHours(service)).toBe(2);
});

test('a summary stays the same when a purge ends within an hour, in a state and among late readings', async () => {
  const clock = new Clock();
  clock.nowMs = Date.parse('2026-03-10T12:03:00Z');
  const service = await startTestService({ clock });
  const times = ['11:30:00', '11:58:00'].map((time) => `2026-03-10T${time}.000Z`);
  const backfilled = { session_id: 's1', subject_id: 'p', heart_rate: 60, backfill: true };
  await batchResults(
    service,
    times.map((timestamp) => ({ ...backfilled, timestamp })),
  );
  await service.read({ session_id: 'live', subject_id: 'p', heart_rate: 70, timestamp: '2026-03-10T11:59:30.000Z' });
  clock.advance(day + 4 * 60);
  const before = await rowsOf(service);
  expect(before.map(({ readings }) => readings)).toEqual([3, 0]);
  // Deletes the readings before 11:55, then the others.
  for (const left of [2, 0]) {
    await purgeExpired(service.store, clock.nowMs);
    expect(String((await service.request('/v1/export?subject_id=p')).body).split('\n')).toHaveLength(left + 1);
    expect(await rowsOf(service)).toEqual(before);
    clock.advance(hour);
  }
});

test('a purge that stops after it stored hours deletes no reading, and the next purge adds nothing twice', async () => {
  const service = await startWithExpired();
  const { store, clock } = service;
  const before = await rowsOf(service);
  const transact: typeof store.transact = async (work) => {
    await store.transact(work);
    throw new Error('stopped');
  };
  await expect(purgeExpired({ ...store, transact }, clock.nowMs)).rejects.toThrow('stopped');
  expect(await countHours(service)).toBe(2);
  expect(String((await service.request('/v1/export?subject_id=p')).body).split('\n')).toHaveLength(121);
  expect(await rowsOf(service)).toEqual(before);
  await purgeExpired(store, clock.nowMs);
  expect(await rowsOf(service)).toEqual(before);
});

test.each([
  ['', async () => undefined],
  [', also if the person returns', (service: TestService) => service.read({ subject_id: 'p', heart_rate: 70 })],
])('an erasure before a purge stores hours leaves none%s', async (_, afterwards) => {
  const service = await startWithExpired();
  const { store, clock, accountId } = service;
  const transact: typeof store.transact = async (work) => {
    await eraseSubject(erasing(service), accountId, 'p');
    await afterwards(service);
    return store.transact(work);
  };
  await purgeExpired({ ...store, transact }, clock.nowMs);
  expect(await countHours(service)).toBe(0);
});

test('an erasure deletes hours that a purge stores meanwhile', async () => {
  const service = await startWithExpired();
  const { store, clock, accountId } = service;
  const transact: typeof store.transact = async (work) => {
    await purgeExpired(store, clock.nowMs);
    return store.transact(work);
  };
  await eraseSubject(erasing(service, { ...store, transact }), accountId, 'p');
  expect(await countHours(service)).toBe(0);
});

test('erasures that race purges leave no hours', async () => {
  const service = await startWithExpired();
  const { store, clock, request } = service;
  for (let round = 0; round < 3; round++) {
    const erase = async () => {
      for (let wait = 0; wait < round * 4; wait++) await new Promise(setImmediate);
      return request('/v1/subjects/p', { method: 'DELETE' });
    };
    const [, erased] = await Promise.all([purgeExpired(store, clock.nowMs), erase()]);
    expect(erased.status).toBe(200);
    expect(await countHours(service)).toBe(0);
    await live(service);
    clock.advance(day + 2 * hour);
  }
  await purgeExpired(store, clock.nowMs);
  expect(await countHours(service)).toBe(2);
  await request('/v1/subjects/p', { method: 'DELETE' });
  expect(await countHours(service)).toBe(0);
});

test('hours are deleted after 90 days, or at once if the operator stores none', async () => {
  const service = await startWithExpired();
  const { store, clock } = service;
  await purgeExpired(store, clock.nowMs);
  clock.advance(88 * day);
  await purgeExpired(store, clock.nowMs);
  expect(await countHours(service)).toBe(2);
  await purgeExpired(store, clock.nowMs, readConfig({ RETENTION_SUMMARY_DAYS: '91' }).retention);
  expect(await countHours(service)).toBe(2);
  clock.advance(day);
  await purgeExpired(store, clock.nowMs);
  expect(await countHours(service)).toBe(0);
  expect(await rowsOf(service)).toEqual([]);
  await live(service);
  clock.advance(day + 2 * hour);
  await purgeExpired(store, clock.nowMs);
  expect(await countHours(service)).toBe(2);
  await purgeExpired(store, clock.nowMs, readConfig({ RETENTION_SUMMARY_DAYS: '0' }).retention);
  expect(await countHours(service)).toBe(0);
});
