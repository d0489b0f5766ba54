import { expect, test } from 'vitest';
import {
  addEctopics,
  drawIntervals,
  drawRandomIntervals,
  type Rhythm,
  rhythms,
  shiftPeaks,
} from '../../testkit/simulation/rhythms.js';
import { seededRandom } from '../tools/terminal/scenes.js';
import type { IntervalBatch } from './rows/session.js';
import { storeIntervals, addDerivedVariability } from './rr-intervals.js';
import type { Reading } from './signals.js';

const startMs = Date.UTC(2026, 0, 5, 9);
/** A breathing rhythm of 35 ms with noise. The expected values below are those of Python's `statistics` module. */
const series = [
  804, 830, 818, 804, 791, 826, 861, 838, 803, 808, 816, 851, 838, 809, 804, 839, 893, 843, 828, 775, 830, 867, 846,
  811, 805, 845, 859, 851, 798, 802, 823, 876, 851, 805, 834, 871, 877, 857, 803, 834, 851, 896, 859, 803, 847, 864,
  870, 828, 769, 825, 867, 865, 801, 789, 831, 870, 858, 796, 784, 834, 884, 868, 824, 816, 844, 872, 853, 816, 796,
  831, 867, 825, 809, 782, 814, 861, 838, 775, 803, 805,
];
const expected = { sdnn: 30, rmssd: 34.9 };

type Sent = Pick<Reading, 'atMs' | 'rr_intervals_ms'>;

/** Returns the derived readings of a session that receives the readings in this order. */
function receive(sent: readonly Sent[]): Reading[] {
  let batches: readonly IntervalBatch[] | undefined;
  return sent.map((reading) => {
    const derived = addDerivedVariability(reading, batches ?? []);
    batches = storeIntervals(batches, reading);
    return derived;
  });
}

/** Returns readings of `size` intervals, each at the time of its last beat. */
function readingsOf(intervals: readonly number[], size: number): Sent[] {
  let atMs = startMs;
  return Array.from({ length: Math.ceil(intervals.length / size) }, (_, index) => {
    const rr_intervals_ms = intervals.slice(index * size, (index + 1) * size);
    atMs += rr_intervals_ms.reduce((sum, it) => sum + it, 0);
    return { atMs, rr_intervals_ms };
  });
}

function send(intervals: readonly number[], size: number): Reading[] {
  return receive(readingsOf(intervals, size));
}

test.each([1, 3, 20])('readings of %i intervals give the SDNN and RMSSD of the whole series', (size) => {
  expect(send(series, size).at(-1)).toMatchObject(expected);
});

test("the heart rate is derived from the reading's own intervals", () => {
  expect(send(series, 20).at(-1)?.heart_rate).toBe(72.4);
  expect(addDerivedVariability({ atMs: startMs, rr_intervals_ms: [1000] }, []).heart_rate).toBe(60);
});

test('less than 30 s of intervals give a heart rate only', () => {
  const readings = send(series, 20);
  expect(readings[0]).toMatchObject({ heart_rate: expect.any(Number) });
  expect(readings[0]).not.toHaveProperty('rmssd');
  expect(readings[1]).toHaveProperty('rmssd');
});

test('a heart rate, SDNN or RMSSD that the reading states is not changed', () => {
  const stated = { heart_rate: 90, sdnn: 20, rmssd: 15 };
  expect(addDerivedVariability({ atMs: startMs, rr_intervals_ms: series.slice(0, 64), ...stated }, [])).toMatchObject(
    stated,
  );
});

test('intervals that a client sends again count once', () => {
  const resent = readingsOf(series, 1).map(({ atMs }, index) => ({
    atMs,
    rr_intervals_ms: series.slice(Math.max(0, index - 9), index + 1),
  }));
  expect(receive(resent).at(-1)).toMatchObject(expected);
});

test('a batch with the same intervals as the previous batch counts, if it follows in time', () => {
  const batch = series.slice(0, 14);
  const [last] = send([...batch, ...batch, ...batch, ...batch], batch.length).slice(-1);
  expect(last).toMatchObject({ sdnn: expect.any(Number), rmssd: expect.any(Number) });
});

test.each([-250, 0, 250])('an interval that equals the last one of the previous batch counts, %i ms late', (lateMs) => {
  const [first, second] = readingsOf([820, 810, 800, 800, 700, 700], 3) as [Sent, Sent];
  const [, derived] = receive([first, { ...second, atMs: second.atMs + lateMs }]);
  expect(derived?.heart_rate).toBe(Math.round((10 * 60_000 * 3) / 2200) / 10);
});

test('packets that arrive up to a third of a beat early or late change RMSSD by less than 1 ms', () => {
  const jittery = readingsOf(series, 1).map(({ atMs, ...rest }, index) => ({
    ...rest,
    atMs: atMs + (index % 3 === 1 ? 250 : -250),
  }));
  expect(Math.abs((receive(jittery).at(-1)?.rmssd ?? 0) - expected.rmssd)).toBeLessThan(1);
});

