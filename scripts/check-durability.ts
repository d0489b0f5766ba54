/**
 * Whether an acknowledged reading is ever lost: the service, or the database server under it, is killed again and again
 * under load, and afterwards the histories are compared with what was acknowledged. The exit code is 1 when one is
 * missing. What the kernel holds survives these kills: they prove nothing about power loss.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import mysql from 'mysql2/promise';
import { runCommand } from '../contract-tests/dredd/service-process.js';
import type { DatabaseKind } from '../contract-tests/support/databases.js';
import { startPrivateMariadb } from '../contract-tests/support/mariadb.js';
import { ample } from './bench/service.js';
import { databaseOption, type DatabaseWish, findDatabases, titleOf, withDatabase } from './bench/databases.js';
import { freePorts, startFleet } from './chaos/processes.js';
import { type Acknowledged, countLost, startLoad } from './durability/load.js';
import { launch } from './terminal/launch.js';
import { positive } from './terminal/options.js';
import { startProgress } from './terminal/progress.js';
import { seededRandom } from './terminal/scenes.js';
import { type Column, type TableRow, textTable } from './terminal/table.js';

/** Acknowledged since the last kill, so that every kill meets the load. */
const readingsBetween = 200;
const pauseMsMax = 300;
const columns: readonly Column[] = [
  { title: 'killed' },
  ...['kills', 'acknowledged', 'not answered', 'lost', 'ended by itself', 'must be'].map(
    (title) => ({ title, align: 'right' }) as const,
  ),
];

interface Wish {
  readonly database: DatabaseWish;
  readonly kills: number;
  readonly sessions: number;
  readonly seed: number;
  readonly only?: 'service' | 'server';
}

interface Target {
  readonly title: string;
  readonly databaseUrl: string;
  /** Resolves when it is up again; absent where the service itself is killed. */
  readonly killServer?: () => Promise<void>;
}

await launch(
  new Command('check:durability')
    .description('Kills the service, and the database server, under load and looks for every acknowledged reading.')
    .addOption(databaseOption)
    .option('--kills <number>', 'kill -9, of each', positive, 20)
    .option('--sessions <number>', 'that send without a pause', positive, 64)
    .option('--seed <number>', 'repeats what is drawn, though not what becomes of it', positive, 1)
    .addOption(new Option('--only <target>', 'one of the two').choices(['service', 'server']))
    .action(check),
);

async function check(wish: Wish): Promise<void> {
  if (wish.only === 'server' && wish.database === 'sqlite')
    throw new Error('an embedded database has no server to kill');
  const rows: TableRow[] = [];
  if (wish.only !== 'server')
    for (const kind of await findDatabases(wish.database)) rows.push(await killService(kind, wish));
  if (wish.only !== 'service' && wish.database !== 'sqlite') rows.push(await killServer(wish));
  console.log(textTable(columns, [rows]));
  const isWell = rows.every(([, , , , lost, ended]) => lost === '0' && ended === '0');
  console.log(isWell ? '\nNothing acknowledged was lost.' : '\nThat is not as promised.');
  if (!isWell) process.exitCode = 1;
}

function killService(kind: DatabaseKind, wish: Wish): Promise<TableRow> {
  return withDatabase(kind, (databaseUrl) => endure({ title: `service on ${titleOf(kind)}`, databaseUrl }, wish));
}

async function killServer(wish: Wish): Promise<TableRow> {
  const [port = 0] = await freePorts(1);
  const mariadb = await startPrivateMariadb(port);
  try {
    const connection = await mysql.createConnection({ uri: mariadb.url });
    await connection.query('create database durable').finally(() => connection.end());
    const killServer = async () => {
      await mariadb.kill();
      await mariadb.start();
    };
    return await endure({ title: 'database server', databaseUrl: `${mariadb.url}/durable`, killServer }, wish);
  } finally {
    await mariadb.remove();
  }
}

async function endure(target: Target, { kills, sessions, seed }: Wish): Promise<TableRow> {
  const { title, databaseUrl, killServer } = target;
  const random = seededRandom(seed);
  const key = await runCommand(databaseUrl, ['keys', 'create', '--account', 'durable', '--tier', 'enterprise']);
  const [port = 0] = await freePorts(1);
  const env = { HOST: '127.0.0.1', PORT: String(port), DATABASE_URL: databaseUrl, LOG_LEVEL: 'fatal', ...ample };
  const fleet = startFleet([{ name: 'service', args: [], env }]);
  const url = `http://127.0.0.1:${port}`;
  const progress = startProgress(process.stderr, kills, `kills, ${title}`);
  try {
    await fleet.ready();
    const load = startLoad(url, key, sessions, random);
    const killAll = async () => {
      for (let count = 0; count < kills; count += 1) {
        await load.acknowledges(readingsBetween);
        await sleep(pauseMsMax * random());
        await (killServer ? killServer() : fleet.killOne(random));
        progress.advance();
      }
      await load.acknowledges(readingsBetween);
    };
    await killAll().finally(load.stop);
    const acknowledged = await load.stop();
    await fleet.ready();
    for (const death of fleet.deaths()) console.error(death);
    const lost = await countLost(url, key, acknowledged);
    return rowOf(title, kills, acknowledged, lost, fleet.deaths().length);
  } finally {
    progress.stop();
    await fleet.close();
  }
}

function rowOf(
  title: string,
  kills: number,
  { instants, unanswered }: Acknowledged,
  lost: number,
  ended: number,
): TableRow {
  const acknowledged = [...instants.values()].reduce((sum, all) => sum + all.length, 0);
  return [title, ...[kills, acknowledged, unanswered, lost, ended, 0].map(String)];
}
