import { textTable } from '../packages/tools/terminal/table.js';

/** One measurement of a check. */
export interface Row {
  readonly what: string;
  readonly found: number | string;
  /** Maximum, or minimum and maximum. Absent: for information only. */
  readonly allowed?: number | readonly [min: number, max: number];
  /** Target of the value. A missed target is printed, but the check does not fail. */
  readonly target?: number;
}

const columns = [
  { title: 'measure' },
  { title: 'found', align: 'right' },
  { title: 'required', align: 'right' },
] as const;

/** Returns false if the measurement is outside its range. A missing measurement (NaN) is outside. */
export function isAllowed({ found, allowed }: Row): boolean {
  if (allowed === undefined) return true;
  const [min, max] = typeof allowed === 'number' ? [Number.NEGATIVE_INFINITY, allowed] : allowed;
  return Number(found) >= min && Number(found) <= max;
}

/** The range of a load that must have an effect. Without one, a check would pass although it checks nothing. */
export function atLeast(min: number): readonly [min: number, max: number] {
  return [min, Number.POSITIVE_INFINITY];
}

/** Returns a row that passes if the condition is true. */
export function must(what: string, isTrue: boolean): Row {
  return { what: `not true: ${what}`, found: isTrue ? 0 : 1, allowed: 0 };
}

/** Returns one row per count, indented, for information. */
export function rowsOfCounts(counts: Readonly<Record<string, number>>): Row[] {
  return Object.entries(counts).map(([name, found]) => ({ what: `  ${name}`, found }));
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Prints the measurements as one table, and the outcome. Sets the exit code to 1 when one is outside its range. */
export function printVerdict(title: string, sections: readonly (readonly Row[])[], promise: string): void {
  const cells = sections.map((rows) => rows.map((row) => [row.what, String(row.found), describeAllowed(row)]));
  const isUpheld = sections.flat().every(isAllowed);
  console.log(`── ${title}\n\n${textTable(columns, cells)}\n`);
  console.log(isUpheld ? promise : 'A guarantee is broken.');
  if (!isUpheld) process.exitCode = 1;
}

/** Returns the required range as text. Empty if the measurement is for information only. */
export function describeAllowed({ allowed }: Row): string {
  if (allowed === undefined) return '';
  if (typeof allowed === 'number' && !Number.isFinite(allowed)) return '';
  if (typeof allowed === 'number') return allowed === 0 ? '0' : `≤ ${allowed}`;
  const [min, max] = allowed;
  if (max === Number.POSITIVE_INFINITY) return `≥ ${min}`;
  return min === max ? String(min) : `${min} to ${max}`;
}
