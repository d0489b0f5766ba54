import { expect, test } from 'vitest';
import { seededRandom } from '../tools/terminal/scenes.js';
import { updateQuietHeartRate, detectSuddenRise } from './heart.js';
import { stressModel } from './model.js';
import type { QuietHeartRate } from './rows/session.js';

const { from_bpm, until_bpm, rise_seconds, rise_seconds_max, pause_seconds, sd_bpm_max } = stressModel.sudden_rise;
const quietSeconds = stressModel.sudden_rise.quiet_seconds;
const rest = 64;
const day = { value: rest + 10 };

/** Adds a heart rate every `every` seconds. */
function follow(
  held: QuietHeartRate | undefined,
  seconds: number,
  every: number,
  bpm: () => number,
): QuietHeartRate | undefined {
  let quiet = held;
  for (let at = 0; at < seconds; at += every) quiet = updateQuietHeartRate(quiet, bpm(), every);
  return quiet;
}

/** Returns the sudden rise after ten quiet minutes and a raised heart rate for `seconds`. */
function riseAfter(seconds: number, bpm = rest + from_bpm, every = 5, quietBpm = () => rest): number | undefined {
  const quiet = follow(undefined, quietSeconds, every, quietBpm);
  const raised = follow(quiet, seconds, every, () => bpm);
  return raised && detectSuddenRise(raised, bpm, day);
}

test.each([1, 5, 15, 60])('a rise counts after its time with a reading every %i s', (every) => {
  const random = seededRandom(1);
  const noisy = () => rest + 6 * (random() - 0.5);
  expect(riseAfter(rise_seconds, rest + 25, every, noisy)).toBeUndefined();
  const rise = riseAfter(rise_seconds + every, rest + 25, every, noisy);
  expect(rise).toBeGreaterThan(23);
  expect(rise).toBeLessThan(27);
});

test('a smaller rise does not count, nor a rise after fewer quiet minutes or unsteady ones', () => {
  expect(riseAfter(300)).toBe(from_bpm);
  expect(riseAfter(300, rest + from_bpm - 0.1)).toBeUndefined();
  const early = follow(undefined, quietSeconds - 5, 5, () => rest);
  const raised = follow(early, 300, 5, () => rest + from_bpm) as QuietHeartRate;
  expect(detectSuddenRise(raised, rest + from_bpm, day)).toBeUndefined();
  let sign = 1;
  const unsteady = (sd: number) => () => rest + sd * (sign *= -1);
  expect(riseAfter(300, rest + 25, 5, unsteady(sd_bpm_max + 0.2))).toBeUndefined();
  expect(riseAfter(300, rest + 25, 5, unsteady(sd_bpm_max - 0.2))).toBeDefined();
});

test('a rise lasts until the heart rate falls, a pause, or its longest time', () => {
  const quiet = follow(undefined, quietSeconds, 5, () => rest);
  const raised = follow(quiet, 300, 5, () => rest + 25) as QuietHeartRate;
  const after = (bpm: number, gapSeconds: number) =>
    detectSuddenRise(updateQuietHeartRate(raised, bpm, gapSeconds), bpm, day);
  expect(after(rest + until_bpm, 5)).toBe(until_bpm);
  expect(after(rest + until_bpm - 0.1, 5)).toBeUndefined();
  expect(after(rest + 25, pause_seconds)).toBe(25);
  expect(after(rest + 25, pause_seconds + 1)).toBeUndefined();
  expect(riseAfter(rise_seconds_max, rest + 25)).toBe(25);
  expect(riseAfter(rise_seconds_max + 10, rest + 25)).toBeUndefined();
});

test('in hours of sleep, a rise from sleep counts from the level of the day, and a rise from the level of the day as by day', () => {
  const night = { ...day, isSleepTime: true as const };
  const bpm = day.value + from_bpm;
  const riseFrom = (quietBpm: number, to: number) => {
    const quiet = follow(undefined, quietSeconds, 5, () => quietBpm);
    const raised = follow(quiet, 300, 5, () => to) as QuietHeartRate;
    return detectSuddenRise(raised, to, night);
  };
  expect(riseFrom(rest, bpm - 0.1)).toBeUndefined();
  expect(riseFrom(rest, bpm)).toBe(from_bpm + 10);
  expect(riseFrom(day.value, bpm)).toBe(from_bpm);
});
