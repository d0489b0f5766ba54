/**
 * Measures the CPU time per request by thread: (b) with validation, (d) this service, and (e) with conversation text, the
 * contenders of `servers`. With `--before`, also (d) and (e) of another tree, e.g. of the last release. The servers run at
 * the same time and get slices of a few hundred requests in turns, so that the ratios hold on a noisy machine. Requires
 * Linux (/proc).
 */
import { join } from 'node:path';
import { Command } from 'commander';
import mysql from 'mysql2/promise';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { markdownTable, textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { startPrivateMariadb } from '../../../testkit/mariadb.js';
import { freePorts, startServiceProgram } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { describeMachine, machineLine } from '../support/machine.js';
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
  readonly markdown: boolean;
}

export const cpu = new Command('cpu')
  .description('CPU time per request by thread, compared with a validating Express in alternating slices.')
  .addOption(databaseOption)
  .option('--slices <number>', 'measured slices of each contender', positive, 20)
  .option('--requests <number>', 'requests of a slice', positive, 300)
  .option('--warm-up <number>', 'slices before the measured ones, which compile the code', positive, 6)
  .option('--before <folder>', 'also measure this other tree, with its build (npm ci && npm run build)')
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

/** What MariaDB counted. */
interface Traffic {
  readonly bytes: number;
  /** Bytes of the redo log. */
  readonly logged: number;
  readonly statements: number;
  readonly commits: number;
}

async function bench({ database, markdown, before, ...options }: Options): Promise<void> {
  const head = `${machineLine(describeMachine())}; load average ${describeMachine().loadAverage.join(' ')}`;
  const print = markdown ? markdownTable : textTable;
  const columns = [{ title: 'contender' }, ...figureColumns(...Object.keys(threads))];
  const services = listServices(before);
  for (const kind of await findDatabases(database)) {
    const field = await measure(kind, services, options);
    console.log(`${titleOf(kind)}: CPU per request by thread, µs, and the same ÷ the HTTP thread of (b)\n`);
    const rows = [validated, ...services].map(({ title }) => [
      title,
      ...cells(field[title], (cpu, pick) => pick(cpu), 0),
    ]);
    const shares = services.map(({ title }) => [
      `${title} ÷ (b)`,
      ...cells(
        field[title],
        (cpu, pick, round) => pick(cpu) / (field[validated.title]?.[round]?.http ?? Number.NaN),
        2,
      ),
    ]);
    console.log(`${print(columns, [rows, shares, compareTrees(field, services)])}\n`);
    if (kind === 'mysql') for (const { title } of services) printTraffic(title, field[title] ?? [], options.requests);
  }
  const { slices, requests } = options;
  console.log(`Median (quartiles) of ${slices} alternating slices of ${requests} requests. ${head}.`);
}

/** Returns one row per service: the figures of this tree ÷ the figures of the other tree in the same round. */
function compareTrees(field: Field, services: readonly Contender[]): string[][] {
  return services.flatMap(({ title }) => {
    const other = field[`${title} before`];
    if (other === undefined) return [];
    const ratios = cells(field[title], (cpu, pick, round) => pick(cpu) / pick(other[round] as Cpu), 2);
    return [[`${title} ÷ before`, ...ratios]];
  });
}

function measure(kind: DatabaseKind, services: readonly Contender[], sizes: Sizes): Promise<Field> {
  if (kind === 'mysql')
    return withMariadb(services.length, (urls, pid, readTraffic) => compare(services, urls, sizes, pid, readTraffic));
  return withDatabases(kind, services.length, (urls) => compare(services, urls, sizes));
}

function withDatabases<T>(
  kind: DatabaseKind,
  count: number,
  work: (urls: readonly string[]) => Promise<T>,
): Promise<T> {
  if (count === 0) return work([]);
  return withDatabase(kind, (url) => withDatabases(kind, count - 1, (urls) => work([url, ...urls])));
}

/** Uses a server of its own, because the CPU time of a shared server includes the work of others. */
async function withMariadb<T>(
  databases: number,
  work: (urls: readonly string[], pid: number | undefined, readTraffic: () => Promise<Traffic>) => Promise<T>,
) {
  const [port = 0] = await freePorts(1);
  const server = await startPrivateMariadb(port);
  const connection = await mysql.createConnection({ uri: server.url });
  try {
    const names = Array.from({ length: databases }, (_, index) => `service${index}`);
    for (const name of names) await connection.query(`create database ${name}`);
    const urls = names.map((name) => `${server.url}/${name}`);
    return await work(urls, server.pid(), async () => {
      const [rows] = await connection.query('show global status');
      const status = new Map(
        (rows as Array<Record<'Variable_name' | 'Value', string>>).map((it) => [it.Variable_name, Number(it.Value)]),
      );
      const of = (name: string) => status.get(name) ?? Number.NaN;
      return {
        bytes: of('Bytes_received'),
        logged: of('Innodb_os_log_written'),
        statements: of('Questions'),
        commits: of('Com_commit'),
      };
    });
  } finally {
    await connection.end();
    await server.remove();
  }
}

async function compare(
  services: readonly Contender[],
  urls: readonly string[],
  { slices, requests, warmUp }: Sizes,
  databasePid?: number,
  readTraffic = async (): Promise<Traffic> => ({ bytes: 0, logged: 0, statements: 0, commits: 0 }),
): Promise<Field> {
  const base = await startServiceProgram({}, { file: bundle('servers/server'), args: ['validated'] });
  const servers = new Map([[validated.title, await openSliced(base, 'nobody asks for one')]]);
  const loads = new Map([validated, ...services].map(({ title, load }) => [title, load]));
  const run = async (title: string): Promise<Spent> => {
    const before = await readTraffic();
    const spent = await (servers.get(title) as Sliced).run(loads.get(title) ?? 'plain', requests);
    const { bytes, logged, statements, commits } = await readTraffic();
    const traffic = {
      bytes: bytes - before.bytes,
      statements: statements - before.statements,
      logged: logged - before.logged,
      commits: commits - before.commits,
    };
    return { ...spent, traffic };
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
  const bytes = middle(spent.map(({ traffic }) => traffic.bytes / requests)).toFixed(0);
  const logged = middle(spent.map(({ traffic }) => traffic.logged / requests)).toFixed(0);
  const statements = middle(spent.map(({ traffic }) => traffic.statements / traffic.commits)).toFixed(1);
  const group = middle(spent.map(({ traffic }) => requests / traffic.commits)).toFixed(1);
  console.log(`${title}: ${bytes} bytes to MariaDB per reading, ${logged} bytes of its redo log`);
  console.log(`${statements} statements per commit of ${group}\n`);
}

/** Returns a cell per thread: the median of a figure of each round, and its quartiles. */
function cells(
  spent: readonly Spent[] = [],
  figureOf: (cpu: Cpu, pick: (cpu: Cpu) => number, round: number) => number,
  digits: number,
): string[] {
  return Object.values(threads).map((pick) => {
    const figures = spent.map((cpu, round) => figureOf(cpu, pick, round));
    const [median, low, high] = [0.5, 0.25, 0.75].map((share) => quantile(figures, share).toFixed(digits));
    return median === 'NaN' ? '' : `${median} (${low}–${high})`;
  });
}
