/**
 * Checks that no acknowledged reading, state change or alert is lost. Kills the service, the database server, services and
 * workers that share a database, or processes that evaluate alert rules, repeatedly under load, or replaces the release that
 * runs. Then compares what is stored, streamed and delivered with the responses. Exits with 1 when a guarantee is broken.
 * Does not cover power loss, because the kernel's buffers survive these kills.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import mysql from 'mysql2/promise';
import { withProgress } from '../../packages/tools/terminal/progress.js';
import { type Scene, scenes, seededRandom } from '../../packages/tools/terminal/scenes.js';
import { type DatabaseKind, settingsFor } from '../../testkit/databases.js';
import { startFleet } from '../../testkit/fleet.js';
import { launch } from '../../testkit/launch.js';
import { startPrivateMariadb } from '../../testkit/mariadb.js';
import { createKeyOf } from '../../testkit/program.js';
import { freePorts } from '../../testkit/program.js';
import { storyEnv } from '../../testkit/story.js';
import { atLeast, printVerdict, type Row } from '../../testkit/verdict.js';
import {
  databaseOption,
  type DatabaseChoice,
  findDatabases,
  titleOf,
  withDatabase,
} from '../bench/support/databases.js';
import { ample } from '../bench/support/service.js';
import { positive } from '../options.js';
import { endureAlerts } from './durability/alerts.js';
import { startFollowers } from './durability/followers.js';
import { endureProcesses } from './durability/processes.js';
import { changing, type Load, type Sender, startLoad, steady } from './shared/load.js';
import { countLost } from './shared/verdict.js';

/** Number of readings that are acknowledged between two kills, so that every kill happens under load. */
const readingsBetween = 200;
const pauseMsMax = 300;
/** Sessions with an odd number send batches of this many readings, the others send single readings. */
const batchLines = 10;
/** Number of further senders whose readings change the state. */
const changingSenders = 8;

interface Options {
  readonly database: DatabaseChoice;
  readonly kills: number;
  readonly sessions: number;
  readonly seed: number;
  readonly only?: (typeof targets)[number];
  readonly earlier?: string;
}

const targets = ['service', 'processes', 'releases', 'alerts', 'server'] as const;

interface Target {
  readonly title: string;
  readonly databaseUrl: string;
  /** Kills the database server. Resolves when the server is running again. Absent if the service is killed instead. */
  readonly killServer?: () => Promise<void>;
}

await launch(
  new Command('check:durability')
    .description('Kills services, workers and the database server under load and checks every reading and event.')
    .addOption(databaseOption)
    .option('--kills <number>', 'number of kills (SIGKILL) per target', positive, 20)
    .option('--sessions <number>', 'sessions that send continuously', positive, 64)
    .option('--seed <number>', 'seed of the random choices. The timing still varies', positive, 1)
    .addOption(new Option('--only <target>', 'one of the targets').choices(targets))
    .option('--earlier <file>', 'dist/main.js of a built earlier release, for the target "releases"')
    .action(check),
);

async function check(options: Options): Promise<void> {
  if (options.only === 'server' && options.database === 'sqlite')
    throw new Error('an embedded database has no server to kill');
  if (options.only === 'releases' && options.earlier === undefined)
    throw new Error('an upgrade requires an earlier release: build it, and pass its dist/main.js with --earlier');
  const sections: Row[][] = [];
  const isChosen = (target: (typeof targets)[number]) => (options.only ?? target) === target;
  for (const kind of isChosen('server') && options.only ? [] : await findDatabases(options.database)) {
    if (isChosen('service')) sections.push(await killService(kind, options));
    if (isChosen('processes')) sections.push(...(await killProcesses(kind, options)));
    if (isChosen('releases') && options.earlier) sections.push(...(await replaceReleases(kind, options)));
    if (isChosen('alerts')) sections.push(await killEvaluations(kind, options));
  }
  if (isChosen('server') && options.database !== 'sqlite') sections.push(await killServer(options));
  const promise = 'No acknowledged reading, state change or alert was lost, and no stream missed or repeated an event.';
  printVerdict(`${options.kills} kills (SIGKILL) per target`, sections, promise);
}

function killService(kind: DatabaseKind, options: Options): Promise<Row[]> {
  return withDatabase(kind, (databaseUrl) => endure({ title: `service on ${titleOf(kind)}`, databaseUrl }, options));
}

