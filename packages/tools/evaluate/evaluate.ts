/**
 * Evaluates the score on a recording with labels: starts the service as a child process on a temporary database, sends
 * the recording with and without a personal baseline, and prints the tables. Standard output contains only the tables.
 */
import { readFile } from 'node:fs/promises';
import { withProgress } from '../terminal/progress.js';
import { type Column, formatTable, jsonTable, type TableFormat, type TableRow } from '../terminal/table.js';
import { summarize, summaryColumns } from '../task-summary.js';
import { groupBySubject } from '../recordings/recorded-window.js';
import type { ServiceOptions as RunningService } from '../service.js';
import { stopOnSignals } from '../stop-on-signals.js';
import { aucColumns, aucSections, describe, type Evaluation, publishedStates, replayVariants } from './evaluation.js';
import { labelRecording, readExport, readRecording, type Recording, type RecordingOptions } from './protocol/recording.js';
import { downloadReports } from './protocol/reports.js';
import { type ServiceOptions, startEvaluatedService } from './scores/service.js';
import { spacingSeconds, variantsFor } from './scores/variants.js';

export interface EvaluateOptions extends RecordingOptions, TableFormat, RunningService {
  readonly file: string;
  /** True if the labels are the reports of people in a running service. */
  readonly feedback: boolean;
}

export async function evaluate(options: EvaluateOptions, root: URL): Promise<void> {
  const { markdown, json } = options;
  const recording = await loadRecording(options);
  const signal = stopOnSignals();
  try {
    const text = await withProgress(countReadings(recording), 'readings', ({ advance: onAnswer }) =>
      evaluateRecording(recording, { root, signal, markdown, json, onAnswer }),
    );
    console.log(text);
  } catch (error) {
    // After a signal, the exit code is already set and no message is needed.
    if (!signal.aborted) throw error;
  }
}

async function loadRecording(options: EvaluateOptions): Promise<Recording> {
  const { file, feedback, columns } = options;
  const load = <Content>(parse: (csv: string) => Content) =>
    readFile(file, 'utf8')
      .then(parse)
      .catch((error: NodeJS.ErrnoException) => {
        const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
        throw new Error(`cannot read --file ${file}: ${reason}`);
      });
  if (!feedback) return load((csv) => readRecording(csv, options));
  const rows = await load((csv) => readExport(csv, columns));
  const firstMs = rows.reduce((least, { atMs = 0 }) => Math.min(least, atMs), Infinity);
  return labelRecording(rows, await downloadReports(options, firstMs), columns);
}

/** Returns the number of readings that an evaluation sends. */
export function countReadings({ windows }: Recording): number {
  return windows.length * variantsFor(windows).length;
}

/**
 * Sends a recording to a temporary service and measures how well the score separates its labels. Resolves with the tables.
 */
export async function evaluateRecording(
  recording: Recording,
  place: ServiceOptions & TableFormat & { onAnswer(): void },
): Promise<string> {
  const { windows, sideOf: findSide, options } = recording;
  const rest = options.restLabels?.join(', ') ?? 'all other labels';
  const wording = {
    pace: windows[0]?.second === undefined ? `${spacingSeconds} s apart` : 'at the recorded times',
    labels: `stressors (${options.stressedLabels.join(', ')}) against rest (${rest})`,
  };
  const service = await startEvaluatedService(place);
  try {
    const people = [...groupBySubject(windows).values()];
    const evaluation = await replayVariants(service, variantsFor(windows), people, place.onAnswer);
    const auc = [aucColumns, aucSections(evaluation, findSide)] as const;
    const states = listStates(recording, evaluation);
    return place.json
      ? JSON.stringify({ auc: jsonTable(...auc), states: jsonTable(...states) })
      : [
          describe(evaluation, findSide, wording),
          formatTable(place, ...auc),
          'Published states of the variant personal:',
          formatTable(place, ...states),
        ].join('\n\n');
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
  if (windows.some(({ task, label }) => task !== label)) return [summaryColumns, [tasks, labels]];
  return [summaryColumns.slice(1), [labels.map((row) => row.slice(1))]];
}
