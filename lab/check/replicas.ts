/**
 * Checks that several processes on one MySQL and one Redis behave like one process. Sends readings of one session to
 * all processes concurrently, then checks readings, events and the session limit. Also measures the throughput of one
 * process and of all processes. Freezes one process, and cuts off and kills one, while it holds the lock of an account.
 * Exits with 1 when a guarantee is broken.
 */
import { join } from 'node:path';
import { Command } from 'commander';
import { createKeyOf } from '../../testkit/program.js';
import { limits } from '../../generated/spec.js';
import { inspectDatabase, requireDatabase, withDatabase } from '../bench/support/databases.js';
import { type Run, withGenerator } from '../bench/support/generator.js';
import { describeMachine, machineLine } from '../bench/support/machine.js';
import { type Runs, takeTurns } from '../bench/support/rounds.js';
import { ample } from '../bench/support/service.js';
import { sendLoad } from './limits/load.js';
import { type Window, windowsOf } from './limits/windows.js';
import { loseHost } from './replicas/lost-host.js';
import { type ReadingsOptions, checkReadings } from './replicas/readings.js';
import { report, type Side, sides } from './replicas/report.js';
import { type Stage, withRedis, withServices } from './replicas/stage.js';
import { launch } from '../../testkit/launch.js';
import { positive } from '../options.js';
import { withProgress } from '../../packages/tools/terminal/progress.js';
import { save } from '../../packages/tools/terminal/save.js';

const { quota } = limits.session_requests;
/** Number of sessions whose limit is tested. Each session gets 1.5 × its quota of requests. */
const limitedSessions = 10;
const limitedRequests = Math.ceil(1.5 * quota * limitedSessions);

interface Options extends ReadingsOptions {
  readonly seconds: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly reports: string;
}

await launch(
  new Command('check:replicas')
    .description('Checks readings, events and limits of several processes on one MySQL and one Redis.')
    .option('--processes <number>', 'processes that serve and deliver webhooks', positive, 2)
    .option('--sessions <number>', 'concurrent sessions, each sent to every process', positive, 50)
    .option('--readings <number>', 'readings per session', positive, 100)
    .option('--seconds <number>', 'length of each throughput run', positive, 10)
    .option('--warm-up <number>', 'seconds of load before each run, not measured', positive, 3)
    .option('--rounds <number>', 'runs of one process and of all processes', positive, 3)
    .option('--seed <number>', 'seed of the random choices', positive, 1)
    .option('--reports <folder>', 'folder for check-replicas.json', 'reports')
    .addHelpText('after', '\nUses the Redis at REDIS_URL, or starts one. Creates a database and drops it at the end.')
    .action(check),
);

async function check({ reports, ...options }: Options): Promise<void> {
  const { processes } = options;
  await requireDatabase('mysql');
  const outcome = await withRedis((redisUrl) =>
    withDatabase('mysql', async (databaseUrl) => {
      const version = await inspectDatabase(databaseUrl);
      const key = await createKeyOf(databaseUrl, 'replicas');
      const stage = { databaseUrl, redisUrl, key };
      const checked = await checkReadings(stage, options);
      const windows = await tryLimits(stage, processes);
      const lostHosts = [await loseHost(stage, 'frozen'), await loseHost(stage, 'vanished')];
      return { version, ...checked, windows, lostHosts, runs: await loadAll(stage, options) };
    }),
  );
  const machine = describeMachine();
  report(outcome, processes);
  console.log(`${machineLine(machine)}: processes, database and load generator share the cores.`);
  const taken = { takenAt: new Date().toISOString(), machine, ...options, ...outcome };
  await save(join(reports, 'check-replicas.json'), `${JSON.stringify(taken, undefined, 2)}\n`);
}

/** Sends requests under the contract's session limit. Returns the windows of the sessions. */
function tryLimits(stage: Stage, processes: number): Promise<Window[]> {
  const sessions = Array.from({ length: limitedSessions }, (_, index) => `limited-${index}`);
  return withServices(stage, { LIMIT_NEW_SESSIONS_PER_MINUTE: '0' }, processes, async (services) => {
    const urls = services.map(({ url }) => url);
    const answers = await withProgress(limitedRequests, 'requests beyond the limit', ({ advance }) =>
      sendLoad({ urls, key: stage.key, sessions, requests: limitedRequests, onAnswer: advance }),
    );
    return windowsOf(answers, ({ session }) => session);
  });
}

/** Measures one process and all processes alternately, on one database under the same load, in new processes per run. */
function loadAll(stage: Stage, { processes, rounds, seconds, warmUp }: Omit<Options, 'reports'>): Promise<Runs<Side>> {
  return withGenerator((generator) =>
    takeTurns(sides, rounds, (side): Promise<Run> =>
      withServices(stage, ample, side === 'one' ? 1 : processes, (services) =>
        generator.measure(services, { key: stage.key, load: 'plain', seconds, warmUpSeconds: warmUp }),
      ),
    ),
  );
}
