/**
 * Evaluates the score on a recording with labels: starts the service as a child process on a temporary database, sends
 * the recording with and without a personal baseline, and prints the tables. Standard output contains only the tables.
 */
import { parsing, readText } from '../read-text.js';
import type { ServiceOptions as RunningService } from '../service.js';
import { untilSignal } from '../stop-on-signals.js';
import { withProgress } from '../terminal/progress.js';
import { formatTable, jsonTable, type TableFormat } from '../terminal/table.js';
import { describe, listStates, listVariants, type Scoring } from './figures/variant-table.js';
import {
  labelRecording,
  readExport,
  readRecording,
  type Recording,
  type RecordingOptions,
} from './protocol/recording.js';
import { downloadReports } from './protocol/reports.js';
import { spacingSeconds } from './protocol/rows.js';
import { type ServiceOptions, withEvaluatedService } from './scores/service.js';
import { personal, replayVariant, variantsFor } from './scores/variants.js';

export interface EvaluateOptions extends RecordingOptions, TableFormat, RunningService {
  readonly file: string;
  /** True if the labels are the reports of people in a running service. */
  readonly feedback: boolean;
}

export async function evaluate(options: EvaluateOptions, root: URL): Promise<void> {
  const recording = await loadRecording(options);
  await untilSignal(async (signal) => console.log(await evaluateRecording(recording, options, { root, signal })));
}

/** Reads the file, with the labels that its rows or the reports of a running service have. */
export async function loadRecording(options: EvaluateOptions): Promise<Recording> {
  const { file, feedback, columns } = options;
  const csv = readText(`--file ${file}`, file);
  const load = <Content>(parse: () => Content) => parsing(`cannot read --file ${file}`, parse);
  if (!feedback) return load(() => readRecording(csv, options));
  const rows = load(() => readExport(csv, columns));
  const firstMs = rows.reduce((least, { atMs = 0 }) => Math.min(least, atMs), Infinity);
  return labelRecording(rows, await downloadReports(options, firstMs), columns);
}

/**
 * Sends a recording to a temporary service and measures how well the score separates its labels. Resolves with the tables.
 */
export async function evaluateRecording(
  { rows, options }: Recording,
  format: TableFormat,
  place: ServiceOptions,
): Promise<string> {
  const variants = variantsFor(rows.map(({ window }) => window));
  const scorings = await withEvaluatedService(place, (service) =>
    withProgress(rows.length * variants.length, 'readings', async ({ advance }) => {
      const scored: Scoring[] = [];
      for (const it of variants) scored.push({ ...it, scores: await replayVariant(service, it, rows, advance) });
      return scored;
    }),
  );
  const auc = listVariants(rows, scorings);
  const states = listStates(rows, scorings.find(({ name }) => name === personal.name) ?? { scores: new Map() });
  if (format.json) return JSON.stringify({ auc: jsonTable(...auc), states: jsonTable(...states) });
  const rest = options.restLabels?.join(', ') ?? 'all other labels';
  const wording = {
    pace: rows[0]?.window.second === undefined ? `${spacingSeconds} s apart` : 'at the recorded times',
    labels: `stressors (${options.stressedLabels.join(', ')}) against rest (${rest})`,
  };
  return [
    describe(rows, wording),
    formatTable(format, ...auc),
    'Published states of the variant personal:',
    formatTable(format, ...states),
  ].join('\n\n');
}