test.each([0.55, 0.65, 0.75, 0.8])(
  '5 % ectopic beats at %d of the interval change SDNN and RMSSD by less than 10 %',
  (share) => {
    const intervals = [...series];
    for (let index = 10; index < intervals.length - 1; index += 20) {
      const [one = 0, next = 0] = intervals.slice(index, index + 2);
      intervals.splice(index, 2, Math.round(one * share), one + next - Math.round(one * share));
    }
    const { sdnn = 0, rmssd = 0 } = send(intervals, 4).at(-1) ?? {};
    expect(Math.abs(sdnn / expected.sdnn - 1)).toBeLessThan(0.1);
    expect(Math.abs(rmssd / expected.rmssd - 1)).toBeLessThan(0.1);
  },
);

const seeds = [101, 102, 103, 104, 105];

/** Returns the last reading of four and a half minutes in adjacent batches of 64 intervals, and the true RMSSD. */
function record(rhythm: Rhythm, seed: number, disturb: typeof shiftPeaks = (clean) => [...clean], share = 0.05) {
  const clean = drawIntervals(rhythm, Math.floor(4.5 * rhythm.bpm), seededRandom(seed));
  const squares = clean.slice(1).map((it, index) => (it - (clean[index] ?? it)) ** 2);
  const truth = Math.sqrt(squares.reduce((sum, it) => sum + it, 0) / squares.length);
  return { truth, last: send(disturb(clean, share, seededRandom(seed)), 64).at(-1) };
}

const disturbed = rhythms.flatMap((rhythm) => [
  { rhythm, kind: 'ectopic beats', disturb: addEctopics },
  { rhythm, kind: 'shifted peaks', disturb: shiftPeaks },
]);

test.each(disturbed)('5 % $kind change RMSSD by at most 10 %: $rhythm.name', ({ rhythm, disturb }) => {
  for (const seed of seeds) {
    const { truth, last } = record(rhythm, seed, disturb);
    expect(last?.rrQuality).toBe('usable');
    expect(Math.abs((last?.rmssd ?? 0) / truth - 1)).toBeLessThan(0.1);
  }
});

test.each(rhythms)('RMSSD of clean intervals changes by at most 3 %: $name', (rhythm) => {
  for (const seed of seeds) {
    const { truth, last } = record(rhythm, seed);
    expect(Math.abs((last?.rmssd ?? 0) / truth - 1)).toBeLessThan(0.03);
  }
});

test('intervals without a rhythm, or with 40 % ectopic beats, give a heart rate and no variability', () => {
  for (const seed of seeds) {
    const random = send(drawRandomIntervals(800, 0.25, 300, seededRandom(seed)), 64).at(-1);
    const ectopic = rhythms.map((rhythm) => record(rhythm, seed, addEctopics, 0.4).last);
    for (const reading of [random, ...ectopic]) {
      expect(reading).toMatchObject({ rrQuality: 'unusable', heart_rate: expect.any(Number) });
      expect(reading).not.toHaveProperty('sdnn');
      expect(reading).not.toHaveProperty('rmssd');
    }
  }
});

test('three shifted peaks in a row leave no large difference', () => {
  const intervals = Array.from({ length: 200 }, (_, index) => 640 + (index % 2) * 10);
  intervals.splice(100, 6, 494, 799, 748, 536, 493, 763);
  expect(send(intervals, 50).at(-1)).toMatchObject({ rrQuality: 'usable', rmssd: 10 });
});

test('intervals are unusable if more than half of them are artifacts', () => {
  // Four intervals lie beside the large differences of a shifted peak.
  const shifted = (every: number) =>
    Array.from({ length: 200 }, (_, index) => 800 + (index % 2) * 5 + ([150, -150][index % every] ?? 0));
  expect(send(shifted(7), 50).at(-1)).toMatchObject({ rrQuality: 'unusable' });
  expect(send(shifted(9), 50).at(-1)).toMatchObject({ rrQuality: 'usable', rmssd: 5 });
});

test('a reading with only artifacts gives no heart rate, except the first reading of a session', () => {
  const [first] = send(series, 80);
  const batches = storeIntervals(undefined, first as Reading);
  const artifact = { atMs: (first?.atMs ?? 0) + 300, rr_intervals_ms: [450] };
  expect(addDerivedVariability(artifact, batches ?? [])).not.toHaveProperty('heart_rate');
  expect(addDerivedVariability({ atMs: startMs, rr_intervals_ms: [300, 2000] }, []).heart_rate).toBe(52.2);
});

test('a session keeps intervals of five minutes, at most 1,200 intervals and 16,000 bytes', () => {
  let batches: readonly IntervalBatch[] | undefined;
  for (let second = 0; second < 600; second += 1) {
    const reading = { atMs: startMs + second * 1000, rr_intervals_ms: Array.from({ length: 64 }, () => 250) };
    batches = storeIntervals(batches, reading);
  }
  expect(batches?.flatMap(({ intervals }) => intervals).length).toBeLessThanOrEqual(1200);
  for (let second = 600; second < 1200; second += 1) {
    const reading = { atMs: startMs + second * 1000, rr_intervals_ms: [1000], source_device: '"'.repeat(64) };
    batches = storeIntervals(batches, reading);
  }
  expect(JSON.stringify(batches).length).toBeLessThanOrEqual(16_000);
  const later = storeIntervals(batches, { atMs: startMs + 3_600_000, rr_intervals_ms: [800] });
  expect(later).toEqual([{ atMs: startMs + 3_600_000, intervals: [800] }]);
});
