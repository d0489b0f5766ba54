import { type ColumnRole, readWindows } from '../../recordings/read-windows.js';
import { findScored, type RecordedWindow } from '../../recordings/recorded-window.js';
import { signals } from '../../../recordings/signals.js';
import { labelByReports, type Report, reportLabels } from './reports.js';
import { type Row, toRows } from './rows.js';

export interface RecordingOptions {
  /** Names of the columns in the file. A named column must exist. */
  readonly columns: Readonly<Partial<Record<ColumnRole, string>>>;
  readonly stressedLabels: readonly string[];
  /** Default: every other label. A row with an empty label is sent but not compared. */
  readonly restLabels?: readonly string[];
}

/** A recording that can be evaluated: it has rows of both sides. */
export interface Recording {
  readonly rows: readonly Row[];
  readonly options: RecordingOptions;
}

/** Limits the time for the confidence intervals to a minute: the computation sorts all rows some thousand times. */
const rowsMax = 20_000;
const labelsListed = 10;

/** Parses a CSV text. Throws an error of one line that says what is wrong with the file and what to do. */
export function readRecording(csv: string, options: RecordingOptions): Recording {
  return toRecording(readRows(csv, options.columns, ['label']), options);
}

/** Parses an export of the service, or a CSV text with the ids of its people and the times of its readings. */
export function readExport(csv: string, columns: RecordingOptions['columns']): RecordedWindow[] {
  return readRows(csv, { subject: 'subject_id', time: 'timestamp', ...columns }, [], true);
}

/** Labels the rows of an export by what people reported. */
export function labelRecording(
  rows: readonly RecordedWindow[],
  reports: readonly Report[],
  columns: RecordingOptions['columns'] = {},
): Recording {
  const windows = rows.filter(hasSignal);
  const labeled = labelByReports(windows, reports);
  const { stressed, rest } = reportLabels;
  for (const label of [stressed, rest])
    if (windows.length > 0 && !labeled.some((it) => it.label === label))
      throw new Error(
        `no row of --file is ${label}. Reports since its first row: ${reports.length}. The subjects and times of the ` +
          'file must be those of the service',
      );
  const options = { columns, stressedLabels: [stressed], restLabels: [rest] };
  return toRecording(windows.length > 0 ? labeled : rows, options);
}

function readRows(
  csv: string,
  columns: RecordingOptions['columns'],
  others: readonly ColumnRole[],
  isUnordered = false,
): RecordedWindow[] {
  const named = Object.keys(columns) as ColumnRole[];
  const required = [...new Set<ColumnRole>([...others, ...named])];
  const optional = (['subject', 'task', 'time', ...signals] as const).filter((role) => !required.includes(role));
  return readWindows(csv, { names: columns, required, optional, isUnordered });
}

function toRecording(windows: readonly RecordedWindow[], options: RecordingOptions): Recording {
  const { stressedLabels, restLabels } = options;
  if (windows.length === 0) throw new Error('the file has no rows');
  const rows = toRows(windows.filter(hasSignal), ({ label }) => {
    if (stressedLabels.includes(label)) return 'stressor';
    return (restLabels ? restLabels.includes(label) : label !== '') ? 'rest' : undefined;
  });
  requireBothSides(rows);
  return { rows, options };
}

function requireBothSides(rows: readonly Row[]): void {
  if (rows.length === 0)
    throw new Error('no row has a signal: name the column with --heart-rate, --sdnn, --rmssd or --sentiment');
  if (rows.length > rowsMax)
    throw new Error(
      `the file has ${rows.length} rows, at most ${rowsMax} are allowed: use means, such as one row per minute`,
    );
  const labels = [...new Set(rows.map(({ window }) => window.label || '(empty)'))];
  const found = `${labels.slice(0, labelsListed).join(', ')}${labels.length > labelsListed ? ', …' : ''}`;
  const has = (side: Row['side']) => rows.some((it) => it.side === side);
  if (!has('stressor')) throw new Error(`no row has a label of --stressed-labels. Labels: ${found}`);
  if (!has('rest')) throw new Error(`no row has a label that counts as rest. Labels: ${found}`);
}

function hasSignal({ values }: RecordedWindow): boolean {
  return findScored(values).length > 0;
}
