/**
 * Checks that no acknowledged reading is lost: kills the service or the database server repeatedly under load, then
 * compares the histories with the acknowledged readings. Exits with 1 when one is missing. The kernel's buffers survive
 * these kills, so this check does not cover power loss.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import mysql from 'mysql2/promise';
import { runCommand } from '../../contract-tests/dredd/service-process.js';
import type { DatabaseKind } from '../../contract-tests/support/databases.js';
import { startPrivateMariadb } from '../../contract-tests/support/mariadb.js';
import { ample } from '../bench/support/service.js';
import {
  databaseOption,
  type DatabaseChoice,
  findDatabases,
  titleOf,
  withDatabase,
} from '../bench/support/databases.js';
import { freePorts, startFleet } from './webhooks/processes.js';
import { type Acknowledged, countLost, startLoad } from './durability/load.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { startProgress } from '../terminal/progress.js';
import { seededRandom } from '../terminal/scenes.js';
import { type Column, type TableRow, textTable } from '../terminal/table.js';

/** Readings acknowledged between two kills, so that every kill happens under load. */
const readingsBetween = 200;
const pauseMsMax = 300;
const columns: readonly Column[] = [
  { title: 'killed' },
  ...['kills', 'acknowledged', 'not answered', 'lost', 'ended by itself', 'must be'].map(
    (title) => ({ title, align: 'right' }) as const,
  ),
];

interface Options {
  readonly database: DatabaseChoice;
  readonly kills: number;
  readonly sessions: number;
  readonly seed: number;
  readonly only?: 'service' | 'server';
}

interface Target {
  readonly title: string;
  readonly databaseUrl: string;
  /** Kills the database server and resolves when it is up again; absent when the service is killed. */
  readonly killServer?: () => Promise<void>;
}

await launch(
  new Command('check:durability')
    .description('Kills the service and the database server under load and checks every acknowledged reading.')
    .addOption(databaseOption)
    .option('--kills <number>', 'kill -9 of each', positive, 20)
    .option('--sessions <number>', 'sessions that send continuously', positive, 64)
    .option('--seed <number>', 'seed of the random choices. The timing still varies', positive, 1)
    .addOption(new Option('--only <target>', 'one of the two').choices(['service', 'server']))
    .action(check),
);

async function check(options: Options): Promise<void> {
  if (options.only === 'server' && options.database === 'sqlite')
    throw new Error('an embedded database has no server to kill');
  const rows: TableRow[] = [];
  if (options.only !== 'server')
    for (const kind of await findDatabases(options.database)) rows.push(await killService(kind, options));
  if (options.only !== 'service' && options.database !== 'sqlite') rows.push(await killServer(options));
  console.log(textTable(columns, [rows]));
  const isWell = rows.every(([, , , , lost, ended]) => lost === '0' && ended === '0');
  console.log(isWell ? '\nNo acknowledged reading was lost.' : '\nA guarantee is broken.');
  if (!isWell) process.exitCode = 1;
}

function killService(kind: DatabaseKind, options: Options): Promise<TableRow> {
  return withDatabase(kind, (databaseUrl) => endure({ title: `service on ${titleOf(kind)}`, databaseUrl }, options));
}

async function killServer(options: Options): Promise<TableRow> {
  const [port = 0] = await freePorts(1);
  const mariadb = await startPrivateMariadb(port);
  try {
    const connection = await mysql.createConnection({ uri: mariadb.url });
    await connection.query('create database durable').finally(() => connection.end());
    const killServer = async () => {
      await mariadb.kill();
      await mariadb.start();
    };
    return await endure({ title: 'database server', databaseUrl: `${mariadb.url}/durable`, killServer }, options);
  } finally {
    await mariadb.remove();
  }
}

async function endure(target: Target, { kills, sessions, seed }: Options): Promise<TableRow> {
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
