import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { expect, test } from 'vitest';
import { history } from '../../generated/spec.js';
import { findPoints } from '../../src/store/history-points.js';
import { toAccountKey } from '../../src/store/readings.js';
import { pageRows, scanReadings } from '../../src/store/scan.js';
import type { SlicedScope } from '../../src/store/scope.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

/** A stored reading: its timestamp in ms after the first one, and whether it is among the late readings. */
interface Stored {
  readonly ms: number;
  readonly isLate: boolean;
}

/** Stores copies of a reading of subject p, in two sessions. Returns a scope that counts the rows of the slices. */
async function store({ accountId, database, clock, read }: TestService, readings: readonly Stored[]) {
  const startMs = clock.nowMs;
  for (const session_id of ['s1', 's2']) await read({ session_id, subject_id: 'p', heart_rate: 60 });
  const knex = openKnex(database.url);
  const account = toAccountKey(accountId);
  const firsts = await knex('session_readings').where({ account }).orderBy('position');
  await knex('session_readings').where({ account }).delete();
  const rows = readings.map(({ ms, isLate }, index) => ({
    ...firsts[index % firsts.length],
    // A live reading is stored up to a minute before or after its timestamp. Every position is used once.
    position: (isLate ? -1 : 1) * ((startMs + ms) * 1_000 + ((index * 7_919) % 60_000) * 900 + (index % 900)),
    timestamp_ms: startMs + ms,
    digest: ((index * 2_654_435_761) % 2 ** 32).toString(16).padStart(12, '0'),
  }));
  await knex.batchInsert('session_readings', rows, 200);
  const late = rows
    .filter(({ position }) => position < 0)
    .map(({ position, incarnation, timestamp_ms, digest }) => {
      return { account, position, incarnation, timestamp_ms, digest };
    });
  await knex.batchInsert('late_readings', late, 200);
  const slices: number[] = [];
  const pause = async (count: number) => void slices.push(count);
  const scope: SlicedScope = { knex, accountId, pause };
  const incarnations = firsts.map(({ incarnation }) => incarnation as string);
  return { scope, incarnations, rows, slices, startMs };
}

const random = seededRandom(7);
const minuteMs = 60_000;
const spread = (count: number, lateShare: number, ms = () => Math.floor(random() * 60 * minuteMs)): Stored[] =>
  Array.from({ length: count }, () => ({ ms: ms(), isLate: random() < lateShare }));

test.each([
  ['live readings of an hour', spread(2_000, 0)],
  ['backfilled readings of an hour', spread(2_000, 1)],
  ['live and backfilled readings of an hour', spread(2_000, 0.5)],
  ['few readings', spread(20, 0.5)],
  [
    'a dense minute in a sparse day',
    [
      ...spread(40, 0.3, () => Math.floor(random() * 1_440) * minuteMs),
      ...spread(1_500, 0.5, () => 700 * minuteMs + Math.floor(random() * 1_000)),
    ],
  ],
  ['readings with one timestamp', spread(1_200, 0.5, () => 5_000)],
])('a scan of %s yields each of them once, in the order of their timestamps', async (_, readings) => {
  const { scope, incarnations, rows, startMs } = await store(await startTestService(), readings);
  const [fromMs, toMs] = [startMs + 100, startMs + 1_440 * minuteMs];
  const expected = rows
    .map((it) => it.timestamp_ms)
    .filter((ms) => ms >= fromMs && ms < toMs)
    .sort((a, b) => a - b);
  for (const newestMs of [undefined, startMs + 60 * minuteMs]) {
    const span = { fromMs, toMs: newestMs === undefined ? toMs : Number.MAX_SAFE_INTEGER };
    const found: Array<{ readonly timestamp_ms: number; readonly digest: string }> = [];
    const scan = scanReadings(scope, incarnations, ['timestamp_ms'], {
      ...span,
      ...(newestMs !== undefined && { newestMs }),
    });
    for await (const some of scan) {
      expect(some.length).toBeLessThanOrEqual(pageRows);
      found.push(...some);
    }
    const times = found.map((it) => it.timestamp_ms);
    expect(times).toEqual(newestMs === undefined ? expected : expected.toReversed());
    expect(new Set(found.map(({ digest }) => digest)).size).toBe(found.length);
  }
});

test.each([
  ['live', 0],
  ['backfilled', 1],
])(
  'a history costs as much as its points, whatever number of %s readings is stored in its window',
  async (_, share) => {
    const readings = Array.from({ length: 3 * history.datapoints_max }, (_, index) => {
      return { ms: index * 120, isLate: share === 1 };
    });
    const { scope, incarnations, rows, slices, startMs } = await store(await startTestService({}), readings);
    const window = { afterMs: startMs - 1, nowMs: startMs + 60 * minuteMs };
    const points = await findPoints(scope, incarnations, window);
    expect(points.map((it) => it.timestampMs)).toEqual(
      rows
        .map((it) => it.timestamp_ms)
        .sort((a, b) => b - a)
        .slice(0, history.datapoints_max),
    );
    // Readings of two minutes are read beyond the last point, and each is counted when it is read and when it is used.
    const readMax = history.datapoints_max + (2 * minuteMs) / 120 + 10 * pageRows;
    expect(slices.reduce((sum, count) => sum + count)).toBeLessThan(2.2 * readMax);
    expect(Math.max(...slices)).toBeLessThanOrEqual(pageRows + 1 + incarnations.length);
  },
);
