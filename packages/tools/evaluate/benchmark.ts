/** Measures any method on public recordings with labels, as the protocol says. Standard output contains only the result. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceOptions, startEvaluatedService } from './scores/service.js';
import { resamples } from './figures/statistics.js';
import { stopOnSignals } from '../stop-on-signals.js';
import { withProgress } from '../terminal/progress.js';
import { requireWritable, save } from '../terminal/save.js';
import { formatTable, type TableFormat, type TableRow } from '../terminal/table.js';
import { type Estimate, type Figures, measure, type Score } from './figures/figures.js';
import { countAnswers, scoreRows } from './scores/own-scores.js';
import { type Input, protocol, type Task, type TaskName, tasks } from './protocol/tasks.js';
import schema from './figures/result.schema.json' with { type: 'json' };
import { readScores, writeTemplate } from './scores/scores-file.js';

export interface BenchmarkOptions extends TableFormat {
  readonly task: readonly TaskName[];
  readonly data: string;
  readonly scores?: string;
  readonly template?: string;
  /** Who gave the scores of a file. */
  readonly name?: string;
}

/** The result of one task. `result.schema.json` describes a list of results. */
interface Result extends Figures {
  readonly protocol: string;
  readonly version: number;
  readonly task: TaskName;
  readonly title: string;
  readonly split: string;
  readonly scored_by: string;
  readonly optimistic?: string;
  readonly data: readonly { readonly file: string; readonly sha256: string }[];
}

interface Loaded extends Input, Pick<Result, 'data'> {}

export function printSchema(): void {
  console.log(JSON.stringify(schema, undefined, 2));
}

export async function benchmark(options: BenchmarkOptions, root: URL): Promise<void> {
  const { task: names, scores, template, data } = options;
  const [name] = names;
  if (name === undefined || (names.length > 1 && (scores ?? template) !== undefined))
    throw new Error('--scores and --template are about one task: add --task NAME');
  if (template !== undefined) {
    await requireWritable('--template', template);
    return save(template, writeTemplate(loadTask(name, data)), '--template');
  }
  const signal = scores === undefined ? stopOnSignals() : undefined;
  try {
    const results: Result[] = [];
    for (const it of names) results.push(await measureTask(it, options, { root, ...(signal && { signal }) }));
    console.log(options.json ? JSON.stringify(results) : describe(results, options));
  } catch (error) {
    // After a signal, the exit code is already set and no message is needed.
    if (!signal?.aborted) throw error;
  }
}

async function measureTask(name: TaskName, options: BenchmarkOptions, place: ServiceOptions): Promise<Result> {
  const task: Task = tasks[name];
  const { data, ...input } = loadTask(name, options.data);
  const file = options.scores;
  const own = file === undefined;
  const scores = own ? await scoreWithService(task, input, place) : loadScores(file, input);
  return {
    ...{ protocol: protocol.id, version: protocol.version, task: name, title: task.title, split: task.split },
    scored_by: own ? `realtime-state-service ${readVersion(place.root)}` : (options.name ?? 'scores of a file'),
    ...(own && task.seen !== undefined && { optimistic: task.seen }),
    ...measure(input.rows, scores),
    data,
  };
}

function loadTask(name: TaskName, folder: string): Loaded {
  const task: Task = tasks[name];
  const data = new Map<string, string>();
  const read = (file: string) => {
    const content =
      data.get(file) ??
      readText(join(folder, file), `${file} in --data ${folder}`, ': docs/evaluation.md lists its source');
    data.set(file, content);
    return content;
  };
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const digests = task.files.map((file) => ({ file, sha256: digest(read(file)) }));
  try {
    const input = task.load(read);
    const missing = (['stressor', 'rest'] as const).find((side) => !input.rows.some((it) => it.side === side));
    if (missing !== undefined) throw new Error(`no row is ${missing}`);
    return { ...input, data: digests };
  } catch (error) {
    throw new Error(`cannot use ${task.files.join(', ')} in --data ${folder}: ${(error as Error).message}`);
  }
}

function loadScores(file: string, { rows }: Input): Map<string, Score> {
  const csv = readText(file, `--scores ${file}`);
  try {
    return readScores(csv, rows);
  } catch (error) {
    throw new Error(`cannot use --scores ${file}: ${(error as Error).message}`);
  }
}

function readText(path: string, shown: string, remedy = ''): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`cannot read ${shown}: ${code === 'ENOENT' ? 'there is no such file' : message}${remedy}`);
  }
}

async function scoreWithService({ play }: Task, input: Input, place: ServiceOptions): Promise<Map<string, Score>> {
  const service = await startEvaluatedService(place);
  try {
    return await withProgress(countAnswers(play, input), 'readings', ({ advance }) =>
      scoreRows(play, service, input, advance),
    );
  } finally {
    await service.close();
  }
}

function readVersion(root: URL): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  return version;
}

const columns = [
  { title: 'task' },
  ...['rows', 'groups', 'AUC', 'stress: stressed', 'rest: stressed', 'balanced accuracy'].map(
    (title) => ({ title, align: 'right' }) as const,
  ),
];

function describe(results: readonly Result[], format: TableFormat): string {
  const scorers = [...new Set(results.map((it) => it.scored_by))];
  const notes = results.flatMap(({ task, title, split, optimistic }) => [
    `${task}: ${title}. ${split}${optimistic === undefined ? '' : ` Optimistic: ${optimistic}.`}`,
  ]);
  return [
    `${protocol.id}, version ${protocol.version}. Scores of ${scorers.join(', ')}. Intervals of 95 %: ${resamples} seeded resamples of groups (people).`,
    formatTable(format, columns, [results.map(toCells)]),
    notes.join('\n'),
  ].join('\n\n');
}

function toCells({ task, rows, groups, ...it }: Result): TableRow {
  const shares = [it.stress_called_stressed, it.rest_called_stressed, it.balanced_accuracy];
  return [
    task,
    String(rows),
    String(groups),
    printEstimate(it.auc, 1, 3),
    ...shares.map((share) => printEstimate(share, 100, 1)),
  ];
}

/** Returns an estimate as text, e.g. `32.1 (22.6–41.4)`. */
export function printEstimate({ value, low, high }: Estimate, factor: number, digits: number): string {
  const print = (number: number) => (factor * number).toFixed(digits);
  return low === null || high === null ? print(value) : `${print(value)} (${print(low)}–${print(high)})`;
}
