import { bandOf } from '../domain/states.js';
import type { TableRow } from '../terminal/table.js';
import type { AnsweredWindow } from '../terminal/task-summary.js';
import type { RecordedWindow } from '../recordings/recorded-window.js';
import { aucRow, type SideOf } from './auc-table.js';
import { resamples } from './bootstrap.js';
import type { EvaluatedService } from './service.js';
import { type AnsweredScore, personal, replayVariant, type Variant } from './variants.js';
import { yardsticks } from './yardsticks.js';

type People = readonly (readonly RecordedWindow[])[];

/** The responses per variant and person. */
export interface Evaluation {
  readonly people: People;
  readonly variants: readonly Variant[];
  readonly answers: ReadonlyMap<string, readonly (readonly AnsweredScore[])[]>;
}

/** Sends all windows once per variant. `onAnswer` is called after each response. */
export async function replayVariants(
  service: EvaluatedService,
  variants: readonly Variant[],
  people: People,
  onAnswer: () => void,
): Promise<Evaluation> {
  const answers = new Map<string, readonly (readonly AnsweredScore[])[]>();
  for (const variant of variants) answers.set(variant.name, await replayVariant(service, variant, people, onAnswer));
  return { people, variants, answers };
}

/** Returns two sections: one row per variant, then one row per method without the service that the signals allow. */
export function aucSections({ people, variants, answers }: Evaluation, sideOf: SideOf): TableRow[][] {
  const measured = variants.map(({ name, note }) => aucRow(name, note, answers.get(name) ?? [], sideOf));
  const compared = yardsticks
    .map(({ name, note, score }) => ({ name, note, scores: people.map(score) }))
    .filter(({ scores }) => scores.flat().length > 0)
    .map(({ name, note, scores }) => aucRow(name, note, scores, sideOf));
  return [measured, compared];
}

/** Returns the responses of the variant with one subject per person. */
export function personalAnswers({ answers }: Evaluation): readonly (readonly AnsweredScore[])[] {
  return answers.get(personal.name) ?? [];
}

/** Returns the published states of the variant with one subject per person. */
export function publishedStates(evaluation: Evaluation): AnsweredWindow[] {
  return personalAnswers(evaluation)
    .flat()
    .map(({ window, score }) => ({ window, reading: { stress_score: score, state: bandOf(score).state } }));
}

export interface Wording {
  /** How far apart the windows are on the clock of the service. */
  readonly pace: string;
  /** The labels of both sides. */
  readonly labels: string;
}

/** Returns the introduction of the AUC table. */
export function describe({ people }: Evaluation, sideOf: SideOf, { pace, labels }: Wording): string {
  const windows = people.flat();
  const clamps = windows.flatMap(({ clamped }) => clamped).length;
  return [
    `${windows.length} windows of ${people.length === 1 ? '1 person' : `${people.length} people`} through the running service, in the recorded order, ${pace}.`,
    `Values clamped to the bounds of the contract: ${clamps}. ROC AUC of stress_score on ${windows.filter((it) => sideOf(it) !== undefined).length} windows:`,
    `${labels}. Intervals: ${resamples} seeded resamples of people.`,
  ].join('\n');
}
