/**
 * Measures RMSSD from beat-to-beat intervals with artifacts: without a filter, and as the service derives it from batches of 64
 * intervals.
 */
import { Command } from 'commander';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { mean, shareOf } from '../../packages/tools/evaluate/figures/statistics.js';
import { figureColumns, percent, textTable } from '../../packages/tools/terminal/table.js';
import type { IntervalBatch } from '../../packages/score/rows/session.js';
import {
  type Beat,
  storeIntervals,
  computeVariability,
  addDerivedVariability,
} from '../../packages/score/rr-intervals.js';
import type { Reading } from '../../packages/score/signals.js';
import {
  addEctopics,
  drawIntervals,
  drawRandomIntervals,
  type Rhythm,
  rhythms,
  shiftPeaks,
} from '../../testkit/simulation/rhythms.js';
import { positive } from '../options.js';

const { artifacts, runs, firstSeed } = new Command('evaluate:rr')
  .description('Measure the error of RMSSD on simulated intervals with ectopic beats and with shifted peaks.')
  .option('--artifacts <percent>', 'share of changed beats', positive, 5)
  .option('--runs <number>', 'simulated recordings per rhythm', positive, 50)
  .option('--first-seed <number>', 'seed of the first recording', positive, 1)
  .parse()
  .opts<{ artifacts: number; runs: number; firstSeed: number }>();

/** Length of a recording, s. The window of the service is longer, so it contains the whole recording. */
const recordingSeconds = 290;
const batchSize = 64;
const kinds = [addEctopics, shiftPeaks];

/** Returns RMSSD, ms. Undefined for unusable intervals. */
type Derive = (intervals: readonly number[]) => number | undefined;
const methods: ReadonlyArray<readonly [string, Derive]> = [
  ['no filter', (intervals) => computeVariability(beatsOf(intervals)).rmssd],
  ['the service', (intervals) => receive(intervals)?.rmssd],
];

const seeds = Array.from({ length: runs }, (_, index) => firstSeed + index);
console.log(`${artifacts} % of the beats are changed. ${runs} recordings of ${recordingSeconds} s per rhythm.\n`);
const titles = ['ectopic mean', 'shifted mean', 'clean mean, ms'].flatMap((it) => [it, 'max', 'unusable']);
console.log(
  textTable(
    [{ title: 'rhythm' }, { title: 'filter' }, ...figureColumns(...titles)],
    rhythms.map((rhythm) => methods.map(([name, derive]) => [rhythm.name, name, ...measure(rhythm, derive)])),
  ),
);
console.log('\nIntervals without a rhythm, relative standard deviation:');
const unusable = [0.1, 0.15, 0.2, 0.25, 0.3].map((deviation) => [
  `${deviation}`,
  percent(shareOf(seeds, (seed) => isUnusable(deviation, seed))),
]);
console.log(textTable(figureColumns('deviation', 'unusable'), [unusable]));

/** Returns the cells of a row: relative errors with artifacts, and errors of clean intervals in ms. */
function measure(rhythm: Rhythm, derive: Derive): string[] {
  const cleanErrors: Array<number | undefined> = [];
  const errors = kinds.map((): Array<number | undefined> => []);
  for (const seed of seeds) {
    const clean = drawIntervals(rhythm, Math.floor((recordingSeconds * rhythm.bpm) / 60), seededRandom(seed));
    const truth = computeVariability(beatsOf(clean)).rmssd ?? 0;
    const errorOf = (found: number | undefined) => (found === undefined ? undefined : Math.abs(found - truth));
    cleanErrors.push(errorOf(derive(clean)));
    for (const [index, disturb] of kinds.entries()) {
      const error = errorOf(derive(disturb(clean, artifacts / 100, seededRandom(seed))));
      errors[index]?.push(error === undefined ? undefined : error / truth);
    }
  }
  return [
    ...errors.flatMap((it) => cellsOf(it, (share) => percent(share))),
    ...cellsOf(cleanErrors, (ms) => ms.toFixed(2)),
  ];
}

function cellsOf(errors: ReadonlyArray<number | undefined>, format: (value: number) => string): string[] {
  const known = errors.filter((it) => it !== undefined);
  const unusable = shareOf(errors, (it) => it === undefined);
  return [format(mean(known)), format(Math.max(...known)), percent(unusable)];
}

function isUnusable(deviation: number, seed: number): boolean {
  return receive(drawRandomIntervals(800, deviation, 300, seededRandom(seed)))?.rrQuality === 'unusable';
}

/** Returns the last reading of a session that receives adjacent batches. */
function receive(intervals: readonly number[]): Reading | undefined {
  let batches: readonly IntervalBatch[] | undefined;
  let [atMs, last]: [number, Reading | undefined] = [0, undefined];
  for (let start = 0; start < intervals.length; start += batchSize) {
    const rr_intervals_ms = intervals.slice(start, start + batchSize);
    atMs += rr_intervals_ms.reduce((sum, it) => sum + it, 0);
    last = addDerivedVariability({ atMs, rr_intervals_ms }, batches ?? []);
    batches = storeIntervals(batches, { atMs, rr_intervals_ms });
  }
  return last;
}

function beatsOf(intervals: readonly number[]): Beat[] {
  let endMs = 0;
  return intervals.map((intervalMs) => ({ endMs: (endMs += intervalMs), intervalMs }));
}
