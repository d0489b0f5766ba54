/**
 * Compares the service with bare Express and with a server that uses one transaction per reading. Each server and the
 * load generator run in separate processes, in repeated rounds. The results are ratios of their figures. Exits with 1
 * when a request failed.
 */
import { join } from 'node:path';
import { Command } from 'commander';
import { batch } from '../../../generated/spec.js';
import { save } from '../../../packages/tools/terminal/save.js';
import { markdownTable, type TableRow, textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { pythonWith } from '../../../testkit/python.js';
import { createKeyOf, readUsage, type ServiceProgram, startServiceProgram } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import {
  databaseOption,
  type DatabaseChoice,
  findDatabases,
  inspectDatabase,
  titleOf,
  withDatabase,
  withDatabases,
} from '../support/databases.js';
import { connections, type Generator, type MeasuredRun, withGenerator } from '../support/generator.js';
import { describeMachine, type Machine, machineLine } from '../support/machine.js';
import type { Load } from '../support/requests.js';
import { condemnFailures, middleOf, runCells, type Runs, takeTurns } from '../support/rounds.js';
import { bundle, startBenchedService } from '../support/service.js';

/** The contenders in the order of the table, labeled (a) to (i). */
const titles = {
  bare: '(a) bare Express',
  validated: '(b) with validation',
  storing: '(c) a transaction a reading',
  service: '(d) this service',
  turns: '(e) with conversation text',
  single: '(g) (d) on one connection',
  batches: `(h) (g) in batches of ${batch.lines_max}`,
} as const;
type Contender = keyof typeof titles;
const contenders = Object.keys(titles) as Contender[];
/** Contenders on MySQL only: two processes of this service, and, optionally, of `pythonFile`. */
const pairTitles = { fastapi: '(f) FastAPI, two workers', pair: '(i) (d), two processes' } as const;
type Pair = keyof typeof pairTitles;
const pairs = Object.keys(pairTitles) as Pair[];
const pythonFile = 'lab/bench/servers/fastapi_server.py';
const pythonModules = ['fastapi', 'uvicorn', 'aiomysql'] as const;

interface Options {
  readonly database: DatabaseChoice;
  readonly seconds: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly fastapi: boolean;
  readonly every: boolean;
  readonly markdown: boolean;
  readonly reports: string;
}

export const servers = new Command('servers')
  .description('Throughput, latency, CPU time and memory of ingest, compared with other servers on the same machine.')
  .addOption(databaseOption)
  .option('--seconds <number>', 'length of each run', positive, 10)
  .option('--warm-up <number>', 'seconds of load before each run, not measured', positive, 3)
  .option('--rounds <number>', 'runs of each contender', positive, 5)
  .option('--fastapi', `also (f), a plain FastAPI service on MySQL (Python with ${pythonModules.join(', ')})`, false)
  .option('--every', 'every signal in each reading of (a) to (d), (f) and (i)', false)
  .option('--markdown', 'print the tables as Markdown', false)
  .option('--reports <folder>', 'folder for bench.json', 'reports')
  .action(bench);

/** A run, with the CPU time from the start of the processes until they are ready, and their memory then. */
type ServerRun = MeasuredRun & { readonly ready: ReturnType<typeof readUsage> };
type Field = Partial<Runs<Contender | Pair, ServerRun>>;

/** A lower or an upper bound by database. Without one for a database, its figure is not printed. */
type Requirement = readonly [
  what: string,
  sign: '≥' | '<',
  bounds: Readonly<Partial<Record<DatabaseKind, number>>>,
  figure: (field: Field) => number,
];

/** Returns the median of a figure of a contender. NaN if it did not run. */
const median = (field: Field, name: keyof Field, pick: (run: ServerRun) => number) => middleOf(field[name] ?? [], pick);
const rate = (field: Field, name: keyof Field) => median(field, name, ({ perSecond }) => perSecond);
const p99 = (field: Field, name: keyof Field) => median(field, name, ({ p99Ms }) => p99Ms);
const mostMb = (runs: readonly ServerRun[] = []) => Math.max(...runs.map(({ residentMb }) => residentMb));
const ratio = (one: keyof Field, other: keyof Field) => (field: Field) => rate(field, one) / rate(field, other);
const share = (letters: string) => `${letters}, throughput`;
const both = (bound: number) => ({ mysql: bound, sqlite: bound });
/** The bounds that the service must meet, and goals that exceed the bounds. */
const requirements: readonly Requirement[] = [
  [share('(d) of (b)'), '≥', { mysql: 0.7, sqlite: 0.8 }, ratio('service', 'validated')],
  [share('(d) of (c)'), '≥', { mysql: 1.5 }, ratio('service', 'storing')],
  [share('(d) of (f)'), '≥', { mysql: 1.8 }, ratio('service', 'fastapi')],
  ['(d) of (b), p99', '<', { mysql: 4 }, (it) => p99(it, 'service') / p99(it, 'validated')],
  [share('(e) of (b)'), '≥', { mysql: 0.5, sqlite: 0.6 }, ratio('turns', 'validated')],
  [share('(e) of (d)'), '≥', both(0.85), ratio('turns', 'service')],
  ['(d) resident MB', '<', both(200), ({ service }) => mostMb(service)],
  ['(h) of (g), readings', '≥', both(5), (it) => batch.lines_max * ratio('batches', 'single')(it)],
  ['(d) CPU seconds to ready', '<', both(0.8), (it) => median(it, 'service', ({ ready }) => ready.cpuMs) / 1000],
  ['goal: (d) resident MB when ready', '<', both(100), (it) => median(it, 'service', ({ ready }) => ready.residentMb)],
  [`goal: ${share('(d) of (a)')}`, '≥', { mysql: 0.6 }, ratio('service', 'bare')],
  [`goal: ${share('(d) of (c)')}`, '≥', { mysql: 2 }, ratio('service', 'storing')],
];

/** The results of the contenders on one database. */
interface Outcome {
  readonly kind: DatabaseKind;
  /** Version of the database, as reported by the server. */
  readonly version: string;
  readonly runs: Field;
}

async function bench(options: Options): Promise<void> {
  // Checks every database first, so that a server without durable commits fails before any measurement.
  const versions = new Map<DatabaseKind, string>();
  for (const kind of await findDatabases(options.database))
    versions.set(kind, await withDatabase(kind, inspectDatabase));
  const head = { takenAt: new Date().toISOString(), machine: describeMachine() };
  const file = bundle('servers/server');
  const outcomes: Outcome[] = [];
  await withGenerator(async (generator) => {
    for (const [kind, version] of versions)
      outcomes.push({ version, ...(await compareOn(kind, file, generator, options)) });
  });
  print(head.machine, outcomes, options);
  const { seconds, warmUp: warmUpSeconds, rounds, reports } = options;
  const report = { ...head, seconds, warmUpSeconds, rounds, connections, outcomes };
  await save(join(reports, 'bench.json'), `${JSON.stringify(report, undefined, 2)}\n`);
}

/** Runs the contenders on one kind of database. Each contender that stores has its own database. */
function compareOn(
  kind: DatabaseKind,
  file: string,
  generator: Generator,
  { rounds, seconds, warmUp: warmUpSeconds, fastapi: hasFastapi, every }: Options,
): Promise<Omit<Outcome, 'version'>> {
  const reading = every ? 'every' : 'plain';
  const other = (name: string, url = ''): Start => ({
    key: 'nobody asks for one',
    load: reading,
    start: async () => [await startServiceProgram({ DATABASE_URL: url }, { file, args: [name] })],
  });
  const own = async (url: string, load: Load, own: Pick<Start, 'connections'> & { processes?: number } = {}) => {
    const { processes = 1, ...asked } = own;
    const start = () => Promise.all(Array.from({ length: processes }, () => startBenchedService(url)));
    return { key: await createKeyOf(url, 'bench'), load, start, ...asked };
  };
  return withDatabases(kind, 7, async (urls) => {
    const [storing = '', service = '', turns = '', single = '', batches = '', pair = '', fastapi = ''] = urls;
    const starts: Readonly<Record<Contender, Start> & Partial<Record<Pair, Start>>> = {
      bare: other('bare'),
      validated: other('validated'),
      storing: other('storing', storing),
      service: await own(service, reading),
      turns: await own(turns, 'turn'),
      single: await own(single, 'plain', { connections: 1 }),
      batches: await own(batches, 'batch', { connections: 1 }),
      ...(kind === 'mysql' && { pair: await own(pair, reading, { processes: 2 }) }),
      ...(kind === 'mysql' && hasFastapi && { fastapi: startFastapi(fastapi, reading) }),
    };
    const names = Object.keys(starts) as Array<keyof typeof starts>;
    const runs = await takeTurns(names, rounds, (name) =>
      during(starts[name] as Start, async (running, asked): Promise<ServerRun> => {
        const ready = readUsage(running[0]?.pid ?? Number.NaN);
        return { ready, ...(await generator.measure(running, { ...asked, seconds, warmUpSeconds })) };
      }),
    );
    return { kind, runs };
  });
}

/** A server and the requests that it receives. */
interface Start {
  readonly key: string;
  readonly load: Load;
  /** Absent: the default of the generator. */
  readonly connections?: number;
  /** Starts its processes. */
  readonly start: () => Promise<ServiceProgram[]>;
}

async function during<T>(
  { start, ...asked }: Start,
  work: (servers: readonly ServiceProgram[], asked: Omit<Start, 'start'>) => Promise<T>,
): Promise<T> {
  const running = await start();
  try {
    return await work(running, asked);
  } finally {
    for (const server of running) await server.stop();
  }
}

function startFastapi(url: string, load: Load): Start {
  const node = pythonWith(...pythonModules);
  if (node === undefined) throw new Error(`no Python has ${pythonModules.join(', ')}`);
  const startOne = () => startServiceProgram({ DATABASE_URL: url }, { node, file: pythonFile });
  // One after another, because the first one creates the tables.
  const start = async () => [await startOne(), await startOne()];
  return { key: 'nobody asks for one', load, start };
}

const contenderColumns = [
  { title: 'contender' },
  ...figureColumns('requests/s', 'least', 'most', 'of (a)', 'of (b)', 'of (c)', 'p50 ms', 'p99 ms'),
  ...figureColumns('CPU µs', 'MB', 'failed'),
];
const requirementColumns = [{ title: 'required' }, ...figureColumns('bound', 'measured', '')];

function print(machine: Machine, outcomes: readonly Outcome[], { markdown, seconds, warmUp, rounds }: Options): void {
  const table = markdown ? markdownTable : textTable;
  for (const { kind, version, runs } of outcomes) {
    console.log(`${markdown ? '###' : '──'} ${titleOf(kind)} (${version})\n`);
    const rows = [...contenders, ...pairs].flatMap((it) => (runs[it] ? [contenderRow(runs, it)] : []));
    console.log(`${table(contenderColumns, [rows])}\n`);
    console.log(`${table(requirementColumns, [requirements.flatMap((it) => requirementRow(it, kind, runs))])}\n`);
  }
  console.log(`${machineLine(machine)}.`);
  console.log(
    `${connections} connections; medians of ${rounds} runs of ${seconds} s, each after ${warmUp} s to warm up; ` +
      `load average before them ${machine.loadAverage.join(' ')}.`,
  );
  condemnFailures(outcomes.flatMap(({ runs }) => Object.values(runs)));
}

function contenderRow(field: Field, name: Contender | Pair): TableRow {
  const runs = field[name] ?? [];
  const [perSecond, least, most, p50, p99, failed] = runCells(runs) as [string, string, string, string, string, string];
  const shares = (['bare', 'validated', 'storing'] as const).map((other) =>
    name === other ? '' : digits(ratio(name, other)(field), 2),
  );
  const costs = [middleOf(runs, ({ cpuMicros }) => cpuMicros), mostMb(runs)].map((it) => digits(it, 0));
  return [{ ...titles, ...pairTitles }[name], perSecond, least, most, ...shares, p50, p99, ...costs, failed];
}

function requirementRow([what, sign, bounds, figure]: Requirement, kind: DatabaseKind, field: Field) {
  const bound = bounds[kind];
  if (bound === undefined || (what.includes('(f)') && field.fastapi === undefined)) return [];
  const measured = figure(field);
  const isMet = sign === '<' ? measured < bound : measured >= bound;
  return [[what, `${sign} ${bound}`, digits(measured, bound < 10 ? 2 : 0), isMet ? 'met' : 'not met']];
}

/** Formats a figure. A run without responses has no figures. */
function digits(figure: number, count: number): string {
  return Number.isFinite(figure) ? figure.toFixed(count) : '–';
}
