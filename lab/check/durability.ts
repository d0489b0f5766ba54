/**
 * Checks that no acknowledged reading, state change or alert is lost. Kills the service, the database server, services and
 * workers that share a database, or processes that evaluate alert rules, repeatedly under load, or replaces the release that
 * runs. Then compares what is stored, streamed and delivered with the responses. Exits with 1 when a guarantee is broken.
 * Does not cover power loss, because the kernel's buffers survive these kills.
 */
import { Command, Option } from 'commander';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { launch } from '../../testkit/launch.js';
import { printVerdict, type Row } from '../../testkit/verdict.js';
import * as databases from '../bench/support/databases.js';
import { positive } from '../options.js';
import { endureAlerts } from './durability/alerts.js';
import { type Actions, endureProcesses } from './durability/processes.js';
import { endureService, type Trial } from './durability/service.js';
import type { Load } from './shared/load.js';
import { killUnderLoad } from './shared/processes.js';

const readingsBetween = 200;
/** Range of the pause before a kill, ms. */
const pauseMs = [0, 300] as const;

/** Titles of the targets that use any database, and their trials. */
const targets = {
  service: ['service', (trial: Trial) => endureService(trial)],
  processes: ['services and workers', killProcesses],
  releases: ['upgrade and way back', replaceReleases],
  alerts: ['alert rules', endureAlerts],
} as const;
type Target = keyof typeof targets;
const names = Object.keys(targets) as Target[];

interface Options {
  readonly database: databases.DatabaseChoice;
  readonly kills: number;
  readonly sessions: number;
  readonly seed: number;
  readonly only?: Target | 'server';
  readonly earlier?: string;
}

await launch(
  new Command('check:durability')
    .description('Kills services, workers and the database server under load and checks every reading and event.')
    .addOption(databases.databaseOption)
    .option('--kills <number>', 'number of kills (SIGKILL) per target', positive, 20)
    .option('--sessions <number>', 'sessions that send continuously', positive, 64)
    .option('--seed <number>', 'seed of the random choices. The timing still varies', positive, 1)
    .addOption(new Option('--only <target>', 'one of the targets').choices([...names, 'server']))
    .option('--earlier <file>', 'dist/main.js of a built earlier release, for the target "releases"')
    .action(check),
);

async function check({ database, only, earlier, ...options }: Options): Promise<void> {
  if (only === 'server' && database === 'sqlite') throw new Error('an embedded database has no server to kill');
  if (only === 'releases' && earlier === undefined)
    throw new Error('an upgrade requires an earlier release: build it, and pass its dist/main.js with --earlier');
  const { kills, seed } = options;
  const toTrial = (title: string, databaseUrl: string): Trial & Pick<Options, 'earlier'> => ({
    ...{ title, databaseUrl, ...options, ...(earlier !== undefined && { earlier }) },
    killAll: (load, kill) =>
      killUnderLoad(load, { title, kills, random: seededRandom(seed), readingsBetween, pauseMs }, kill),
  });
  const sections: Row[][] = [];
  const chosen = names.filter((it) => (only ?? it) === it && (it !== 'releases' || earlier !== undefined));
  for (const kind of only === 'server' ? [] : await databases.findDatabases(database))
    for (const [title, endure] of chosen.map((it) => targets[it])) {
      const name = `${title} on ${databases.titleOf(kind)}`;
      sections.push(...(await databases.withDatabase(kind, (url) => endure(toTrial(name, url)))));
    }
  if ((only ?? 'server') === 'server' && database !== 'sqlite')
    await databases.withMariadb(['durable'], async (server, [url = '']) => {
      const kill = () => server.kill().then(server.start);
      sections.push(...(await endureService(toTrial('database server', url), kill)));
    });
  const promise = 'No acknowledged reading, state change or alert was lost, and no stream missed or repeated an event.';
  printVerdict(`${kills} kills (SIGKILL) per target`, sections, promise);
}

function killProcesses(trial: Trial): Promise<Row[][]> {
  const disturb = (load: Load, { killOne }: Actions) => trial.killAll(load, killOne);
  return endureProcesses({ ...trial, earlier: undefined, disturb });
}

/** Upgrades all processes of the earlier release to this one under load and goes back, as docs/high-availability.md states. */
function replaceReleases(trial: Trial & Pick<Options, 'earlier'>): Promise<Row[][]> {
  return endureProcesses({
    ...trial,
    async disturb(load, { replaceAll, add }) {
      await load.acknowledges(readingsBetween);
      await replaceAll('dist/main.js');
      await add();
      await load.acknowledges(readingsBetween);
      await replaceAll(trial.earlier ?? '');
      await load.acknowledges(readingsBetween);
    },
  });
}
