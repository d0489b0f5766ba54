import { percent } from '../../figures.js';

/** Standard deviations of an interval of 95 %. */
const Z = 1.96;

/** Returns the cells of a share: count, percentage and interval. */
export function shareCells(count: number, total: number, digits = 0): [string, string, string] {
  if (total === 0) return ['0 of 0', '–', '–'];
  const [low, high] = computeInterval(count, total);
  return [`${count} of ${total}`, percent(count / total, digits), `${percent(low, digits)} – ${percent(high, digits)}`];
}

/** Returns a share with its interval in one cell, e.g. `12.5 % (8–18)`. */
export function shareWithInterval(count: number, total: number): string {
  const [low, high] = computeInterval(count, total).map((it) => Math.round(100 * it));
  return `${percent(count / total)} (${low}–${high})`;
}

/** Returns an AUC with its interval of 95 % (Hanley and McNeil 1982), e.g. `0.710 (0.68–0.74)`. */
export function aucWithInterval(auc: number, positives: number, negatives: number): string {
  const [both, neither] = [auc / (2 - auc) - auc ** 2, (2 * auc ** 2) / (1 + auc) - auc ** 2];
  const variance = (auc * (1 - auc) + (positives - 1) * both + (negatives - 1) * neither) / (positives * negatives);
  const half = Z * Math.sqrt(Math.max(0, variance));
  return `${auc.toFixed(3)} (${(auc - half).toFixed(2)}–${Math.min(1, auc + half).toFixed(2)})`;
}

/** Returns the interval of 95 % of a share (Wilson 1927). */
export function computeInterval(count: number, total: number): [low: number, high: number] {
  const share = count / total;
  const scale = 1 + Z ** 2 / total;
  const middle = (share + Z ** 2 / (2 * total)) / scale;
  const half = (Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2))) / scale;
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
