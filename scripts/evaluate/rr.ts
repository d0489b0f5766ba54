/**
 * Measures SDNN and RMSSD from beat-to-beat intervals with ectopic beats: without correction, with the artifact filter of
 * the service, and with the one of Lipponen and Tarvainen (2019).
 */
import { Command } from 'commander';
import { type Beat, normalBeats, variabilityOf } from '../../src/domain/rr-intervals.js';
import { positive } from '../terminal/options.js';
import { seededRandom } from '../../src/terminal/scenes.js';
import { textTable } from '../../src/terminal/table.js';
import { findArtifacts } from './support/lipponen-tarvainen.js';
import { drawIntervals, injectEctopics, type Rhythm, rhythms } from './support/rhythms.js';

const { ectopics, runs } = new Command('evaluate:rr')
  .description('Measure the error of SDNN and RMSSD on simulated intervals with ectopic beats.')
  .option('--ectopics <percent>', 'share of ectopic beats', positive, 5)
  .option('--runs <number>', 'simulated recordings per rhythm', positive, 50)
  .parse()
  .opts<{ ectopics: number; runs: number }>();

const beatsPerRun = 350;
type Filter = (beats: readonly Beat[]) => ReadonlyArray<Beat | undefined>;
const filters: ReadonlyArray<readonly [string, Filter]> = [
  ['no filter', (beats) => beats],
  ['20 % filter of the service', normalBeats],
  ['Lipponen and Tarvainen', withoutArtifacts],
];

interface Errors {
  /** Relative errors. */
  readonly sdnn: number;
  readonly rmssd: number;
  /** Error of RMSSD without ectopic beats, ms. */
  readonly cleanMs: number;
}

const sections = rhythms.map((rhythm) =>
  filters.map(([name, filter]) => [
    rhythm.name,
    name,
    ...cellsOf(Array.from({ length: runs }, (_, seed) => measure(rhythm, filter, seededRandom(seed + 1)))),
  ]),
);
const titles = ['SDNN mean', 'SDNN max', 'RMSSD mean', 'RMSSD max', 'clean RMSSD max, ms'];
console.log(
  textTable(
    [{ title: 'rhythm' }, { title: 'filter' }, ...titles.map((title) => ({ title, align: 'right' as const }))],
    sections,
  ),
);
console.log(
  `\nRelative errors with ${ectopics} % ectopic beats, ${runs} recordings of ${beatsPerRun} beats per rhythm.`,
);

function measure(rhythm: Rhythm, filter: Filter, random: () => number): Errors {
  const clean = drawIntervals(rhythm, beatsPerRun, random);
  const truth = variabilityOf(beatsOf(clean));
  const untouched = variabilityOf(filter(beatsOf(clean)));
  const found = variabilityOf(filter(beatsOf(injectEctopics(clean, ectopics / 100, random))));
  return {
    sdnn: errorOf(found.sdnn, truth.sdnn),
    rmssd: errorOf(found.rmssd, truth.rmssd),
    cleanMs: Math.abs((untouched.rmssd ?? 0) - (truth.rmssd ?? 0)),
  };
}

function cellsOf(errors: readonly Errors[]): string[] {
  const spread = (values: readonly number[]) => [
    percent(values.reduce((sum, it) => sum + it, 0) / values.length),
    percent(Math.max(...values)),
  ];
  const cleanMs = Math.max(...errors.map((it) => it.cleanMs));
  return [...spread(errors.map((it) => it.sdnn)), ...spread(errors.map((it) => it.rmssd)), cleanMs.toFixed(1)];
}

function withoutArtifacts(beats: readonly Beat[]): Array<Beat | undefined> {
  const isArtifact = findArtifacts(beats.map(({ intervalMs }) => intervalMs));
  return beats.map((beat, index) => (isArtifact[index] ? undefined : beat));
}

function beatsOf(intervals: readonly number[]): Beat[] {
  let endMs = 0;
  return intervals.map((intervalMs) => ({ endMs: (endMs += intervalMs), intervalMs }));
}

function errorOf(found = 0, truth = 1): number {
  return Math.abs(found / truth - 1);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
