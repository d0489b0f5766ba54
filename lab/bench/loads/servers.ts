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
import { createTestDatabase, type DatabaseKind } from '../../../testkit/databases.js';
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
} from '../support/databases.js';
import { connections, type Generator, type MeasuredRun, withGenerator } from '../support/generator.js';
import { describeMachine, type Machine, machineLine } from '../support/machine.js';
import type { Load } from '../support/requests.js';
import { condemnFailures, failuresOf, middleOf, type Runs, takeTurns } from '../support/rounds.js';
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

/** Medians of all runs. `residentMb` is the maximum. */
interface Measured {
  readonly title: string;
  readonly perSecond: number;
  readonly least: number;
  readonly most: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: number;
  readonly residentMb: number;
  /** CPU time from the start of the processes until they are ready, and their memory then. */
  readonly ready: Usage;
  readonly failures: number;
}
type Field = Readonly<Record<Contender, Measured> & Partial<Record<Pair, Measured>>>;
type Usage = ReturnType<typeof readUsage>;
type ServerRun = MeasuredRun & { readonly ready: Usage };

interface Requirement {
  readonly what: string;
  /** Bounds by database. Absent: no bound. */
  readonly bounds: Readonly<Partial<Record<DatabaseKind, number>>>;
  readonly isMaximum?: true;
  readonly figure: (field: Field) => number;
}

const ratio = (one: Contender, other: Contender) => (field: Field) => field[one].perSecond / field[other].perSecond;
const perFastapi = ({ service, fastapi }: Field) => service.perSecond / (fastapi?.perSecond ?? Number.NaN);
const share = (letters: string) => `${letters}, throughput`;
/** The bounds that the service must meet, and goals that exceed the bounds. */
const requirements: readonly Requirement[] = [
  { what: share('(d) of (b)'), bounds: { mysql: 0.7, sqlite: 0.8 }, figure: ratio('service', 'validated') },
  { what: share('(d) of (c)'), bounds: { mysql: 1.5 }, figure: ratio('service', 'storing') },
  { what: share('(d) of (f)'), bounds: { mysql: 1.8 }, figure: perFastapi },
  {
    what: '(d) of (b), p99',
    bounds: { mysql: 4 },
    isMaximum: true,
    figure: ({ service, validated }) => service.p99Ms / validated.p99Ms,
  },
  { what: share('(e) of (b)'), bounds: { mysql: 0.5, sqlite: 0.6 }, figure: ratio('turns', 'validated') },
  { what: share('(e) of (d)'), bounds: { mysql: 0.85, sqlite: 0.85 }, figure: ratio('turns', 'service') },
  {
    what: '(d) resident MB',
    bounds: { mysql: 200, sqlite: 200 },
    isMaximum: true,
    figure: ({ service }) => service.residentMb,
  },
  {
    what: '(h) of (g), readings',
    bounds: { mysql: 5, sqlite: 5 },
    figure: ({ single, batches }) => (batch.lines_max * batches.perSecond) / single.perSecond,
  },
  {
    what: '(d) CPU seconds to ready',
    bounds: { mysql: 0.8, sqlite: 0.8 },
    isMaximum: true,
    figure: ({ service }) => service.ready.cpuMs / 1000,
  },
  {
    what: 'goal: (d) resident MB when ready',
    bounds: { mysql: 100, sqlite: 100 },
    isMaximum: true,
    figure: ({ service }) => service.ready.residentMb,
  },
  { what: `goal: ${share('(d) of (a)')}`, bounds: { mysql: 0.6 }, figure: ratio('service', 'bare') },
  { what: `goal: ${share('(d) of (c)')}`, bounds: { mysql: 2 }, figure: ratio('service', 'storing') },
];

