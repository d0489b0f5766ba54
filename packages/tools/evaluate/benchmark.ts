/** Measures any method on public recordings with labels, as the protocol says. Standard output contains only the result. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parsing, readFrom, readText } from '../read-text.js';
import { untilSignal } from '../stop-on-signals.js';
import { withProgress } from '../terminal/progress.js';
import { requireWritable, save } from '../terminal/save.js';
import { figureColumns, formatTable, type TableFormat, type TableRow } from '../terminal/table.js';
import { type Figures, measure, type Score } from './figures/figures.js';
import schema from './figures/result.schema.json' with { type: 'json' };
import { printEstimate, resamples } from './figures/statistics.js';
import { type Input, protocol, type Task, type TaskName, tasks } from './protocol/tasks.js';
import { countAnswers, scoreRows } from './scores/own-scores.js';
import { readScores, writeTemplate } from './scores/scores-file.js';
import { type ServiceOptions, withEvaluatedService } from './scores/service.js';

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
  const run = async (signal?: AbortSignal) => {
    const results: Result[] = [];
    for (const it of names) results.push(await measureTask(it, options, { root, ...(signal && { signal }) }));
    console.log(options.json ? JSON.stringify(results) : describe(results, options));
  };
  await (scores === undefined ? untilSignal(run) : run());
}

async function measureTask(name: TaskName, options: BenchmarkOptions, place: ServiceOptions): Promise<Result> {
  const task: Task = tasks[name];
  const { data, ...input } = loadTask(name, options.data);
  const compared = input.rows.filter(({ side }) => side !== undefined);
  const file = options.scores;
  const own = file === undefined;
  const scores = own ? await scoreWithService(task, input, place) : loadScores(file, input);
  return {
    ...{ protocol: protocol.id, version: protocol.version, task: name, title: task.title, split: task.split },
    scored_by: own ? `realtime-state-service ${readVersion(place.root)}` : (options.name ?? 'scores of a file'),
    ...(own && task.seen !== undefined && { optimistic: task.seen }),
    ...round(measure(compared, scores)),
    data,
  };
}

/** Rounds the figures of a result to three digits. */
function round({ rows, groups, ...estimates }: Figures): Figures {
  const cut = (figure: number) => Math.round(1000 * figure) / 1000;
  const rounded = Object.entries(estimates).map(([name, { value, low, high }]) => {
    return [name, { value: cut(value), low: low && cut(low), high: high && cut(high) }];
  });
  return { rows, groups, ...Object.fromEntries(rounded) } as Figures;
}

function loadTask(name: TaskName, folder: string): Loaded {
  const task: Task = tasks[name];
  const read = readFrom(folder);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const digests = task.files.map((file) => ({ file, sha256: digest(read(file)) }));
  const input = parsing(`cannot use ${task.files.join(', ')} in --data ${folder}`, () => {
    const loaded = task.load(read);
    const missing = (['stressor', 'rest'] as const).find((side) => !loaded.rows.some((it) => it.side === side));
    if (missing !== undefined) throw new Error(`no row is ${missing}`);
    return loaded;
  });
  return { ...input, data: digests };
}

function loadScores(file: string, { rows }: Input): Map<string, Score> {
  const csv = readText(`--scores ${file}`, file);
  return parsing(`cannot use --scores ${file}`, () => readScores(csv, rows));
}

function scoreWithService({ play }: Task, input: Input, place: ServiceOptions): Promise<Map<string, Score>> {
  return withEvaluatedService(place, (service) =>
    withProgress(countAnswers(play, input), 'readings', ({ advance }) => scoreRows(play, service, input, advance)),
  );
}

function readVersion(root: URL): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  return version;
}

const columns = [
  { title: 'task' },
  ...figureColumns('rows', 'groups', 'AUC', 'stress: stressed', 'rest: stressed', 'balanced accuracy'),
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
    printEstimate(it.auc, (area) => area.toFixed(3)),
    ...shares.map((estimate) => printEstimate(estimate, (share) => (100 * share).toFixed(1))),
  ];
}
