import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stressModel as model } from '../../generated/spec.js';
import { seededRandom } from '../../scripts/terminal/scenes.js';
import { type Baseline, learn, type Track, usualOf } from './baseline.js';
import type { Reading } from './signals.js';
import { baselineAfter, history, inTwoOrders, laterMs, laws } from './testing/arbitraries.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const population = model.heart_rate.population_bpm;
const fourHours = model.baseline.remembered_seconds;

/** Readings of one heart rate every gap, from an instant on. */
function steady(bpm: number, fromMs: number, forMs: number, gapMs: number, known?: Baseline): Baseline {
  let baseline = known ?? {};
  for (let atMs = fromMs; atMs <= fromMs + forMs; atMs += gapMs) baseline = learn(baseline, { atMs, heart_rate: bpm });
  return baseline;
}

const heartRateOf = (baseline: Baseline | undefined, atMs: number) => usualOf(baseline, atMs).heart_rate.value;

function trackOf({ heart_rate }: Baseline): Track {
  if (!heart_rate) throw new Error('no heart rate was learned');
  return heart_rate;
}

test('nobody known: the population, and nothing known of the person', () => {
  expect(usualOf(undefined, 0)).toEqual({
    heart_rate: { value: population, known: 0 },
    sdnn: { value: model.sdnn.population_ln_ms, known: 0 },
  });
});

test('the first reading is not taken for rest: it fades in, and never wholly', () => {
  const first = learn(undefined, { atMs: 0, heart_rate: population + 20 });
  expect(heartRateOf(first, 0)).toBe(population);
  expect(heartRateOf(first, 18_000) - population).toBeLessThan(0.15 * 20);
  expect(heartRateOf(first, 120_000)).toBeCloseTo(population + 0.8 * 20, 6);
  expect(heartRateOf(first, 10 * hourMs)).toBeCloseTo(population + 0.8 * 20, 6);
});

test('a steady heart rate becomes the usual one, across sessions', () => {
  const baseline = steady(58, dayMs, hourMs, 2000, steady(58, 0, hourMs, 2000));
  expect(heartRateOf(baseline, dayMs + 2 * hourMs)).toBeCloseTo(58, 0);
});

test('someone far from the population is learned within a day of readings', () => {
  const baseline = steady(112, 0, dayMs, 120_000);
  expect(Math.abs(heartRateOf(baseline, dayMs + hourMs) - 112)).toBeLessThan(2);
});

test('an hour of stress moves someone known for four hours or more less than a quarter of the way', () => {
  const people = fc.record({
    usual: fc.double({ min: 45, max: 100, noNaN: true }),
    raisedBy: fc.double({ min: 5, max: 60, noNaN: true }),
    hours: fc.integer({ min: 4, max: 12 }),
    everySeconds: fc.integer({ min: 20, max: 120 }),
    daysApart: fc.integer({ min: 0, max: 60 }),
    seed: fc.integer(),
  });
  fc.assert(
    fc.property(people, ({ usual, raisedBy, hours, everySeconds, daysApart, seed }) => {
      const random = seededRandom(seed);
      let baseline: Baseline = {};
      let atMs = 0;
      const liveAnHourAt = (bpm: number) => {
        for (const endMs = atMs + hourMs; atMs <= endMs; atMs += everySeconds * 1000)
          baseline = learn(baseline, { atMs, heart_rate: bpm + 4 * random() - 2 });
      };
      for (let hour = 0; hour < hours; hour += 1) {
        liveAnHourAt(usual);
        atMs += (daysApart * dayMs) / hours;
      }
      const before = heartRateOf(baseline, atMs);
      liveAnHourAt(usual + raisedBy);
      return heartRateOf(baseline, atMs) - before < (usual + raisedBy - before) / 4;
    }),
    laws,
  );
});

test('a single wild reading moves the usual by less than a tenth of its error', () => {
  const five = steady(70, 0, 8 * 60_000, 120_000);
  const next = learn(learn(five, { atMs: 600_000, heart_rate: 220 }), { atMs: 720_000, heart_rate: 70 });
  expect(heartRateOf(next, 840_000) - heartRateOf(five, 840_000)).toBeLessThan(0.1 * (220 - 70));
});

