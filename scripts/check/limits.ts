/**
 * Checks that the session limit is exact across several processes that share one MySQL and one Redis. Then checks the
 * limit while Redis is stopped. Exits with 1 when a window admitted more or fewer requests than its quota.
 */
import { setMaxListeners } from 'node:events';
import { Command } from 'commander';
import { limits } from '../../generated/spec.js';
import { runCommand } from '../../contract-tests/support/service-process.js';
import { createTestDatabase } from '../../contract-tests/support/databases.js';
import { startPrivateRedis } from '../../contract-tests/support/redis.js';
import { requireDatabase } from '../bench/support/databases.js';
import { startBenchedService } from '../bench/support/service.js';
import { type Answered, type Load, sendLoad } from './limits/load.js';
import { fullOf, rangeOf, type Window, windowsOf, wrongOf } from './limits/windows.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { startProgress } from '../../src/terminal/progress.js';

const { quota } = limits.session_requests;
const timeLimitMs = 600_000;
/** Divisor of the number of sessions in the second part, so that every process reaches its own limit. */
const fewer = 4;

interface Options {
  readonly requests: number;
  readonly sessions: number;
  readonly processes: number;
}

await launch(
  new Command('check:limits')
    .description('Counts the requests that several processes on one MySQL and one Redis admit, also after Redis stops.')
    .option('--requests <number>', 'requests of the first part. The second part sends half as many', positive, 100_000)
    .option('--sessions <number>', 'sessions of the first part. The second part uses a quarter', positive, 200)
    .option('--processes <number>', 'serving processes', positive, 4)
    .action(check),
);

async function check({ requests, sessions, processes }: Options): Promise<void> {
  await requireDatabase('mysql');
  const undos: Array<() => unknown> = [];
  try {
    const database = await createTestDatabase('mysql');
    undos.unshift(database.drop);
    const redis = await startPrivateRedis();
    undos.unshift(redis.stop);
    const key = await runCommand(database.url, ['keys', 'create', '--account', 'limits', '--tier', 'enterprise']);
    const env = { REDIS_URL: redis.url, LIMIT_NEW_SESSIONS_PER_MINUTE: '0' };
    const urls: string[] = [];
    for (let index = 0; index < processes; index += 1) {
      const service = await startBenchedService(database.url, env);
      undos.unshift(service.close);
      urls.push(service.url);
    }
    const signal = AbortSignal.timeout(timeLimitMs);
    // Every request in progress listens to this signal.
    setMaxListeners(0, signal);
    const asked = { urls, key, signal };
    const shared = await run({ ...asked, sessions: names('shared', sessions), requests });
    reportShared(shared, processes);
    const half = Math.ceil(requests / 2);
    const alone = names('alone', Math.max(1, Math.floor(sessions / fewer)));
    const midway = { after: Math.floor(half / 10), run: redis.stop };
    reportAlone(await run({ ...asked, sessions: alone, requests: half, midway }), midway.after, processes);
  } finally {
    for (const undo of undos) await undo();
  }
}

async function run(load: Omit<Load, 'onAnswer'>): Promise<Answered[]> {
  const progress = startProgress(process.stderr, load.requests, 'requests');
  try {
    return await sendLoad({ ...load, onAnswer: progress.advance });
  } finally {
    progress.stop();
  }
}

function reportShared(answers: readonly Answered[], processes: number): void {
  const windows = windowsOf(answers, ({ session }) => session);
  console.log(`── ${processes} processes on one MySQL and one Redis`);
  report(answers, windows);
  const full = fullOf(windows);
  console.log(
    `${full.length} windows used up their quota and admitted ${rangeOf(full)} requests each. Required: exactly ${quota}.`,
  );
  judge(wrongOf(windows, quota).length === 0 && full.length > 0);
}

function reportAlone(answers: readonly Answered[], stoppedAfter: number, processes: number): void {
  const windows = windowsOf(answers, ({ process, session }) => `${process} ${session}`);
  console.log(`\n── Redis stopped after ${stoppedAfter} responses`);
  report(answers, windows);
  const bySession = windowsOf(answers, ({ session }) => session);
  console.log(`Each window of one process admitted ${rangeOf(windows)} requests. Required: at most ${quota}.`);
  console.log(
    `In total, sessions had ${rangeOf(bySession)} admitted requests. Required: at most ${quota * processes}.`,
  );
  judge(windows.every(({ passed }) => passed <= quota));
}

function report(answers: readonly Answered[], windows: readonly Window[]): void {
  const [first = 0, last = 0] = [answers[0]?.atMs, answers.at(-1)?.atMs];
  const count = (isIt: (status: number) => boolean) => answers.filter(({ status }) => isIt(status)).length;
  const failed = count((status) => status >= 500);
  const refused = count((status) => status === 429);
  console.log(
    `${answers.length} requests in ${((last - first) / 1000).toFixed(0)} s: ${answers.length - refused - failed} passed, ` +
      `${refused} refused, ${failed} failed, in ${windows.length} windows.`,
  );
  judge(failed === 0);
}

function judge(isMet: boolean): void {
  if (isMet) return;
  console.log('VIOLATED');
  process.exitCode = 1;
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
