import { estimate, mean, quotient } from '../../../packages/tools/evaluate/figures/statistics.js';
import { type Column, figureColumns, percent, type TableRow } from '../../../packages/tools/terminal/table.js';
import { computeInterval } from '../support/share.js';

/** A goal: a share must be at least or at most this. */
export interface Goal {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** A table of figures. */
export interface Figures {
  readonly columns: readonly Column[];
  readonly sections: readonly (readonly TableRow[])[];
}

/** Returns a table of figures with their interval of 95 %, their goal and whether it is met. */
export function toFigures(title: string, sections: Figures['sections']): Figures {
  return { columns: [{ title }, ...figureColumns('texts', 'result', '95 %', 'goal', 'met')], sections };
}

/**
 * Returns the line of the share of the texts for which something holds. Texts that are judged several times have a share, 0 to 1,
 * and count once, so the interval is by text.
 */
export function shareLine<T>(
  name: string,
  texts: readonly T[],
  holds: (text: T) => boolean | number,
  goal: Goal = {},
  digits = 1,
): TableRow {
  if (texts.length === 0) return [name, '0', '–'];
  const share = mean(texts.map((it) => Number(holds(it))));
  const interval = computeInterval(share * texts.length, texts.length);
  return toLine(name, texts.length, share, interval, goal, (it) => percent(it, digits));
}

/** Returns the line of the quotient of two means over the same texts, with a bootstrap over the texts. */
export function quotientLine(name: string, pairs: ReadonlyArray<readonly [number, number]>, goal: Goal): TableRow {
  const { value, low, high } = estimate(pairs, quotient);
  return toLine(name, pairs.length, value, [low ?? value, high ?? value], goal, (it) => it.toFixed(2));
}

export function toLine(
  name: string,
  total: number,
  value: number,
  [low, high]: readonly [number, number],
  { min, max }: Goal,
  format: (value: number) => string,
): TableRow {
  const isMet = (min === undefined || value >= min) && (max === undefined || value <= max);
  const goal = min === undefined ? (max === undefined ? '' : `≤ ${format(max)}`) : `≥ ${format(min)}`;
  return [name, String(total), format(value), `${format(low)} – ${format(high)}`, goal, goal && (isMet ? 'yes' : 'no')];
}
