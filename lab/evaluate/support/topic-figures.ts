import { topicExtraction as settings } from '../../../packages/text/settings.js';
import { areas, type Area } from '../../../packages/text/vocabulary.js';
import type { Judgement } from './cross-validate.js';

/** Returns the area of a prediction. Undefined if there is none. */
export type Pick = (judgement: Judgement) => Area | undefined;

/** Returns the areas of the topics that the service returns with the gate threshold `concernMin`. */
export const returnedAreas = (
  { concern, ungated }: Judgement,
  concernMin: number = settings.concern_log_odds_min,
): readonly Area[] => (concern >= concernMin ? ungated : []);

/** Most likely area. Ignores the class "none". */
export const bestArea: Pick = ({ best }) => best;
/** Area of the first topic that the service returns. */
export const returnedArea: Pick = (judgement) => returnedAreas(judgement)[0];

export const ofKind = (judgements: readonly Judgement[], kind: string): Judgement[] =>
  judgements.filter(({ it }) => it.kind === kind);

/** Returns the F1 of each area over the stressor sentences of SAD's eight areas. "None" counts as a miss. */
export function scoreAreas(judgements: readonly Judgement[], pick: Pick): { area: Area; f1: number }[] {
  const judged = ofKind(judgements, 'sad');
  return areas.map((area) => {
    const picked = judged.filter((judgement) => pick(judgement) === area);
    const hits = picked.filter(({ it }) => it.area === area).length;
    const labeled = judged.filter(({ it }) => it.area === area).length;
    return { area, f1: (2 * hits) / Math.max(1, picked.length + labeled) };
  });
}

/** Returns the unweighted mean over the areas. */
export const macroF1 = (judgements: readonly Judgement[], pick: Pick): number =>
  mean(scoreAreas(judgements, pick).map(({ f1 }) => f1));

/** Returns the share of SAD's stressor sentences whose area is the raters' first or second choice. */
export const firstOrSecond = (judgements: readonly Judgement[], pick: Pick): number =>
  partOf(ofKind(judgements, 'sad'), (judgement) => {
    const area = pick(judgement);
    return area !== undefined && (area === judgement.it.area || area === judgement.it.sad?.second);
  });

/** Returns the share of texts with a topic. */
export const withTopic = (judgements: readonly Judgement[], concernMin?: number): number =>
  partOf(judgements, (judgement) => returnedAreas(judgement, concernMin).length > 0);

/** Returns the share of questions to a counselor whose first topic, or any topic, is in the labeled area. */
export const inLabeledArea = (judgements: readonly Judgement[], which: 'first' | 'any'): number =>
  partOf(judgements, (judgement) => {
    const returned = returnedAreas(judgement);
    return returned.slice(0, which === 'first' ? 1 : returned.length).some((area) => area === judgement.it.area);
  });

/** Figures of one setting of the gate. */
export interface GatePoint {
  readonly concernMin: number;
  /** Share of texts with a topic: mean over the three kinds of everyday text. */
  readonly falseAlarms: number;
  /** Share of SAD's stressor sentences with a topic. */
  readonly recall: number;
}

export const everydayKinds = ['request', 'instruction', 'chat'] as const;
const CURVE = { from: -4, to: 4, step: 0.25 };

/** Returns false alarms and recall for each setting of the gate. */
export const gateCurve = (everyday: readonly Judgement[], concerns: readonly Judgement[]): GatePoint[] =>
  Array.from({ length: (CURVE.to - CURVE.from) / CURVE.step + 1 }, (_, i) =>
    gatePoint(everyday, concerns, CURVE.from + i * CURVE.step),
  );

export const gatePoint = (
  everyday: readonly Judgement[],
  concerns: readonly Judgement[],
  concernMin: number,
): GatePoint => ({
  concernMin,
  falseAlarms: mean(everydayKinds.map((kind) => withTopic(ofKind(everyday, kind), concernMin))),
  recall: withTopic(ofKind(concerns, 'sad'), concernMin),
});

/** Returns the counts of labeled area (row) by predicted area (column). The last column counts "none". */
export function countConfusions(judgements: readonly Judgement[], pick: Pick): number[][] {
  const counts = areas.map(() => new Array<number>(areas.length + 1).fill(0));
  for (const judgement of ofKind(judgements, 'sad')) {
    const row = counts[areas.findIndex((area) => area === judgement.it.area)] ?? [];
    const area = pick(judgement);
    const column = area === undefined ? areas.length : areas.indexOf(area);
    row[column] = (row[column] ?? 0) + 1;
  }
  return counts;
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const partOf = <T>(items: readonly T[], holds: (item: T) => boolean): number =>
  items.length === 0 ? 0 : items.filter(holds).length / items.length;
