/**
 * Evaluates the score on a recording with labels: starts the service as a child process on a temporary database, sends
 * the recording with and without a personal baseline, and prints the tables. Standard output contains only the tables.
 */
import { readFile } from 'node:fs/promises';
import { startProgress } from '../../terminal/progress.js';
import { requireWritable, save } from '../../terminal/save.js';
import { type Column, formatTable, jsonTable, type TableFormat, type TableRow } from '../../terminal/table.js';
import { protocolOrder, summarize, summaryColumns } from '../task-summary.js';
import { type ColumnRole, readWindows } from '../recordings/read-windows.js';
import { findScored, groupBySubject, type RecordedWindow, signals } from '../recordings/recorded-window.js';
import { stopOnSignals } from '../stop-on-signals.js';
import { drawTasks, scoresByTask } from './chart.js';
import {
  aucColumns,
  aucSections,
  describe,
  type Evaluation,
  personalAnswers,
  publishedStates,
  replayVariants,
  type SideOf,
} from './evaluation.js';
import { type ServiceOptions, startEvaluatedService } from './service.js';
import { spacingSeconds, variantsFor } from './variants.js';

export interface RecordingOptions {
  /** Names of the columns in the file. A named column must exist. */
  readonly columns: Readonly<Partial<Record<ColumnRole, string>>>;
  readonly stressedLabels: readonly string[];
  /** Default: every other label. A row with an empty label is sent but not compared. */
  readonly restLabels?: readonly string[];
}

/** A recording that can be evaluated: it has windows of both sides. */
export interface Recording {
  readonly windows: readonly RecordedWindow[];
  readonly sideOf: SideOf;
  readonly options: RecordingOptions;
}

/** Limits the time for the confidence intervals to a minute: the computation sorts all windows some thousand times. */
const windowsMax = 20_000;
/** Columns of the figure. The names of more tasks would overlap. */
const columnsMax = 12;
/** Characters below the figure, for the names of all columns. */
const nameCharacters = 130;
const labelsListed = 10;

export interface EvaluateOptions extends RecordingOptions, TableFormat {
  readonly file: string;
  readonly figure?: string;
}

export async function evaluate(options: EvaluateOptions, root: URL): Promise<void> {
  const { file, figure, markdown, json } = options;
  const recording = await readFile(file, 'utf8')
    .then((csv) => readRecording(csv, options))
    .catch((error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
      throw new Error(`cannot read --file ${file}: ${reason}`);
    });
  if (figure !== undefined) await requireWritable('--figure', figure);
  const signal = stopOnSignals();
  const progress = startProgress(process.stderr, countReadings(recording), 'readings');
  try {
    const report = await evaluateRecording(recording, { root, signal, markdown, json, onAnswer: progress.advance });
    progress.stop();
    console.log(report.text);
    if (figure !== undefined) await save(figure, report.figure, '--figure');
  } catch (error) {
    // After a signal, the exit code is already set and no message is needed.
    if (!signal.aborted) throw error;
  } finally {
    progress.stop();
  }
}

/** Parses a CSV text. Throws an error of one line that says what is wrong with the file and what to do. */
export function readRecording(csv: string, options: RecordingOptions): Recording {
  const { columns, stressedLabels, restLabels } = options;
  const named = Object.keys(columns) as ColumnRole[];
  const required: ColumnRole[] = [...new Set<ColumnRole>(['label', ...named])];
  const optional = (['subject', 'task', 'time', ...signals] as const).filter((role) => !required.includes(role));
  const rows = readWindows(csv, { names: columns, required, optional });
  const windows = rows.filter(({ values }) => findScored(values).length > 0);
  const sideOf: SideOf = ({ label }) => {
    if (stressedLabels.includes(label)) return 'stressor';
    return (restLabels ? restLabels.includes(label) : label !== '') ? 'rest' : undefined;
  };
  requireBothSides(rows, windows, sideOf);
  return { windows, sideOf, options };
}

