/**
 * Checks that no acknowledged reading is lost. Kills the service or the database server repeatedly under load, then
 * compares the histories with the acknowledged readings. Exits with 1 when a reading is missing. Does not cover power
 * loss, because the kernel's buffers survive these kills.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import mysql from 'mysql2/promise';
import { runCommand } from '../../contract-tests/support/service-process.js';
import { type DatabaseKind, settingsFor } from '../../contract-tests/support/databases.js';
import { startPrivateMariadb } from '../../contract-tests/support/mariadb.js';
import { ample } from '../bench/support/service.js';
import {
  databaseOption,
  type DatabaseChoice,
  findDatabases,
  titleOf,
  withDatabase,
} from '../bench/support/databases.js';
import { freePorts, startFleet } from '../../contract-tests/support/fleet.js';
import { startFollowers } from './durability/followers.js';
import { countLost, sessionIdsOf, startLoad } from './durability/load.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { startProgress } from '../../src/terminal/progress.js';
import { seededRandom } from '../../src/terminal/scenes.js';
import { type Column, type TableRow, textTable } from '../../src/terminal/table.js';

/** Number of readings that are acknowledged between two kills, so that every kill happens under load. */
const readingsBetween = 200;
const pauseMsMax = 300;
/** Counts of one target, by column. */
const counted = ['kills', 'acknowledged', 'in batches', 'not answered', 'events', 'reconnects'] as const;
/** Counts that must be zero. */
const faults = ['lost', 'missed', 'repeated', 'ended unexpectedly'] as const;
const columns: readonly Column[] = [
  { title: 'killed' },
  ...[...counted, ...faults].map((title) => ({ title, align: 'right' }) as const),
];

/** The outcome for one target. */
type Outcome = { readonly title: string } & Readonly<
  Record<(typeof counted)[number] | (typeof faults)[number], number>
>;

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
  /** Kills the database server. Resolves when the server is running again. Absent if the service is killed instead. */
  readonly killServer?: () => Promise<void>;
}

await launch(
  new Command('check:durability')
    .description('Kills the service and the database server under load and checks every acknowledged reading.')
    .addOption(databaseOption)
    .option('--kills <number>', 'number of kills (SIGKILL) per target', positive, 20)
    .option('--sessions <number>', 'sessions that send continuously', positive, 64)
    .option('--seed <number>', 'seed of the random choices. The timing still varies', positive, 1)
    .addOption(new Option('--only <target>', 'one of the two').choices(['service', 'server']))
    .action(check),
);

async function check(options: Options): Promise<void> {
  if (options.only === 'server' && options.database === 'sqlite')
    throw new Error('an embedded database has no server to kill');
  const outcomes: Outcome[] = [];
  if (options.only !== 'server')
    for (const kind of await findDatabases(options.database)) outcomes.push(await killService(kind, options));
  if (options.only !== 'service' && options.database !== 'sqlite') outcomes.push(await killServer(options));
  console.log(textTable(columns, [outcomes.map(rowOf)]));
  const isWell = outcomes.every((outcome) => faults.every((fault) => outcome[fault] === 0));
  const promise = 'No acknowledged reading was lost, and no stream missed or repeated an event.';
  console.log(isWell ? `\n${promise}` : `\nA guarantee is broken: ${faults.join(', ')} must be 0.`);
  if (!isWell) process.exitCode = 1;
}

function killService(kind: DatabaseKind, options: Options): Promise<Outcome> {
  return withDatabase(kind, (databaseUrl) => endure({ title: `service on ${titleOf(kind)}`, databaseUrl }, options));
}

async function killServer(options: Options): Promise<Outcome> {
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

async function endure(target: Target, { kills, sessions, seed }: Options): Promise<Outcome> {
  const { title, databaseUrl, killServer } = target;
  const random = seededRandom(seed);
  const key = await runCommand(databaseUrl, ['keys', 'create', '--account', 'durable', '--tier', 'enterprise']);
  const [port = 0] = await freePorts(1);
  const env = { HOST: '127.0.0.1', PORT: String(port), ...settingsFor(databaseUrl), LOG_LEVEL: 'fatal', ...ample };
  const fleet = startFleet([{ name: 'service', args: [], env }]);
  const url = `http://127.0.0.1:${port}`;
  const progress = startProgress(process.stderr, kills, `kills, ${title}`);
  try {
    await fleet.ready();
    const sessionIds = sessionIdsOf(sessions);
    const followers = await startFollowers(url, key, sessionIds);
    try {
      const load = startLoad(url, key, sessionIds, random);
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
      const { timestampsBySession, batched, unanswered } = await load.stop();
      await fleet.ready();
      const lost = await countLost(url, key, timestampsBySession);
      const acknowledged = [...timestampsBySession.values()].reduce((sum, all) => sum + all.length, 0);
      const endings = { lost, 'ended unexpectedly': fleet.deaths().length };
      const sent = { acknowledged, 'in batches': batched, 'not answered': unanswered };
      return { title, kills, ...sent, ...endings, ...(await followers.compare()) };
    } finally {
      followers.stop();
    }
  } finally {
    progress.stop();
    for (const death of fleet.deaths()) console.error(death);
    await fleet.close();
  }
}

function rowOf({ title, ...counts }: Outcome): TableRow {
  return [title, ...[...counted, ...faults].map((column) => String(counts[column]))];
}