test('a reading counts for its time: a burst teaches no more than its seconds', () => {
  const rare = steady(60, 0, hourMs, 120_000);
  const burst = steady(100, hourMs + 100, 10_000, 100, rare);
  expect(heartRateOf(burst, 2 * hourMs) - heartRateOf(rare, 2 * hourMs)).toBeLessThan(1);
});

test('a reading stands for two minutes at most, however long the silence before it', () => {
  const baseline = steady(60, 0, hourMs, 120_000);
  const next = learn(learn(baseline, { atMs: dayMs, heart_rate: 60 }), { atMs: dayMs + 1000, heart_rate: 60 });
  expect(trackOf(next).meanSeconds).toBeCloseTo(trackOf(baseline).meanSeconds + 2 * 120, 6);
});

test('a late reading teaches nothing', () => {
  const baseline = steady(70, 0, hourMs, 2000);
  expect(learn(baseline, { atMs: 1000, heart_rate: 200, sdnn: 10 }).heart_rate).toEqual(baseline.heart_rate);
});

test('a reading is not compared with itself, nor with another of its instant, nor with a later one', () => {
  const baseline = steady(70, 0, hourMs, 2000);
  const atMs = hourMs + 2000;
  const other = learn(baseline, { atMs, heart_rate: 120 });
  expect(usualOf(other, atMs)).toEqual(usualOf(baseline, atMs));
  expect(usualOf(other, atMs - 1)).toEqual(usualOf(baseline, atMs));
});

test('the order of arrival within one instant teaches the same', () => {
  const orders = inTwoOrders(fc.array(fc.record({ heart_rate: fc.integer({ min: 30, max: 220 }) }), { minLength: 2 }));
  fc.assert(
    fc.property(history, orders, (before, [one, other]) => {
      const known = baselineAfter(before);
      const after = (order: typeof one) =>
        order.reduce((baseline, values) => learn(baseline, { ...values, atMs: laterMs }), known);
      expect(after(one)).toEqual(after(other));
    }),
    laws,
  );
});

test('what was known is half forgotten in four weeks, but never the last four hours', () => {
  const long = steady(70, 0, 40 * hourMs, 120_000);
  const secondsAfter = (gapMs: number) =>
    trackOf(learn(long, { atMs: trackOf(long).atMs + gapMs, heart_rate: 70 })).meanSeconds;
  expect(secondsAfter(28 * dayMs) / (40 * 3600 + 120)).toBeCloseTo(0.5, 1);
  expect(secondsAfter(2800 * dayMs)).toBe(fourHours);
});

test('nobody is less well known for a new reading', () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 0, max: 30 * dayMs }), (readings, gapMs) => {
      const before = usualOf(baselineAfter(readings), laterMs + gapMs);
      const reading = { atMs: laterMs + gapMs, heart_rate: 80, sdnn: 40 };
      const after = usualOf(learn(baselineAfter(readings), reading), laterMs + gapMs + 1);
      return after.heart_rate.known >= before.heart_rate.known && after.sdnn.known >= before.sdnn.known;
    }),
    laws,
  );
});

test('a baseline survives JSON and stays finite, small, and within what was read or the population', () => {
  const kept = (baseline: Baseline): Baseline => JSON.parse(JSON.stringify(baseline));
  const learnAll = (readings: readonly Reading[], keep: (baseline: Baseline) => Baseline) =>
    readings.reduce<Baseline>((baseline, reading) => keep(learn(baseline, reading)), {});
  fc.assert(
    fc.property(history, (readings) => {
      const baseline = learnAll(readings, kept);
      const text = JSON.stringify(baseline);
      expect(text).toBe(JSON.stringify(learnAll(readings, (it) => it)));
      expect(text.length).toBeLessThan(500);
      const { heart_rate, sdnn } = usualOf(baseline, laterMs);
      const rates = [population, ...readings.flatMap((reading) => reading.heart_rate ?? [])];
      expect(heart_rate.value).toBeGreaterThanOrEqual(Math.min(...rates) - 1e-9);
      expect(heart_rate.value).toBeLessThanOrEqual(Math.max(...rates) + 1e-9);
      expect(Number.isFinite(sdnn.value) && heart_rate.known >= 0 && heart_rate.known < 1).toBe(true);
    }),
    laws,
  );
});
