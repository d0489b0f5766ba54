/**
 * Measures the CPU time per request by thread: (b) with validation, (d) this service, and (e) with conversation text, the
 * contenders of `servers`. The servers run at the same time and get slices of a few hundred requests in turns, so that the
 * ratios hold on a noisy machine. Requires Linux (/proc).
 */
import { Command } from 'commander';
import mysql from 'mysql2/promise';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { markdownTable, textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { type PrivateMariadb, startPrivateMariadb } from '../../../testkit/mariadb.js';
import { freePorts, startServiceProgram } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { describeMachine, machineLine } from '../support/machine.js';
import { middle, takeTurns } from '../support/rounds.js';
import { bundle } from '../support/service.js';
import { type Cpu, openService, openSliced, threads } from '../support/slices.js';

interface Options {
  readonly database: DatabaseChoice;
  readonly slices: number;
  readonly requests: number;
  readonly warmUp: number;
  readonly markdown: boolean;
}

export const cpu = new Command('cpu')
  .description('CPU time per request by thread, compared with a validating Express in alternating slices.')
  .addOption(databaseOption)
  .option('--slices <number>', 'measured slices of each contender', positive, 20)
  .option('--requests <number>', 'requests of a slice', positive, 300)
  .option('--warm-up <number>', 'slices before the measured ones, which compile the code', positive, 6)
  .option('--markdown', 'print the tables as Markdown', false)
  .action(bench);

const titles = { validated: '(b) with validation', service: '(d) this service', turns: '(e) with conversation text' };
type Contender = keyof typeof titles;
const contenders = Object.keys(titles) as Contender[];
const main = 'dist/main.js';

type Sizes = Pick<Options, 'slices' | 'requests' | 'warmUp'>;

/** What a slice costs. */
interface Spent extends Cpu {
  readonly traffic: Traffic;
}
type Field = Readonly<Record<Contender, readonly Spent[]>>;

/** What MariaDB counted. */
interface Traffic {
  readonly bytes: number;
  readonly statements: number;
  readonly commits: number;
}

async function bench({ database, markdown, ...options }: Options): Promise<void> {
  const head = `${machineLine(describeMachine())}; load average ${describeMachine().loadAverage.join(' ')}`;
  const print = markdown ? markdownTable : textTable;
  const columns = [{ title: 'contender' }, ...figureColumns(...Object.keys(threads))];
  for (const kind of await findDatabases(database)) {
    const spent = await measure(kind, options);
    console.log(`${titleOf(kind)}: CPU per request by thread, µs, and the same ÷ the HTTP thread of (b)\n`);
    const rows = contenders.map((it) => [titles[it], ...cells(spent[it], (cpu, pick) => pick(cpu), 0)]);
    const byRound = (it: Contender) =>
      cells(spent[it], (cpu, pick, round) => pick(cpu) / (spent.validated[round]?.http ?? Number.NaN), 2);
    const shares = contenders.slice(1).map((it) => [`${titles[it]} ÷ (b)`, ...byRound(it)]);
    console.log(`${print(columns, [rows, shares])}\n`);
    for (const it of ['service', 'turns'] as const) if (kind === 'mysql') printTraffic(it, spent, options.requests);
  }
  const { slices, requests } = options;
  console.log(`Median (quartiles) of ${slices} alternating slices of ${requests} requests. ${head}.`);
}

function measure(kind: DatabaseKind, sizes: Sizes): Promise<Field> {
  if (kind === 'sqlite')
    return withDatabase(kind, (plain) => withDatabase(kind, (turns) => compare({ plain, turns }, sizes)));
  return withMariadb(({ url, pid }, readTraffic) =>
    compare({ plain: `${url}/plain`, turns: `${url}/turns` }, sizes, pid(), readTraffic),
  );
}

/** Uses a server of its own, because the CPU time of a shared server includes the work of others. */
async function withMariadb<T>(work: (server: PrivateMariadb, readTraffic: () => Promise<Traffic>) => Promise<T>) {
  const [port = 0] = await freePorts(1);
  const server = await startPrivateMariadb(port);
  const connection = await mysql.createConnection({ uri: server.url });
  try {
    for (const name of ['plain', 'turns']) await connection.query(`create database ${name}`);
    return await work(server, async () => {
      const [rows] = await connection.query('show global status');
      const status = new Map(
        (rows as Array<Record<'Variable_name' | 'Value', string>>).map((it) => [it.Variable_name, Number(it.Value)]),
      );
      const of = (name: string) => status.get(name) ?? Number.NaN;
      return { bytes: of('Bytes_received'), statements: of('Questions'), commits: of('Com_commit') };
    });
  } finally {
    await connection.end();
    await server.remove();
  }
}

async function compare(
  urls: Readonly<Record<'plain' | 'turns', string>>,
  { slices, requests, warmUp }: Sizes,
  databasePid?: number,
  readTraffic = async (): Promise<Traffic> => ({ bytes: 0, statements: 0, commits: 0 }),
): Promise<Field> {
  const validated = await startServiceProgram({}, { file: bundle('servers/server'), args: ['validated'] });
  const servers = {
    validated: await openSliced(validated, 'nobody asks for one'),
    service: await openService(main, urls.plain, databasePid),
    turns: await openService(main, urls.turns, databasePid),
  };
  const run = async (it: Contender): Promise<Spent> => {
    const before = await readTraffic();
    const spent = await servers[it].run(it === 'turns' ? 'turn' : 'plain', requests);
    const { bytes, statements, commits } = await readTraffic();
    const traffic = {
      bytes: bytes - before.bytes,
      statements: statements - before.statements,
      commits: commits - before.commits,
    };
    return { ...spent, traffic };
  };
  try {
    await takeTurns(contenders, warmUp, run);
    return await takeTurns(contenders, slices, run);
  } finally {
    for (const it of contenders) await servers[it].stop();
  }
}

function printTraffic(it: Contender, field: Field, requests: number): void {
  const bytes = middle(field[it].map(({ traffic }) => traffic.bytes / requests)).toFixed(0);
  const statements = middle(field[it].map(({ traffic }) => traffic.statements / traffic.commits)).toFixed(1);
  const group = middle(field[it].map(({ traffic }) => requests / traffic.commits)).toFixed(1);
  console.log(
    `${titles[it]}: ${bytes} bytes to MariaDB per reading, ${statements} statements per commit of ${group}\n`,
  );
}

/** Returns a cell per thread: the median of a figure of each round, and its quartiles. */
function cells(
  spent: readonly Spent[],
  figureOf: (cpu: Cpu, pick: (cpu: Cpu) => number, round: number) => number,
  digits: number,
): string[] {
  return Object.values(threads).map((pick) => {
    const figures = spent.map((cpu, round) => figureOf(cpu, pick, round));
    const [median, low, high] = [0.5, 0.25, 0.75].map((share) => quantile(figures, share).toFixed(digits));
    return `${median} (${low}–${high})`;
  });
}
