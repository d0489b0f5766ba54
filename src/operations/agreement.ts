import { bands, feedback as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { round3 } from '../../packages/score/rows/values.js';
import { findBand } from '../../packages/score/states.js';

/** A report with the score that was published for its time. */
export interface ScoredReport {
  /** All people have the same weight, and each shares it among their reports. */
  readonly person: string;
  /** Reports of one group are not independent: those of a day of a person, or of a person of an account. */
  readonly group: string;
  /** Published score, 0 to 100. */
  readonly score: number;
  /** Reported stress, 0 to 10. */
  readonly stress: number;
}

export type AssessedAgreement = Pick<
  Schema<'Agreement'>,
  'status' | 'scored_reports' | 'stressed_reports' | 'groups' | 'auc' | 'calibration'
>;

/** Compares published scores with reports. The AUC is absent below the numbers of `x-feedback`. */
export function assessAgreement(reports: readonly ScoredReport[]): AssessedAgreement {
  const stressed = reports.filter(isStressed).length;
  const groups = groupItems(reports).size;
  const isEnough =
    reports.length >= settings.reports_min &&
    Math.min(stressed, reports.length - stressed) >= settings.side_reports_min &&
    groups >= settings.groups_min;
  return {
    status: isEnough ? 'measured' : 'not_enough_reports',
    scored_reports: reports.length,
    stressed_reports: stressed,
    groups,
    ...(isEnough && { auc: estimateAuc(reports) }),
    calibration: bands.map(({ state }) => calibrate(state, reports)),
  };
}

function isStressed({ stress }: Pick<ScoredReport, 'stress'>): boolean {
  return stress >= settings.stressed_from;
}

/**
 * Returns the area under the ROC curve with its 95 % interval. Requires reports of both sides.
 *
 * The variance between groups is that of Obuchowski (1997), "Nonparametric analysis of clustered ROC curve data",
 * Biometrics 53. If each report is its own group, it equals the variance of DeLong et al. (1988), Biometrics 44. The
 * ratio of both is the design effect. The interval of Newcombe (2006) assumes independent reports. This project multiplies
 * the variance of that interval by the design effect, as surveys with clusters do for shares.
 */
export function estimateAuc(reports: readonly ScoredReport[]): Schema<'Estimate'> {
  const wins = rankReports(weigh(reports));
  const [stressed, calm] = [true, false].map((side) => wins.filter((win) => win.stressed === side)) as [Win[], Win[]];
  const totals = [addUp(stressed), addUp(calm)] as const;
  const sizes = [computeSize(stressed), computeSize(calm)] as const;
  const auc = removeError(sum(stressed.map(({ weight, share }) => weight * share)) / totals[0]);
  const groups = groupItems(wins);
  const single = new Map(wins.map((win, index) => [String(index), [win]]));
  const alone = computeVariance(single, auc, totals);
  const effect = computeEffect(computeVariance(groups, auc, totals), alone, groups.size, sizes[0] + sizes[1]);
  return toEstimate(auc, (bound) => effect * theoreticalVariance(bound, sizes));
}

/** A smaller difference is an error of floating-point numbers, which depends on the order of reports. */
const rounding = 1e-12;

const removeError = (value: number) => Math.round(value / rounding) * rounding;

type Weighted = ScoredReport & { readonly weight: number };

/** Gives all people the same weight. */
function weigh(reports: readonly ScoredReport[]): Weighted[] {
  const counts = new Map<string, number>();
  for (const { person } of reports) counts.set(person, (counts.get(person) ?? 0) + 1);
  return reports.map((report) => ({ ...report, weight: 1 / (counts.get(report.person) ?? 1) }));
}

function addUp(its: readonly Weighted[]): number {
  return sum(its.map(({ weight }) => weight));
}

/** Returns the number of reports of equal weight that are as informative (Kish 1965). */
function computeSize(its: readonly Weighted[]): number {
  return addUp(its) ** 2 / sum(its.map(({ weight }) => weight ** 2));
}

/** A report, and the share of the weight of the other side that it is ranked correctly against. */
interface Win extends Weighted {
  readonly stressed: boolean;
  readonly share: number;
}

/** Ranks each report against those of the other side. Equal scores count half. */
function rankReports(reports: readonly Weighted[]): Win[] {
  const weights = new Map<number, [calm: number, stressed: number]>();
  for (const report of reports) {
    const [calm, stressed] = weights.get(report.score) ?? [0, 0];
    const { weight } = report;
    weights.set(report.score, isStressed(report) ? [calm, stressed + weight] : [calm + weight, stressed]);
  }
  const [below, total] = [new Map<number, readonly [number, number]>(), [0, 0] as [number, number]];
  for (const [score, [calm, stressed]] of [...weights].sort(([a], [b]) => a - b)) {
    below.set(score, [total[0] + calm / 2, total[1] + stressed / 2]);
    total[0] += calm;
    total[1] += stressed;
  }
  return reports.map((report) => {
    const [calm, stressed] = below.get(report.score) ?? [0, 0];
    return isStressed(report)
      ? { ...report, stressed: true, share: calm / total[0] }
      : { ...report, stressed: false, share: 1 - stressed / total[1] };
  });
}

/** Returns the variance of the AUC between groups (Obuchowski 1997). `totals` are the weights of both sides. */
function computeVariance(
  groups: ReadonlyMap<string, readonly Win[]>,
  auc: number,
  totals: readonly [number, number],
): number {
  const sides = [...groups.values()].map((wins) =>
    [true, false].map((side) => {
      const mine = wins.filter(({ stressed }) => stressed === side);
      return { isPresent: mine.length > 0, deviation: sum(mine.map(({ weight, share }) => weight * (share - auc))) };
    }),
  );
  const own = [0, 1].map((side) => {
    const present = sides.filter((it) => it[side]?.isPresent).length;
    return unbiased(present) * sum(sides.map((it) => (it[side]?.deviation ?? 0) ** 2));
  }) as [number, number];
  const shared = unbiased(groups.size) * sum(sides.map(([a, b]) => (a?.deviation ?? 0) * (b?.deviation ?? 0)));
  const [stressed, calm] = totals;
  return own[0] / stressed ** 2 + own[1] / calm ** 2 + (2 * shared) / (stressed * calm);
}

function unbiased(count: number): number {
  return count > 1 ? count / (count - 1) : 1;
}

/** Returns the variance of an AUC with this true value (Newcombe 2006, Statistics in Medicine 25, method 5). */
function theoreticalVariance(auc: number, [stressed, calm]: readonly [number, number]): number {
  const size = (stressed + calm) / 2 - 1;
  const factor = 1 + (size * (1 - auc)) / (2 - auc) + (size * auc) / (1 + auc);
  return (auc * (1 - auc) * factor) / (stressed * calm);
}

/** Returns the reports whose score is in the band of the state. */
function calibrate(state: Schema<'State'>, reports: readonly ScoredReport[]): Schema<'CalibrationBand'> {
  const mine = weigh(reports.filter(({ score }) => findBand(score).state === state));
  if (mine.length === 0) return { state, reports: 0 };
  return {
    state,
    reports: mine.length,
    mean_score: mean(mine, ({ score }) => score),
    mean_stress: mean(mine, ({ stress }) => stress),
    ...(mine.length >= settings.band_reports_min && { stressed_share: estimateShare(mine) }),
  };
}

/**
 * Returns the share of stressed reports with the interval of Wilson (1927). The number of reports is divided by the
 * design effect, as Dean and Pagano (2015) and Franco et al. (2019) evaluate it.
 */
function estimateShare(reports: readonly Weighted[]): Schema<'Estimate'> {
  const [total, size] = [addUp(reports), computeSize(reports)];
  const share = removeError(addUp(reports.filter(isStressed)) / total);
  const groups = [...groupItems(reports).values()];
  const deviations = groups.map((its) => addUp(its.filter(isStressed)) - share * addUp(its));
  const between = (unbiased(groups.length) * sum(deviations.map((it) => it ** 2))) / total ** 2;
  const alone = (unbiased(reports.length) * share * (1 - share)) / size;
  const effect = computeEffect(between, alone, groups.length, size);
  return toEstimate(share, (bound) => (effect * bound * (1 - bound)) / size);
}

function groupItems<Item extends { readonly group: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.group);
    if (group) group.push(item);
    else groups.set(item.group, [item]);
  }
  return groups;
}

