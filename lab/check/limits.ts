/**
 * Checks that the session limit is exact across several processes that share one MySQL and one Redis. Then checks the
 * limit while Redis is stopped. Exits with 1 when a window admitted more or fewer requests than its quota.
 */
import { Command } from 'commander';
import { createKeyOf, withServicePrograms } from '../../testkit/program.js';
import { startPrivateRedis } from '../../testkit/redis.js';
import { printVerdict, type Row } from '../../testkit/verdict.js';
import { limits } from '../../generated/spec.js';
import { withProgress } from '../../packages/tools/terminal/progress.js';
import { requireDatabase, withDatabase } from '../bench/support/databases.js';
import { launch } from '../../testkit/launch.js';
import { positive } from '../options.js';
import { type Answered, type Load, sendLoad } from './limits/load.js';
import { mostOf, rowsOfShared, windowsOf } from './limits/windows.js';

const { quota } = limits.session_requests;
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
  const redis = await startPrivateRedis();
  await withDatabase('mysql', async (databaseUrl) => {
    const key = await createKeyOf(databaseUrl, 'limits');
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, LIMIT_NEW_SESSIONS_PER_MINUTE: '0' };
    await withServicePrograms(env, processes, async (services) => {
      const asked = { urls: services.map(({ url }) => url), key };
      const shared = await run({ ...asked, sessions: names('shared', sessions), requests });
      const half = Math.ceil(requests / 2);
      const alone = names('alone', Math.max(1, Math.floor(sessions / fewer)));
      const midway = { after: Math.floor(half / 10), run: redis.stop };
      const after = await run({ ...asked, sessions: alone, requests: half, midway });
      const sections = [
        [
          ...rowsOf(shared),
          ...rowsOfShared(
            windowsOf(shared, ({ session }) => session),
            quota,
          ),
        ],
        [
          { what: 'responses before Redis stopped', found: midway.after },
          ...rowsOf(after),
          ...rowsOfAlone(after, processes),
        ],
      ];
      printVerdict(`${processes} processes on one MySQL and one Redis`, sections, 'Every window kept its quota.');
    });
  }).finally(redis.stop);
}

function run(load: Omit<Load, 'onAnswer'>): Promise<Answered[]> {
  return withProgress(load.requests, 'requests', ({ advance }) => sendLoad({ ...load, onAnswer: advance }));
}

function rowsOf(answers: readonly Answered[]): Row[] {
  const count = (isIt: (status: number) => boolean) => answers.filter(({ status }) => isIt(status)).length;
  return [
    { what: 'requests', found: answers.length },
    { what: '  refused', found: count((status) => status === 429) },
    { what: '  failed', found: count((status) => status >= 500), allowed: 0 },
  ];
}

/** Returns the measurements without Redis: each process has its own windows. */
function rowsOfAlone(answers: readonly Answered[], processes: number): Row[] {
  const windows = windowsOf(answers, ({ process, session }) => `${process} ${session}`);
  const bySession = windowsOf(answers, ({ session }) => session);
  return [
    { what: 'admitted requests per window and process, at most', found: mostOf(windows), allowed: quota },
    { what: 'admitted requests per window, at most', found: mostOf(bySession), allowed: quota * processes },
  ];
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
