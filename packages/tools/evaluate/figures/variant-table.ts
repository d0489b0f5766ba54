/** The tables of `tools evaluate`. */
import { findState } from '../../colors.js';
import { groupBy } from '../../group-by.js';
import { type AnsweredWindow, summarize, summaryColumns } from '../../task-summary.js';
import { type Column, figureColumns, percent, type TableRow } from '../../terminal/table.js';
import type { Row } from '../protocol/rows.js';
import { measure, type Score } from './figures.js';
import { printInterval, resamples } from './statistics.js';

/** A way to score the rows, and its scores by the ids of the rows. */
export interface Scoring {
  readonly name: string;
  readonly note: string;
  readonly scores: ReadonlyMap<string, Score>;
}

type Table = readonly [columns: readonly Column[], sections: TableRow[][]];

const aucColumns: readonly Column[] = [
  { title: 'variant' },
  ...figureColumns('AUC', '95 % interval', 'stressor readings stressed', 'rest readings stressed'),
  { title: 'description' },
];

/**
 * Returns two sections: one row per variant, then one row per method that scores without the service. Omits methods
 * whose signals the recording does not have.
 */
export function listVariants(rows: readonly Row[], variants: readonly Scoring[]): Table {
  const people = [...groupBy(rows, ({ group }) => group).values()];
  const compared = comparisons
    .map(({ name, note, score }) => ({ name, note, scores: new Map(people.flatMap((own) => score(listRates(own)))) }))
    .filter(({ scores }) => scores.size > 0);
  return [aucColumns, [variants.map((it) => toCells(rows, it)), compared.map((it) => compareBpm(rows, it))]];
}

interface HeartRate {
  readonly id: string;
  readonly bpm: number;
}

const typicalBpm = 70;
/** Weight of the typical heart rate, as a number of windows. */
const typicalWeight = 0.5;

/** A score that is no state, so that nobody is called stressed. */
const unstated = ({ id }: HeartRate, score: number) => [id, { score, isStressed: false }] as const;

/** Scores from heart rate alone, computed without the service. */
const comparisons = [
  {
    name: 'comparison: raw heart rate',
    note: 'bpm as recorded',
    score: (rates: readonly HeartRate[]) => rates.map((it) => unstated(it, it.bpm)),
  },
  {
    name: 'comparison: running mean',
    note: `bpm above the mean of the earlier readings and ${typicalWeight} reading of ${typicalBpm} bpm`,
    score(rates: readonly HeartRate[]) {
      let sum = typicalWeight * typicalBpm;
      return rates.map((it, index) => {
        const score = it.bpm - sum / (typicalWeight + index);
        sum += it.bpm;
        return unstated(it, score);
      });
    },
  },
];

function listRates(rows: readonly Row[]): HeartRate[] {
  return rows.flatMap(({ id, window }) => {
    const bpm = window.values.heart_rate;
    return bpm === undefined ? [] : [{ id, bpm }];
  });
}

/** Returns the figures of a comparison, which has a score for rows with a heart rate only. */
function compareBpm(rows: readonly Row[], scoring: Scoring): TableRow {
  const scored = rows.map((row) => (scoring.scores.has(row.id) ? row : { ...row, side: undefined }));
  return toCells(scored, scoring, () => '');
}

/** Returns the figures of one variant. The interval is a dash for one person, because it resamples people. */
function toCells(
  rows: readonly Row[],
  { name, note, scores }: Scoring,
  printShare = (share: number) => percent(share, 0),
): TableRow {
  const { auc, stress_called_stressed: stress, rest_called_stressed: rest } = measure(rows, scores);
  const [low, high] = [auc.low ?? Number.NaN, auc.high ?? Number.NaN];
  const interval = Number.isNaN(low) ? '–' : printInterval(low, high, printArea);
  return [name, printArea(auc.value), interval, printShare(stress.value), printShare(rest.value), note];
}

function printArea(area: number): string {
  return Number.isNaN(area) ? '–' : area.toFixed(3);
}

/** Returns the table of the published states per task and label, or per label if each task is a label. */
export function listStates(rows: readonly Row[], { scores }: Pick<Scoring, 'scores'>): Table {
  const windows = rows.map(({ window }) => window);
  const answers = rows.map(({ id, window }): AnsweredWindow => {
    const { score: stress_score = Number.NaN } = scores.get(id) ?? {};
    return { window, reading: { stress_score, state: findState(stress_score) } };
  });
  const [tasks = [], labels = []] = summarize(windows, answers);
  if (windows.some(({ task, label }) => task !== label)) return [summaryColumns, [tasks, labels]];
  return [summaryColumns.slice(1), [labels.map((row) => row.slice(1))]];
}

/** Returns the introduction of the AUC table. `pace` tells how far apart the windows are, `labels` names both sides. */
export function describe(
  rows: readonly Row[],
  { pace, labels }: { readonly pace: string; readonly labels: string },
): string {
  const people = new Set(rows.map(({ group }) => group)).size;
  const clamps = rows.flatMap(({ window }) => window.clamped).length;
  return [
    `${rows.length} readings of ${people === 1 ? '1 person' : `${people} people`} through the running service, in the recorded order, ${pace}.`,
    `Values clamped to the bounds of the contract: ${clamps}. ROC AUC of stress_score on ${rows.filter(({ side }) => side !== undefined).length} readings:`,
    `${labels}. Intervals: ${resamples} seeded resamples of people.`,
  ].join('\n');
}
