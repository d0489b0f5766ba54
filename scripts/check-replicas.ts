/**
 * Whether several processes on one MySQL and one Redis are as good as one: readings of one session through all of them
 * at once, what becomes of them and of the events that they cause, and the limit of a session over all. Then what one
 * process and all of them take in a second. The exit code is 1 when anything is not as promised.
 */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { Command } from 'commander';
import { runCommand } from '../contract-tests/dredd/service-process.js';
import { limits } from '../generated/spec.js';
import { inspectDatabase, requireDatabase, withDatabase } from './bench/databases.js';
import { startGenerator } from './bench/generator.js';
import { describeMachine, machineLine } from './bench/machine.js';
import type { Runs } from './bench/rounds.js';
import { ample } from './bench/service.js';
import { sendLoad } from './limits/load.js';
import { type Window, windowsOf } from './limits/windows.js';
import { type ReadingsWish, tellReadings } from './replicas/readings.js';
import { report } from './replicas/report.js';
import { type Stage, startServices, withRedis, withServices } from './replicas/stage.js';
import { measureThroughput, type Side } from './replicas/throughput.js';
import { launch } from './terminal/launch.js';
import { positive } from './terminal/options.js';
import { withProgress } from './terminal/progress.js';
import { save } from './terminal/save.js';

const { quota } = limits.session_requests;
const connections = 64;
/** Sessions whose limit is tried, each by half as many requests again as it may send. */
const limitedSessions = 10;
const limitedRequests = Math.ceil(1.5 * quota * limitedSessions);
const timeLimitMs = 120_000;

interface Wish extends ReadingsWish {
  readonly seconds: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly reports: string;
}

await launch(
  new Command('check:replicas')
    .description(
      'Counts what becomes of readings, events and limits where several processes share one MySQL and Redis.',
    )
    .option('--processes <number>', 'that serve, and deliver webhooks', positive, 2)
    .option('--sessions <number>', 'at once, each through every process', positive, 50)
    .option('--readings <number>', 'of each session', positive, 100)
    .option('--seconds <number>', 'of each run that measures throughput', positive, 10)
    .option('--warm-up <number>', 'seconds of load before each run, which do not count', positive, 3)
    .option('--rounds <number>', 'runs of one process, and as many of all', positive, 3)
    .option('--seed <number>', 'repeats what is drawn', positive, 1)
    .option('--reports <folder>', 'where check-replicas.json goes', 'reports')
    .addHelpText('after', '\nUses the Redis at REDIS_URL, or starts one; creates a database, and drops it at the end.')
    .action(check),
);

async function check({ reports, ...wish }: Wish): Promise<void> {
  const { processes } = wish;
  await requireDatabase('mysql');
  const outcome = await withRedis((redisUrl) =>
    withDatabase('mysql', async (databaseUrl) => {
      const version = await inspectDatabase(databaseUrl);
      const key = await runCommand(databaseUrl, ['keys', 'create', '--account', 'replicas', '--tier', 'enterprise']);
      const stage = { databaseUrl, redisUrl, key };
      const told = await tellReadings(stage, wish);
      const windows = await tryLimits(stage, processes);
      return { version, ...told, windows, runs: await loadAll(stage, wish) };
    }),
  );
  const machine = describeMachine();
  report(outcome, processes);
  console.log(`${machineLine(machine)}: processes, database and load generator share the cores.`);
  const taken = { takenAt: new Date().toISOString(), machine, ...wish, ...outcome };
  await save(join(reports, 'check-replicas.json'), `${JSON.stringify(taken, undefined, 2)}\n`);
}

/** With the contract's own limit of a session: the windows that its sessions had. */
function tryLimits(stage: Stage, processes: number): Promise<Window[]> {
  const sessions = Array.from({ length: limitedSessions }, (_, index) => `limited-${index}`);
  const signal = AbortSignal.timeout(timeLimitMs);
  // Every request under way listens to it.
  setMaxListeners(0, signal);
  return withServices(stage, { LIMIT_NEW_SESSIONS_PER_MINUTE: '0' }, processes, async (urls) => {
    const answers = await withProgress(limitedRequests, 'requests beyond the limit', ({ advance }) =>
      sendLoad({ urls, key: stage.key, sessions, requests: limitedRequests, signal, onAnswer: advance }),
    );
    return windowsOf(answers, ({ session }) => session);
  });
}

async function loadAll(
  stage: Stage,
  { processes, rounds, seconds, warmUp }: Omit<Wish, 'reports'>,
): Promise<Runs<Side>> {
  const generator = startGenerator();
  try {
    const wish = { key: stage.key, processes, rounds, seconds, warmUpSeconds: warmUp, connections };
    return await measureThroughput((count) => startServices(stage, ample, count), generator, wish);
  } finally {
    generator.close();
  }
}
