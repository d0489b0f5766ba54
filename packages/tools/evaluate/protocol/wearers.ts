/** Reads recordings of heart rates, and reports about them. */
import { parse } from 'csv-parse/sync';
import { clampToContract } from '../../../recordings/signals.js';
import { groupBy } from '../../group-by.js';

/** Returns the content of a file of the data folder. */
export type Read = (file: string) => string;

export interface Minute {
  /** Time of the recording, epoch ms. A local time counts as UTC. */
  readonly atMs: number;
  readonly heartRate: number;
}

/** One person's heart rates in ascending order, at most one per minute. */
export interface Wearer {
  readonly person: string;
  readonly minutes: readonly Minute[];
}

/** Parses a CSV text with the columns subject, heart_rate, and local_minute or utc_minute. */
export function readWearers(csv: string): Wearer[] {
  const rows = readRows(csv).map((row) => ({
    person: row['subject'] ?? '',
    atMs: Date.parse(`${row['local_minute'] ?? row['utc_minute']}Z`),
    heartRate: clampToContract('heart_rate', Number(row['heart_rate'])),
  }));
  if (rows.some(({ atMs, heartRate }) => Number.isNaN(atMs + heartRate)))
    throw new Error(
      'each row requires a subject, a local_minute or utc_minute such as 2026-11-21T09:30, and a heart_rate',
    );
  return [...groupBy(rows, ({ person }) => person)].map(([person, own]) => ({
    person,
    minutes: own.map(({ atMs, heartRate }) => ({ atMs, heartRate })).sort((a, b) => a.atMs - b.atMs),
  }));
}

interface StressReport {
  readonly person: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly stress: string;
}

/** Parses a CSV text with the columns subject, utc_from, utc_to, stress. */
export function readReports(csv: string): StressReport[] {
  return readRows(csv).map((row) => ({
    person: row['subject'] ?? '',
    fromMs: Date.parse(`${row['utc_from']}Z`),
    toMs: Date.parse(`${row['utc_to']}Z`),
    stress: row['stress'] ?? '',
  }));
}

export function readRows(csv: string): Record<string, string>[] {
  return parse<Record<string, string>>(csv, { columns: true, bom: true, trim: true, skip_empty_lines: true });
}

/** One person's heart rate, at most one row per second. */
export interface HeartStream {
  readonly subject: string;
  readonly rows: readonly { readonly second: number; readonly heartRate: number; readonly isStressor: boolean }[];
}

/** Parses a CSV text with the columns subject, second, heart_rate, label. Undefined without a column `second`. */
export function readStreams(csv: string): HeartStream[] | undefined {
  const rows = readRows(csv);
  if (rows[0]?.['second'] === undefined) return undefined;
  return [...groupBy(rows, ({ subject = '' }) => subject)].map(([subject, own]) => {
    const first = Number(own[0]?.['second']);
    const toRow = ({ second, heart_rate, label }: Record<string, string>) => ({
      second: Number(second) - first,
      heartRate: clampToContract('heart_rate', Number(heart_rate)),
      isStressor: label === 'stressor',
    });
    return { subject, rows: own.map(toRow) };
  });
}
