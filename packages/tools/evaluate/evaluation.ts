import { bands } from '../../../generated/spec.js';
import type { Column, TableRow } from '../terminal/table.js';
import type { AnsweredWindow } from '../task-summary.js';
import { findState } from '../colors.js';
import type { RecordedWindow } from '../recordings/recorded-window.js';
import type { EvaluatedService } from './scores/service.js';
import { auc, intervalOverPeople, resamples, type Scored } from './figures/statistics.js';
import { type AnsweredReading, personal, replayVariant, type ScoredWindow, type Variant } from './scores/variants.js';

/** Returns the side of a window in the comparison. Undefined for a window that is sent but not compared. */
export type FindSide = (window: RecordedWindow) => 'stressor' | 'rest' | undefined;
type People = readonly (readonly RecordedWindow[])[];
type Answers = readonly (readonly AnsweredReading[])[];

/** The responses per variant and person. */
export interface Evaluation {
  readonly people: People;
  readonly variants: readonly Variant[];
  readonly answers: ReadonlyMap<string, Answers>;
}

/** Sends all windows once per variant. `onAnswer` is called after each response. */
export async function replayVariants(
  service: EvaluatedService,
  variants: readonly Variant[],
  people: People,
  onAnswer: () => void,
): Promise<Evaluation> {
  const answers = new Map<string, Answers>();
  for (const variant of variants) answers.set(variant.name, await replayVariant(service, variant, people, onAnswer));
  return { people, variants, answers };
}

export const aucColumns: readonly Column[] = [
  { title: 'variant' },
  { title: 'AUC', align: 'right' },
  { title: '95 % interval', align: 'right' },
  { title: 'stressor readings stressed', align: 'right' },
  { title: 'rest readings stressed', align: 'right' },
  { title: 'description' },
];

/**
 * Returns two sections: one row per variant, then one row per method that scores without the service. Omits methods
 * whose signals the recording does not have.
 */
export function aucSections({ people, variants, answers }: Evaluation, findSide: FindSide): TableRow[][] {
  const measured = variants.map(({ name, note }) => aucRow(name, note, answers.get(name) ?? [], findSide));
  const compared = comparisons
    .map(({ name, note, score }) => ({ name, note, scores: people.map((windows) => score(findHeartRates(windows))) }))
    .filter(({ scores }) => scores.flat().length > 0)
    .map(({ name, note, scores }) => aucRow(name, note, scores, findSide));
  return [measured, compared];
}

interface HeartRate {
  readonly window: RecordedWindow;
  readonly bpm: number;
}

const typicalBpm = 70;
/** Weight of the typical heart rate, as a number of windows. */
const typicalWeight = 0.5;

/** Scores from heart rate alone, computed without the service. */
const comparisons = [
  {
    name: 'comparison: raw heart rate',
    note: 'bpm as recorded',
    score: (rates: readonly HeartRate[]) => rates.map(({ window, bpm }) => ({ window, score: bpm })),
  },
  {
    name: 'comparison: running mean',
    note: `bpm above the mean of the earlier readings and ${typicalWeight} reading of ${typicalBpm} bpm`,
    score(rates: readonly HeartRate[]) {
      let sum = typicalWeight * typicalBpm;
      return rates.map(({ window, bpm }, index) => {
        const score = bpm - sum / (typicalWeight + index);
        sum += bpm;
        return { window, score };
      });
    },
  },
];

function findHeartRates(windows: readonly RecordedWindow[]): HeartRate[] {
  return windows.flatMap((window) => {
    const bpm = window.values.heart_rate;
    return bpm === undefined ? [] : [{ window, bpm }];
  });
}

/** Returns the figures of one variant. The interval is a dash for one person, because it resamples people. */
function aucRow(name: string, note: string, people: readonly (readonly ScoredWindow[])[], sideOf: FindSide): TableRow {
  const compared = people.map((answers) =>
    answers.flatMap(({ window, score }): Scored[] => {
      const side = sideOf(window);
      return side === undefined ? [] : [{ score, isStressor: side === 'stressor' }];
    }),
  );
  const statistic = (sample: readonly (readonly Scored[])[]) => auc(sample.flat());
  const [low, high] = people.length < 2 ? [Number.NaN, Number.NaN] : intervalOverPeople(compared, statistic);
  const interval = Number.isNaN(low) ? '–' : `${format(low)}–${format(high)}`;
  return [name, format(statistic(compared)), interval, ...shareStressed(compared.flat()), note];
}

function format(figure: number): string {
  return Number.isNaN(figure) ? '–' : figure.toFixed(3);
}

/** Returns the shares of stressor windows and of rest windows whose state is stressed or acute_stress. */
function shareStressed(windows: readonly Scored[]): [string, string] {
  if (windows.some(({ score }) => !Number.isInteger(score))) return ['', ''];
  const minScore = bands.find(({ state }) => state === 'stressed')?.min_score ?? 0;
  const share = (group: readonly Scored[]) => {
    if (group.length === 0) return '–';
    return `${((100 * group.filter(({ score }) => score >= minScore).length) / group.length).toFixed(0)} %`;
  };
  return [share(windows.filter((it) => it.isStressor)), share(windows.filter((it) => !it.isStressor))];
}

/** Returns the published states of the variant with one subject per person. */
export function publishedStates({ answers }: Evaluation): AnsweredWindow[] {
  return (answers.get(personal.name) ?? [])
    .flat()
    .map(({ window, score }) => ({ window, reading: { stress_score: score, state: findState(score) } }));
}

/** Returns the introduction of the AUC table. `pace` tells how far apart the windows are, `labels` names both sides. */
export function describe(
  { people }: Evaluation,
  sideOf: FindSide,
  { pace, labels }: { readonly pace: string; readonly labels: string },
): string {
  const windows = people.flat();
  const clamps = windows.flatMap(({ clamped }) => clamped).length;
  return [
    `${windows.length} readings of ${people.length === 1 ? '1 person' : `${people.length} people`} through the running service, in the recorded order, ${pace}.`,
    `Values clamped to the bounds of the contract: ${clamps}. ROC AUC of stress_score on ${windows.filter((it) => sideOf(it) !== undefined).length} readings:`,
    `${labels}. Intervals: ${resamples} seeded resamples of people.`,
  ].join('\n');
}
