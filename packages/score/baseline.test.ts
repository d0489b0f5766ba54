import { expect, test } from 'vitest';
import { advanceAll, baselineAfter, history, laterMs } from '../../testkit/arbitraries.js';
import { checkLaw } from '../../testkit/law.js';
import { seededRandom } from '../tools/terminal/scenes.js';
import { updateBaseline, backfillBaseline, computeTypicalValues } from './baseline.js';
import { stressModel as model } from './model.js';
import { isPersonal } from './movement.js';
import type { Baseline } from './rows/person.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const population = model.heart_rate.population_resting_bpm;

/** Returns a baseline that has learned heart rates around `bpm`, one reading every `gapMs`. */
function steady(bpm: number, fromMs: number, forMs: number, gapMs: number, known?: Baseline): Baseline {
  const random = seededRandom(5);
  let baseline = known ?? {};
  for (let atMs = fromMs; atMs <= fromMs + forMs; atMs += gapMs)
    baseline = updateBaseline(baseline, { atMs, heart_rate: bpm + 4 * random() - 2 });
  return baseline;
}

const restingAt = (baseline: Baseline | undefined, atMs: number) =>
  computeTypicalValues(baseline, atMs).heart_rate.restingBpm;

test('an unknown person has the baseline of the population', () => {
  expect(computeTypicalValues(undefined, 0)).toEqual({
    heart_rate: {
      value: population,
      known: 0,
      restingBpm: population,
      stressedRiseBpm: model.heart_rate.stressed_rise_bpm,
      learnedSeconds: 0,
      raisedSeconds: 0,
    },
    sdnn: { value: model.hrv.sdnn_population_ln_ms, known: 0 },
    rmssd: { value: model.hrv.rmssd_population_ln_ms, known: 0 },
  });
});

test('the weight of the first reading grows over its maximum duration', () => {
  const first = updateBaseline(undefined, { atMs: 0, heart_rate: population + 20 });
  expect(restingAt(first, 0)).toBe(population);
  expect(restingAt(first, 18_000) - population).toBeLessThan(0.15 * 20);
  expect(restingAt(first, 120_000)).toBeGreaterThan(population + 10);
});

test.each([48, 58, 86])('a steady %i bpm becomes the resting heart rate within half an hour', (bpm) => {
  expect(Math.abs(restingAt(steady(bpm, 0, hourMs / 2, 5000), hourMs / 2 + 5000) - bpm)).toBeLessThan(4);
});

test.each([92, 112])(
  'a steady %i bpm becomes the resting heart rate only after hours, or in the third phase',
  (bpm) => {
    const limit = population + model.baseline.high_from_bpm;
    const early = computeTypicalValues(steady(bpm, 0, hourMs / 2, 5000), hourMs / 2 + 5000).heart_rate;
    expect(early.value).toBeLessThanOrEqual(limit + 1);
    expect(early.known).toBeCloseTo((early.value - population) / (bpm - population), 0);
    expect(isPersonal(early)).toBe(false);
    expect(Math.abs(restingAt(steady(bpm, 0, 4.1 * hourMs, 60_000), 4.2 * hourMs) - bpm)).toBeLessThan(4);
    expect(Math.abs(restingAt(steady(bpm, 0, 9 * hourMs, 900_000), 9 * hourMs + 1) - bpm)).toBeLessThan(4);
  },
);

test('the resting heart rate barely depends on the sampling rate', () => {
  const ends = [1, 5, 15, 60].map((seconds) => restingAt(steady(75, 0, hourMs, seconds * 1000), 2 * hourMs));
  expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(2);
});

test('an hour of stress after 15 minutes at rest does not change the resting heart rate', () => {
  const rested = steady(70, 0, 15 * minuteMs, 5000);
  const stressed = steady(105, 15 * minuteMs + 5000, hourMs, 5000, rested);
  expect(Math.abs(restingAt(stressed, 2 * hourMs) - restingAt(rested, 16 * minuteMs))).toBeLessThan(4);
});

