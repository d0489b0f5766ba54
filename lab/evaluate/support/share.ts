import { percent } from '../../figures.js';

/** Standard deviations of an interval of 95 %. */
const Z = 1.96;

/** Returns a share with its interval in one cell, e.g. `12.5 % (8–18)`. */
export function shareWithInterval(count: number, total: number): string {
  const [low, high] = computeInterval(count, total).map((it) => Math.round(100 * it));
  return `${percent(count / total)} (${low}–${high})`;
}

/** Returns the interval of 95 % of an AUC (Hanley and McNeil 1982). */
export function computeAucInterval(auc: number, positives: number, negatives: number): [low: number, high: number] {
  const [both, neither] = [auc / (2 - auc) - auc ** 2, (2 * auc ** 2) / (1 + auc) - auc ** 2];
  const variance = (auc * (1 - auc) + (positives - 1) * both + (negatives - 1) * neither) / (positives * negatives);
  const half = Z * Math.sqrt(Math.max(0, variance));
  return [Math.max(0, auc - half), Math.min(1, auc + half)];
}

/** Returns the interval of 95 % of a share (Wilson 1927). */
export function computeInterval(count: number, total: number): [low: number, high: number] {
  const share = count / total;
  const scale = 1 + Z ** 2 / total;
  const middle = (share + Z ** 2 / (2 * total)) / scale;
  const half = (Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2))) / scale;
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