function killProcesses(kind: DatabaseKind, options: Options): Promise<Row[][]> {
  const title = `services and workers on ${titleOf(kind)}`;
  return withDatabase(kind, (databaseUrl) =>
    endureProcesses({
      ...{ title, databaseUrl, ...options, earlier: undefined },
      disturb: (load, { killOne }) => killUnderLoad(load, title, killOne, options),
    }),
  );
}

/** Upgrades all processes of the earlier release to this one under load and goes back, as docs/high-availability.md states. */
function replaceReleases(kind: DatabaseKind, options: Options): Promise<Row[][]> {
  const { earlier = '' } = options;
  return withDatabase(kind, (databaseUrl) =>
    endureProcesses({
      ...{ title: `upgrade and way back on ${titleOf(kind)}`, databaseUrl, ...options, earlier },
      async disturb(load, { replaceAll }) {
        for (const file of ['dist/main.js', earlier]) {
          await load.acknowledges(readingsBetween);
          await replaceAll(file);
        }
        await load.acknowledges(readingsBetween);
      },
    }),
  );
}

function killEvaluations(kind: DatabaseKind, options: Options): Promise<Row[]> {
  const title = `alert rules on ${titleOf(kind)}`;
  return withDatabase(kind, (databaseUrl) =>
    endureAlerts({
      ...{ title, databaseUrl, ...options },
      killAll: (load, kill) => killUnderLoad(load, title, kill, options),
    }),
  );
}

/** Kills again and again, each time after further readings are acknowledged. */
async function killUnderLoad(load: Load, title: string, kill: () => Promise<unknown>, { kills, seed }: Options) {
  const random = seededRandom(seed);
  await withProgress(kills, `kills, ${title}`, async ({ advance }) => {
    for (let count = 0; count < kills; count += 1, advance()) {
      await load.acknowledges(readingsBetween);
      await sleep(pauseMsMax * random());
      await kill();
    }
  });
  await load.acknowledges(readingsBetween);
}

async function killServer(options: Options): Promise<Row[]> {
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

async function endure(target: Target, options: Options): Promise<Row[]> {
  const { sessions, seed } = options;
  const { title, databaseUrl, killServer } = target;
  const random = seededRandom(seed);
  const key = await createKeyOf(databaseUrl, 'durable');
  const [port = 0] = await freePorts(1);
  const env = {
    HOST: '127.0.0.1',
    PORT: String(port),
    ...settingsFor(databaseUrl),
    LOG_LEVEL: 'fatal',
    ...ample,
    ...storyEnv,
  };
  const fleet = startFleet([{ name: 'service', args: [], env }]);
  const url = `http://127.0.0.1:${port}`;
  try {
    await fleet.ready();
    const sessionIds = Array.from({ length: sessions }, (_, index) => `durable-${index}`);
    const followers = await startFollowers(url, key, sessionIds);
    try {
      const load = startLoad({ urls: () => [url], key, senders: sendersOf(sessionIds, random), random });
      const kill = killServer ?? (() => fleet.killOne(random));
      await killUnderLoad(load, title, kill, options).finally(load.stop);
      const { acknowledged, sent, batched, unanswered } = await load.stop();
      await fleet.ready();
      const lost = await countLost(url, key, sent);
      const { events, changes, reconnects, missed, repeated } = await followers.compare();
      return [
        { what: `${title}: readings acknowledged`, found: acknowledged },
        { what: '  in batches', found: batched },
        { what: '  lost', found: lost, allowed: 0 },
        { what: 'readings without a response', found: unanswered },
        { what: 'events received by all streams', found: events },
        { what: '  missed', found: missed, allowed: 0 },
        { what: '  repeated', found: repeated, allowed: 0 },
        { what: 'state changes', found: changes, allowed: atLeast(1) },
        { what: 'reconnects of streams', found: reconnects },
        { what: 'processes that ended unexpectedly', found: fleet.deaths().length, allowed: 0 },
      ];
    } finally {
      followers.stop();
    }
  } finally {
    for (const death of fleet.deaths()) console.error(death);
    await fleet.close();
  }
}

/** Returns senders of single readings and of batches, and senders whose readings change the state. */
function sendersOf(sessionIds: readonly string[], random: () => number): Sender[] {
  return [
    ...sessionIds.map((session_id, index) =>
      steady(session_id, scenes[index % scenes.length] as Scene, random, index % 2 === 1 ? batchLines : 1),
    ),
    ...Array.from({ length: changingSenders }, (_, index) => changing(`changing-${index}`, random)),
  ];
}