/** The results of the contenders on one database. */
interface Outcome {
  readonly kind: DatabaseKind;
  /** Version of the database, as reported by the server. */
  readonly version: string;
  readonly field: Field;
  readonly runs: Partial<Runs<Contender | Pair, ServerRun>>;
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
async function compareOn(
  kind: DatabaseKind,
  file: string,
  generator: Generator,
  { rounds, seconds, warmUp: warmUpSeconds, fastapi: hasFastapi, every }: Options,
): Promise<Omit<Outcome, 'version'>> {
  const drops: Array<() => Promise<void>> = [];
  const reading = every ? 'every' : 'plain';
  const makeDatabase = async () => {
    const { url, drop } = await createTestDatabase(kind);
    drops.push(drop);
    return url;
  };
  const other = (name: string, url = ''): Start => ({
    key: 'nobody asks for one',
    load: reading,
    start: async () => [await startServiceProgram({ DATABASE_URL: url }, { file, args: [name] })],
  });
  const own = async (load: Load, own: Pick<Start, 'connections'> & { processes?: number } = {}): Promise<Start> => {
    const { processes = 1, ...asked } = own;
    const url = await makeDatabase();
    const start = () => Promise.all(Array.from({ length: processes }, () => startBenchedService(url)));
    return { key: await createKeyOf(url, 'bench'), load, start, ...asked };
  };
  try {
    const starts: Readonly<Record<Contender, Start> & Partial<Record<Pair, Start>>> = {
      bare: other('bare'),
      validated: other('validated'),
      storing: other('storing', await makeDatabase()),
      service: await own(reading),
      turns: await own('turn'),
      single: await own('plain', { connections: 1 }),
      batches: await own('batch', { connections: 1 }),
      ...(kind === 'mysql' && { pair: await own(reading, { processes: 2 }) }),
      ...(kind === 'mysql' && hasFastapi && { fastapi: startFastapi(await makeDatabase(), reading) }),
    };
    const names = Object.keys(starts) as Array<keyof typeof starts>;
    const runs = await takeTurns(names, rounds, (name) =>
      during(starts[name] as Start, async (running, asked): Promise<ServerRun> => {
        const ready = readUsage(running[0]?.pid ?? Number.NaN);
        return { ready, ...(await generator.measure(running, { ...asked, seconds, warmUpSeconds })) };
      }),
    );
    const measured = names.map((it) => [it, measure({ ...titles, ...pairTitles }[it], runs[it])]);
    return { kind, field: Object.fromEntries(measured) as Field, runs };
  } finally {
    for (const drop of drops) await drop();
  }
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

function measure(title: string, runs: readonly ServerRun[]): Measured {
  const rates = runs.map(({ perSecond }) => perSecond);
  return {
    ...{ title, least: Math.min(...rates), most: Math.max(...rates), failures: failuresOf(runs) },
    perSecond: middleOf(runs, ({ perSecond }) => perSecond),
    p50Ms: middleOf(runs, ({ p50Ms }) => p50Ms),
    p99Ms: middleOf(runs, ({ p99Ms }) => p99Ms),
    cpuMicros: middleOf(runs, ({ cpuMicros }) => cpuMicros),
    residentMb: Math.max(...runs.map(({ residentMb }) => residentMb)),
    ready: {
      cpuMs: middleOf(runs, ({ ready }) => ready.cpuMs),
      residentMb: middleOf(runs, ({ ready }) => ready.residentMb),
    },
  };
}

const contenderColumns = [
  { title: 'contender' },
  ...figureColumns('requests/s', 'least', 'most', 'of (a)', 'of (b)', 'of (c)', 'p50 ms', 'p99 ms'),
  ...figureColumns('CPU µs', 'MB', 'failed'),
];
const requirementColumns = [{ title: 'required' }, ...figureColumns('bound', 'measured', '')];

function print(machine: Machine, outcomes: readonly Outcome[], { markdown, seconds, warmUp, rounds }: Options): void {
  const table = markdown ? markdownTable : textTable;
  for (const { kind, version, field } of outcomes) {
    console.log(`${markdown ? '###' : '──'} ${titleOf(kind)} (${version})\n`);
    const measured = [...contenders, ...pairs].flatMap((it) => field[it] ?? []);
    console.log(`${table(contenderColumns, [measured.map((it) => contenderRow(field, it))])}\n`);
    console.log(`${table(requirementColumns, [requirements.flatMap((it) => requirementRow(it, kind, field))])}\n`);
  }
  console.log(`${machineLine(machine)}.`);
  console.log(
    `${connections} connections; medians of ${rounds} runs of ${seconds} s, each after ${warmUp} s to warm up; ` +
      `load average before them ${machine.loadAverage.join(' ')}.`,
  );
  condemnFailures(outcomes.flatMap(({ runs }) => Object.values(runs)));
}

function contenderRow(field: Field, it: Measured): TableRow {
  const shares = ([field.bare, field.validated, field.storing] as const).map((other) =>
    it === other ? '' : digits(it.perSecond / other.perSecond, 2),
  );
  const [rates, rest] = [
    [it.perSecond, it.least, it.most],
    [it.p50Ms, it.p99Ms, it.cpuMicros, it.residentMb, it.failures],
  ].map((figures) => figures.map((figure) => digits(figure, 0)));
  return [it.title, ...(rates ?? []), ...shares, ...(rest ?? [])];
}

function requirementRow({ what, bounds, isMaximum, figure }: Requirement, kind: DatabaseKind, field: Field) {
  const bound = bounds[kind];
  if (bound === undefined) return [];
  const measured = figure(field);
  if (what.includes('(f)') && field.fastapi === undefined) return [];
  const isMet = isMaximum ? measured < bound : measured >= bound;
  const cells = [`${isMaximum ? '<' : '≥'} ${bound}`, digits(measured, bound < 10 ? 2 : 0), isMet ? 'met' : 'not met'];
  return [[what, ...cells]];
}

/** Formats a figure. A run without responses has no figures. */
function digits(figure: number, count: number): string {
  return Number.isFinite(figure) ? figure.toFixed(count) : '–';
}