function mean(its: readonly Weighted[], pick: (it: Weighted) => number): number {
  return Math.round(removeError((10 * sum(its.map((it) => it.weight * pick(it)))) / addUp(its))) / 10;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const z2 = settings.interval_z ** 2;

/**
 * Returns the design effect, at least 1, of the variances between groups and of independent reports. Multiplies their
 * ratio by (t/z)², because few groups do not show well how much they differ (Korn and Graubard 1998). t is the 97.5 %
 * quantile of Student's distribution by the expansion of Abramowitz and Stegun (26.7.5), which is exact to 0.1 % from
 * five groups on. If all reports are equal, each group counts as one report.
 */
export function computeEffect(between: number, alone: number, groups: number, size: number): number {
  const isKnown = alone > rounding && groups > 1;
  if (!isKnown) return Math.max(1, size / groups);
  const z = settings.interval_z;
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  const t = z + terms.reduce((sum, term, index) => sum + term / (groups - 1) ** (index + 1), 0);
  return Math.max(1, (between / alone) * (t / z) ** 2);
}

/** Returns the estimate with its score interval: all true values whose distance is at most z standard errors. */
function toEstimate(value: number, variance: (bound: number) => number): Schema<'Estimate'> {
  const isOutside = (bound: number) => (value - bound) ** 2 > z2 * variance(bound);
  const solve = (outside: number) => {
    let [out, within] = [outside, value];
    // Halves the distance until the bound is exact to far more than three decimals.
    for (let step = 0; step < 40; step += 1) {
      const middle = (out + within) / 2;
      if (isOutside(middle)) out = middle;
      else within = middle;
    }
    return round3(within);
  };
  return { value: round3(value), low: solve(0), high: solve(1) };
}