function requireBothSides(rows: readonly RecordedWindow[], windows: readonly RecordedWindow[], sideOf: SideOf): void {
  if (rows.length === 0) throw new Error('the file has no rows');
  if (windows.length === 0)
    throw new Error('no row has a signal: name the column with --heart-rate, --sdnn, --rmssd or --sentiment');
  if (windows.length > windowsMax)
    throw new Error(
      `the file has ${windows.length} rows, at most ${windowsMax} are allowed: use means, such as one row per minute`,
    );
  const sides = windows.map(sideOf);
  const labels = [...new Set(windows.map(({ label }) => label || '(empty)'))];
  const found = `${labels.slice(0, labelsListed).join(', ')}${labels.length > labelsListed ? ', …' : ''}`;
  if (!sides.includes('stressor')) throw new Error(`no row has a label of --stressed-labels. Labels: ${found}`);
  if (!sides.includes('rest')) throw new Error(`no row has a label that counts as rest. Labels: ${found}`);
}

/** Returns the number of readings that an evaluation sends. */
export function countReadings({ windows }: Recording): number {
  return windows.length * variantsFor(windows).length;
}

/**
 * Sends a recording to a temporary service and measures how well the score separates its labels. Resolves with the tables,
 * and with an SVG of 900 by 420 px.
 */
export async function evaluateRecording(
  recording: Recording,
  place: ServiceOptions & TableFormat & { onAnswer(): void },
): Promise<{ readonly text: string; readonly figure: string }> {
  const { windows, sideOf, options } = recording;
  const rest = options.restLabels?.join(', ') ?? 'all other labels';
  const wording = {
    pace: windows[0]?.second === undefined ? `${spacingSeconds} s apart` : 'at the recorded times',
    labels: `stressors (${options.stressedLabels.join(', ')}) against rest (${rest})`,
  };
  const service = await startEvaluatedService(place);
  try {
    const people = [...groupBySubject(windows).values()];
    const evaluation = await replayVariants(service, variantsFor(windows), people, place.onAnswer);
    const auc = [aucColumns, aucSections(evaluation, sideOf)] as const;
    const states = listStates(recording, evaluation);
    const text = place.json
      ? JSON.stringify({ auc: jsonTable(...auc), states: jsonTable(...states) })
      : [
          describe(evaluation, sideOf, wording),
          formatTable(place, ...auc),
          'Published states of the variant personal:',
          formatTable(place, ...states),
        ].join('\n\n');
    return { text, figure: draw(recording, evaluation) };
  } finally {
    await service.close();
  }
}

/** Returns the table of states per task and label, or per label if each task is a label. */
function listStates(
  { windows }: Recording,
  evaluation: Evaluation,
): [columns: readonly Column[], sections: TableRow[][]] {
  const [tasks = [], labels = []] = summarize(windows, publishedStates(evaluation));
  if (hasTasks(windows)) return [summaryColumns, [tasks, labels]];
  const withoutTask = labels.map((row): TableRow => row.slice(1));
  return [summaryColumns.slice(1), [withoutTask]];
}

function hasTasks(windows: readonly RecordedWindow[]): boolean {
  return windows.some(({ task, label }) => task !== label);
}

/** Draws the scores by task, or by label if the recording has too many tasks. */
function draw({ windows, sideOf }: Recording, evaluation: Evaluation): string {
  const isByTask = hasTasks(windows) && protocolOrder(windows).length <= columnsMax;
  const answers = personalAnswers(evaluation)
    .flat()
    .map(({ window, score }) => ({ score, window: isByTask ? window : { ...window, task: window.label } }));
  const order = protocolOrder(answers.map(({ window }) => window)).slice(0, columnsMax);
  const columns = scoresByTask(order, answers, sideOf).map((it) => ({
    ...it,
    task: shortened(it.task, Math.floor(nameCharacters / order.length)),
  }));
  const people = evaluation.people.length;
  const subtitle = `${people === 1 ? '1 person' : `${people} people`}, each with a personal baseline; ${windows.length} windows`;
  return drawTasks(columns, `Stress score by ${isByTask ? 'task' : 'label'}`, subtitle);
}

function shortened(name: string, characters: number): string {
  if (name === '') return '(no label)';
  return name.length > characters ? `${name.slice(0, characters - 1)}…` : name;
}
