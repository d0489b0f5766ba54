import type { Column } from '../packages/tools/terminal/table.js';

/** Returns columns that are aligned on the right, for figures. */
export function figureColumns(...titles: readonly string[]): Column[] {
  return titles.map((title) => ({ title, align: 'right' }));
}

/** Returns a share as a percentage, e.g. `12.5 %`. */
export function percent(share: number, digits = 1): string {
  return `${(100 * share).toFixed(digits)} %`;
}