test('a person counts as known only after ten minutes of readings', () => {
  const after = (minutes: number) =>
    computeTypicalValues(steady(80, 0, minutes * minuteMs, 5000), minutes * minuteMs + 5000).heart_rate;
  expect([2, 5, 15].map((minutes) => isPersonal(after(minutes)))).toEqual([false, false, true]);
});

test('a late reading does not change the baseline', () => {
  const baseline = updateBaseline(steady(70, 0, hourMs, 2000), {
    atMs: hourMs + 2000,
    heart_rate: 70,
    sdnn: 40,
    rmssd: 40,
  });
  expect(updateBaseline(baseline, { atMs: 1000, heart_rate: 40, sdnn: 10, rmssd: 10 })).toEqual(baseline);
});

test('a backfilled sample at the time of the newest one is learned like a current one', () => {
  const baseline = updateBaseline(steady(70, 0, hourMs, 2000), {
    atMs: hourMs + 2000,
    heart_rate: 70,
    sdnn: 40,
    rmssd: 40,
  });
  const lesson = { atMs: hourMs + 2000, heart_rate: 90, sdnn: 20, rmssd: 20 };
  expect(backfillBaseline(baseline, lesson, { heart_rate: 60, sdnn: 60, rmssd: 60 })).toEqual(
    updateBaseline(baseline, lesson),
  );
});

test('a reading is compared only with strictly earlier ones', () => {
  const baseline = steady(70, 0, hourMs, 120_000);
  const atMs = 2 * hourMs;
  const other = updateBaseline(baseline, { atMs, heart_rate: 120 });
  const valueOf = (it: Baseline) => computeTypicalValues(it, atMs).heart_rate.value;
  expect(valueOf(other)).toBeCloseTo(valueOf(baseline), 0);
});

test('a permanent change of the resting heart rate is learned', () => {
  const before = steady(60, 0, 20 * hourMs, 120_000);
  const after = steady(72, 60 * dayMs, 80 * hourMs, 120_000, before);
  expect(restingAt(after, 64 * dayMs)).toBeGreaterThan(69);
});

test('a baseline survives JSON, is finite and small, and stays between the population and the measured values', () => {
  checkLaw(history, (readings) => {
    const baseline = baselineAfter(readings) ?? {};
    const text = JSON.stringify(baseline);
    expect(text.length).toBeLessThan(2000);
    expect(computeTypicalValues(JSON.parse(text), laterMs)).toEqual(computeTypicalValues(baseline, laterMs));
    const { heart_rate, sdnn, rmssd } = computeTypicalValues(baseline, laterMs);
    const rates = [population, ...advanceAll(readings).flatMap(({ point }) => point.measured.heart_rate ?? [])];
    const { bin_bpm } = model.baseline;
    expect(heart_rate.value).toBeGreaterThanOrEqual(Math.min(...rates) - bin_bpm);
    expect(heart_rate.value).toBeLessThanOrEqual(Math.max(...rates) + bin_bpm);
    expect([sdnn, rmssd].every(({ value, known }) => Number.isFinite(value) && known >= 0 && known < 1)).toBe(true);
  });
});

test.each([
  ['at night', 0],
  ['after night shifts', 8],
])('a person who sleeps %s is compared with the level of the day when awake in these hours', (_, sleepHour) => {
  const random = seededRandom(7);
  let baseline: Baseline = {};
  for (let atMs = 0; atMs < 5 * dayMs; atMs += minuteMs) {
    const sinceSleep = ((atMs % dayMs) / hourMs - sleepHour + 24) % 24;
    baseline = updateBaseline(baseline, { atMs, heart_rate: (sinceSleep < 8 ? 50 : 70) + 6 * random() });
  }
  const at = (hour: number) => computeTypicalValues(baseline, 5 * dayMs + hour * hourMs).heart_rate;
  const [asleep, awake] = [at(sleepHour + 2), at(sleepHour + 14)];
  expect([asleep.isSleepTime, awake.isSleepTime]).toEqual([true, undefined]);
  expect(asleep.value).toBeGreaterThan(awake.value - 4);
  expect(asleep.stressedRiseBpm).toBeGreaterThanOrEqual(model.heart_rate.stressed_rise_bpm);
});
