import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { areaOfLabel } from '../../tools/evaluate/protocol/weeks.js';
import type { Area } from '../vocabulary.js';

/** One sentence of SAD (Mauriello et al., 2021). */
export interface SadRow {
  readonly sentence: string;
  readonly isStressor: boolean;
  /** Majority label of the raters. `none` is SAD's "Other". */
  readonly top: Area | 'none';
  /** Second choice of the raters. Undefined if they agreed. */
  readonly second: Area | 'none' | undefined;
  readonly source: string;
}

const areas: Readonly<Record<string, Area | 'none'>> = { ...areaOfLabel, Other: 'none' };

const columns = ['sentence', 'is_stressor', 'top_label', 'second_label', 'source'] as const;

/** Reads a CSV file. Throws an error with the file name if the file or a column is missing. */
export function readRecords(path: string, columns: readonly string[]): Record<string, string>[] {
  if (!existsSync(path)) throw new Error(`${path} is missing: set --data to the data folder`);
  const records: Record<string, string>[] = parse(readFileSync(path), { columns: true, bom: true });
  const missing = columns.filter((column) => records[0]?.[column] === undefined);
  if (missing.length > 0) throw new Error(`${path} has no column ${missing.join(', ')}`);
  return records;
}

/** Reads the CSV file. Throws an error if the file is missing or contains an unknown label. */
export function readSad(path: string): SadRow[] {
  return readRecords(path, columns).map(
    ({ sentence = '', is_stressor, top_label = '', second_label = '', source = '' }) => ({
      sentence,
      isStressor: is_stressor === '1',
      top: toArea(top_label),
      second: second_label === '' ? undefined : toArea(second_label),
      source,
    }),
  );
}

/** Returns true for the stressor sentences of the eight areas. Recall and F1 are measured on them. */
export const isJudged = (row: SadRow): boolean => row.isStressor && row.top !== 'none';

/** Returns true for rows without an area. False alarms are measured on them. */
export const isWithoutArea = (row: SadRow): boolean =>
  !row.isStressor && row.top === 'none' && row.second === undefined;

function toArea(label: string): Area | 'none' {
  const area = areas[label];
  if (area === undefined) throw new Error(`unknown label ${label}`);
  return area;
}
