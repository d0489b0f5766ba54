/**
 * Measures the CPU time per request by thread: (b) with validation, (d) this service, and (e) with conversation text, the
 * contenders of `servers`. With `--before`, also (d) and (e) of another tree, e.g. of the last release. The servers run at
 * the same time and get slices of a few hundred requests in turns, so that the ratios hold on a noisy machine. Requires
 * Linux (/proc).
 */
import { join } from 'node:path';
import { Command } from 'commander';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { markdownTable, textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { startServiceProgram } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import {
  databaseOption,
  type DatabaseChoice,
  findDatabases,
  titleOf,
  withDatabases,
  withMariadb,
} from '../support/databases.js';
import { describeMachine, loadLine } from '../support/machine.js';
import type { Load } from '../support/requests.js';
import { middle, takeTurns } from '../support/rounds.js';
import { bundle } from '../support/service.js';
import { type Cpu, openService, openSliced, type Sliced, threads } from '../support/slices.js';

interface Options {
  readonly database: DatabaseChoice;
  readonly slices: number;
  readonly requests: number;
  readonly warmUp: number;
  readonly before?: string;
  readonly ratioMax?: number;
  readonly markdown: boolean;
}

export const cpu = new Command('cpu')
  .description('CPU time per request by thread, compared with a validating Express in alternating slices.')
  .addOption(databaseOption)
  .option('--slices <number>', 'measured slices of each contender', positive, 20)
  .option('--requests <number>', 'requests of a slice', positive, 300)
  .option('--warm-up <number>', 'slices before the measured ones, which compile the code', positive, 6)
  .option('--before <folder>', 'also measure this other tree, with its build (npm ci && npm run build)')
  .option('--ratio-max <number>', 'fail if the HTTP or core thread costs more than this multiple of before', Number)
  .option('--markdown', 'print the tables as Markdown', false)
  .action(bench);

interface Contender {
  readonly title: string;
  readonly load: Load;
  /** Program of the service. Absent for (b). */
  readonly main?: string;
}

const main = 'dist/main.js';
const validated: Contender = { title: '(b) with validation', load: 'plain' };

function listServices(before?: string): Contender[] {
  const trees = [
    { suffix: '', main },
    ...(before === undefined ? [] : [{ suffix: ' before', main: join(before, main) }]),
  ];
  return trees.flatMap((it): Contender[] => [
    { title: `(d) this service${it.suffix}`, load: 'plain', main: it.main },
    { title: `(e) with conversation text${it.suffix}`, load: 'turn', main: it.main },
  ]);
}

type Sizes = Pick<Options, 'slices' | 'requests' | 'warmUp'>;

/** What a slice costs. */
interface Spent extends Cpu {
  readonly traffic: Traffic;
}
/** The slices of each contender, by title. */
type Field = Readonly<Record<string, readonly Spent[]>>;

/** What MariaDB counts. `logged` are bytes of the redo log. */
const counters = {
  bytes: 'Bytes_received',
  logged: 'Innodb_os_log_written',
  statements: 'Questions',
  commits: 'Com_commit',
} as const;
type Traffic = Readonly<Record<keyof typeof counters, number>>;

async function bench({ database, markdown, before, ratioMax = Infinity, ...options }: Options): Promise<void> {
  const head = loadLine(describeMachine());
  const print = markdown ? markdownTable : textTable;
  const columns = [{ title: 'contender' }, ...figureColumns(...Object.keys(threads))];
  const services = listServices(before);
  for (const kind of await findDatabases(database)) {
    const field = await measure(kind, services, options);
    console.log(`${titleOf(kind)}: CPU per request by thread, µs, and the same ÷ the HTTP thread of (b)\n`);
    const base = field[validated.title] ?? [];
    const rows = [validated, ...services].map(({ title }) => [title, ...cells(field[title])]);
    const shares = services.map(({ title }) => [
      `${title} ÷ (b)`,
      ...cells(field[title], 2, (round) => base[round]?.http ?? Number.NaN),
    ]);
    console.log(`${print(columns, [rows, shares, compareTrees(field, services)])}\n`);
    if (kind === 'mysql') for (const { title } of services) printTraffic(title, field[title] ?? [], options.requests);
    for (const slower of findSlower(field, services, ratioMax)) {
      console.log(`Slower on ${titleOf(kind)}: ${slower}`);
      process.exitCode = 1;
    }
  }
  const { slices, requests } = options;
  console.log(`Median (quartiles) of ${slices} alternating slices of ${requests} requests. ${head}.`);
}

/** Returns one row per service: the figures of this tree ÷ the figures of the other tree in the same round. */
function compareTrees(field: Field, services: readonly Contender[]): string[][] {
  return services.flatMap(({ title }) => {
    const other = field[`${title} before`];
    if (other === undefined) return [];
    return [[`${title} ÷ before`, ...cells(field[title], 2, (round, pick) => pick(other[round] as Cpu))]];
  });
}

/** Returns one text per thread that requests wait for, and that costs more than `ratioMax` × that of the other tree. */
function findSlower(field: Field, services: readonly Contender[], ratioMax: number): string[] {
  return services.flatMap(({ title }) => {
    const other = field[`${title} before`];
    if (other === undefined) return [];
    return ['HTTP', 'core'].flatMap((thread) => {
      const pick = threads[thread] ?? (() => Number.NaN);
      const ratio = middle((field[title] ?? []).map((cpu, round) => pick(cpu) / pick(other[round] as Cpu)));
      return ratio > ratioMax ? [`the ${thread} thread of ${title} costs ${ratio.toFixed(2)} × before`] : [];
    });
  });
}

function measure(kind: DatabaseKind, services: readonly Contender[], sizes: Sizes): Promise<Field> {
  if (kind === 'sqlite') return withDatabases(kind, services.length, (urls) => compare(services, urls, sizes));
  const names = services.map((_, index) => `service${index}`);
  // A server of its own, because the CPU time of a shared server includes the work of others.
  return withMariadb(names, async (server, urls) => {
    const connection = await mysql.createConnection({ uri: server.url });
    const readTraffic = async (): Promise<Traffic> => {
      const [rows] = await connection.query<RowDataPacket[]>('show global status');
      const status = new Map(rows.map((it) => [it['Variable_name'], Number(it['Value'])]));
      return mapCounters((name) => status.get(counters[name]) ?? Number.NaN);
    };
    return compare(services, urls, sizes, server.pid(), readTraffic).finally(() => connection.end());
  });
}

function mapCounters(valueOf: (name: keyof Traffic) => number): Traffic {
  const names = Object.keys(counters) as Array<keyof Traffic>;
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Traffic;
}

async function compare(
  services: readonly Contender[],
  urls: readonly string[],
  { slices, requests, warmUp }: Sizes,
  databasePid?: number,
  readTraffic = async () => mapCounters(() => 0),
): Promise<Field> {
  const base = await startServiceProgram({}, { file: bundle('servers/server'), args: ['validated'] });
  const servers = new Map([[validated.title, await openSliced(base, 'nobody asks for one')]]);
  const loads = new Map([validated, ...services].map(({ title, load }) => [title, load]));
  const run = async (title: string): Promise<Spent> => {
    const before = await readTraffic();
    const spent = await (servers.get(title) as Sliced).run(loads.get(title) ?? 'plain', requests);
    const after = await readTraffic();
    return { ...spent, traffic: mapCounters((name) => after[name] - before[name]) };
  };
  try {
    for (const [index, it] of services.entries())
      servers.set(it.title, await openService(it.main ?? main, urls[index] ?? '', databasePid));
    await takeTurns([...servers.keys()], warmUp, run);
    return await takeTurns([...servers.keys()], slices, run);
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

function printTraffic(title: string, spent: readonly Spent[], requests: number): void {
  const of = (figure: (traffic: Traffic) => number, digits: number) =>
    middle(spent.map(({ traffic }) => figure(traffic))).toFixed(digits);
  const [bytes, logged] = [of((it) => it.bytes / requests, 0), of((it) => it.logged / requests, 0)];
  const [statements, group] = [of((it) => it.statements / it.commits, 1), of((it) => requests / it.commits, 1)];
  console.log(`${title}: ${bytes} bytes to MariaDB per reading, ${logged} bytes of its redo log`);
  console.log(`${statements} statements per commit of ${group}\n`);
}

/** Returns a cell per thread: the median of its figures, as multiples of `unitOf` a round, and the quartiles. */
function cells(
  spent: readonly Spent[] = [],
  digits = 0,
  unitOf: (round: number, pick: (cpu: Cpu) => number) => number = () => 1,
): string[] {
  return Object.values(threads).map((pick) => {
    const figures = spent.map((cpu, round) => pick(cpu) / unitOf(round, pick));
    const [median, low, high] = [0.5, 0.25, 0.75].map((share) => quantile(figures, share).toFixed(digits));
    return median === 'NaN' ? '' : `${median} (${low}–${high})`;
  });
}
