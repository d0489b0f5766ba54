import { areas, type Area } from '../../src/domain/topics/vocabulary.js';
import type { Judgement } from './cross-validate.js';
import { isJudged, isWithoutArea } from './sad.js';

/** An area a judgement names, undefined for none. */
export type Pick = (judgement: Judgement) => Area | undefined;

/** Best area whatever its share. */
export const bestArea: Pick = ({ best }) => best;
/** Area of the first topic that the service answers. */
export const answeredArea: Pick = ({ answered }) => answered[0];
/** Best area where its share reaches a threshold. */
export const areaFrom =
  (shareMin: number): Pick =>
  ({ best, share }) =>
    share >= shareMin ? best : undefined;

/** F1 of each area over the stressor sentences of the eight areas; a refusal counts as a miss. */
export function scoreAreas(judgements: readonly Judgement[], pick: Pick): { area: Area; f1: number }[] {
  const judged = judgements.filter(({ row }) => isJudged(row));
  return areas.map((area) => {
    const picked = judged.filter((judgement) => pick(judgement) === area);
    const hits = picked.filter(({ row }) => row.top === area).length;
    const labelled = judged.filter(({ row }) => row.top === area).length;
    return { area, f1: (2 * hits) / Math.max(1, picked.length + labelled) };
  });
}

/** Plain mean over the areas. */
export const macroF1 = (judgements: readonly Judgement[], pick: Pick): number =>
  mean(scoreAreas(judgements, pick).map(({ f1 }) => f1));

/** Part of the judged sentences whose best area is the raters' first or second choice. */
export const topOrSecond = (judgements: readonly Judgement[], pick: Pick): number =>
  partOf(
    judgements.filter(({ row }) => isJudged(row)),
    (judgement) => {
      const area = pick(judgement);
      return area !== undefined && (area === judgement.row.top || area === judgement.row.second);
    },
  );

/** Part of the rows without any area that yield a topic. */
export const falseAlarms = (judgements: readonly Judgement[], pick: Pick): number =>
  partOf(
    judgements.filter(({ row }) => isWithoutArea(row)),
    (judgement) => pick(judgement) !== undefined,
  );

/** Refusal at one threshold. */
export interface RefusalPoint {
  readonly shareMin: number;
  readonly macroF1: number;
  readonly falseAlarms: number;
  /** Part of the judged sentences that get a topic. */
  readonly answered: number;
}

const THRESHOLD_STEP = 0.02;
const THRESHOLD_MAX = 0.9;

/** The whole trade between refusing and answering. */
export function refusalCurve(judgements: readonly Judgement[]): RefusalPoint[] {
  const judged = judgements.filter(({ row }) => isJudged(row));
  return Array.from({ length: THRESHOLD_MAX / THRESHOLD_STEP + 1 }, (_, i) => {
    const shareMin = i * THRESHOLD_STEP;
    const pick = areaFrom(shareMin);
    return {
      shareMin,
      macroF1: macroF1(judgements, pick),
      falseAlarms: falseAlarms(judgements, pick),
      answered: partOf(judged, (judgement) => pick(judgement) !== undefined),
    };
  });
}

/** Counts of labelled area (row) by picked area (column); the last column counts refusals. */
export function countConfusions(judgements: readonly Judgement[], pick: Pick): number[][] {
  const counts = areas.map(() => new Array<number>(areas.length + 1).fill(0));
  for (const judgement of judgements.filter(({ row }) => isJudged(row))) {
    const row = counts[areas.indexOf(judgement.row.top as Area)] as number[];
    const area = pick(judgement);
    const column = area === undefined ? areas.length : areas.indexOf(area);
    row[column] = (row[column] as number) + 1;
  }
  return counts;
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const partOf = <T>(items: readonly T[], holds: (item: T) => boolean): number =>
  items.length === 0 ? 0 : items.filter(holds).length / items.length;
