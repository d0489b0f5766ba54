/**
 * Measures streams: the latency of an event after the response to ingest, for streams of the same process and of
 * another process, the memory per stream, and the throughput of ingest with idle streams. Exits with 1 when an event is
 * missing or a request failed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { hasCommands } from '../../../testkit/has-commands.js';
import { createKeyOf, type Env, readUsage, runCommand, type ServiceProgram } from '../../../testkit/program.js';
import { startPrivateRedis } from '../../../testkit/redis.js';
import { createRequest } from '../../check/shared/client.js';
import { timeDuring, watchMemory } from '../../check/shared/timing.js';
import { positive } from '../../options.js';
import { databaseOption, withDatabase } from '../support/databases.js';
import { type Figure, type FigureOptions, printFigures } from '../support/figures.js';
import { connections, type MeasuredRun, withGenerator } from '../support/generator.js';
import { middle, takeTurns } from '../support/rounds.js';
import { withBenchedServices } from '../support/service.js';
import { openStreams, sendSteadily, type Timed } from '../support/streams.js';
import { createLargePost } from '../support/uploads.js';

const warmUpSeconds = 3;
/** Sessions of the measurement with two processes. */
const otherSessions = 100;
/** Streams that are open before the memory is measured. */
const firstStreams = 100;
/** Allocated memory settles within this time. */
const settleMs = 3_000;
const goals = { latencyMs: 100, kbPerStream: 20, throughputRatio: 0.95, beside: 2, memoryMb: 400 };
/** Longest duration of a large post, ms. */
const postMs = 300_000;
/** Pause between two readings of the neighbor of a large post. */
const neighborMs = 20;

interface Options {
  readonly streams: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly posts?: boolean;
}

export const streams = new Command('streams')
  .description('Latency and memory of streams, and the throughput of ingest with idle streams.')
  .addOption(databaseOption)
  .option('--streams <number>', 'open streams, each of a session of its own', positive, 1_000)
  .option('--seconds <number>', 'length of each run', positive, 10)
  .option('--rounds <number>', 'runs with and without idle streams', positive, 3)
  .option('--posts', 'measure only readings of an account while another one posts 20 MB')
  .option('--markdown', 'print Markdown')
  .action(bench);

function bench(options: Options & FigureOptions): Promise<void> {
  return printFigures(options, async (kind) => [
    ...(await measurePosts(kind, options)),
    ...(options.posts ? [] : await measureStreams(kind, options)),
  ]);
}

async function measureStreams(kind: DatabaseKind, options: Options): Promise<Figure[]> {
  return [
    ...(await measureLatency(kind, options)),
    ...(await measureOtherProcess(kind, options)),
    ...(await measureMemory(kind, options)),
    ...(await measureThroughput(kind, options)),
  ];
}

/**
 * Compares the readings of an account while nothing else runs and while another account posts 20 MB, in alternating rounds.
 * A round beside a post lasts as long as the post.
 */
function measurePosts(kind: DatabaseKind, { seconds, rounds }: Options): Promise<Figure[]> {
  return withDatabase(kind, async (databaseUrl) => {
    const key = await createKeyOf(databaseUrl, 'neighbor');
    await createKeyOf(databaseUrl, 'phones');
    const person = (round: number) => ['--subject', `person-${round}`, '--source', 'health_auto_export'];
    const create = (round: number) =>
      runCommand(databaseUrl, ['keys', 'create', '--account', 'phones', ...person(round)]);
    const sourceKeys = await Promise.all(Array.from({ length: rounds }, (_, round) => create(round)));
    return withBenchedServices(databaseUrl, 1, { RETENTION_READINGS_HOURS: '400' }, async ([{ url, pid }]) => {
      const request = createRequest(url, key);
      const body = createLargePost();
      const post = async (sourceKey: string) => {
        const send = createRequest(url, sourceKey, postMs);
        const { stored } = await send<{ stored: number }>('/v1/sources/health_auto_export', body);
        if (!(stored > 0)) throw new Error('the post stored nothing');
      };
      const read = () =>
        request('/v1/ingest', { session_id: 'neighbor', timestamp: new Date().toISOString(), heart_rate: 70 });
      const send = (sourceKey: string | undefined) =>
        timeDuring(sourceKey === undefined ? sleep(seconds * 1000) : post(sourceKey), neighborMs, read);
      await send(undefined);
      const [runs, mostMb] = await watchMemory(pid, () =>
        takeTurns(['alone', 'beside'] as const, rounds, (side) =>
          send(side === 'alone' ? undefined : sourceKeys.pop()),
        ),
      );
      const p99 = (side: keyof typeof runs) => middle(runs[side].map((times) => quantile(times, 0.99)));
      return [
        ['p99 of a reading, alone, ms', p99('alone').toFixed(1)],
        [`p99 beside a post of ${(body.length / 1e6).toFixed(1)} MB, ms`, p99('beside').toFixed(1)],
        ['of that alone', (p99('beside') / p99('alone')).toFixed(2), `≤ ${goals.beside}`],
        ['most memory, MB', mostMb.toFixed(0), `< ${goals.memoryMb}`],
      ];
    });
  });
}

/** Runs the work with processes of the service on a new database. */
function withServices<T>(
  kind: DatabaseKind,
  count: number,
  env: Env,
  work: (services: readonly [ServiceProgram, ...ServiceProgram[]], key: string) => Promise<T>,
): Promise<T> {
  return withDatabase(kind, async (url) => {
    const key = await createKeyOf(url, 'bench');
    const settings = { LIMIT_STREAMS_PER_KEY: '0', ...env };
    return withBenchedServices(url, count, settings, (services) => work(services, key));
  });
}

/** Measures streams and readings of one process. */
async function measureLatency(kind: DatabaseKind, { streams: count, seconds }: Options): Promise<Figure[]> {
  const measured = await withServices(kind, 1, {}, (services, key) => follow(services, key, count, seconds));
  const value = (share: number) => quantile(measured.latenciesMs, share).toFixed(1);
  return [
    [`p50 from response to event, ${count} streams, ms`, value(0.5)],
    [`p99 from response to event, ${count} streams, ms`, value(0.99), `≤ ${goals.latencyMs}`],
    ...faultsOf(measured),
  ];
}

/** Measures streams at one process and readings at another one. */
async function measureOtherProcess(kind: DatabaseKind, { seconds }: Options): Promise<Figure[]> {
  const redis = hasCommands('redis-server') ? await startPrivateRedis() : undefined;
  try {
    const figures: Figure[] = [];
    for (const env of [...(redis ? [{ REDIS_URL: redis.url }] : []), {}]) {
      const measured = await withServices(kind, 2, env, (services, key) =>
        follow(services, key, otherSessions, seconds),
      );
      const value = [0.5, 0.99, 1].map((share) => quantile(measured.latenciesMs, share).toFixed(0)).join(', ');
      const title = `p50, p99, maximum, other process ${'REDIS_URL' in env ? 'with' : 'without'} Redis, ms`;
      figures.push([title, value], ...faultsOf(measured));
    }
    return figures;
  } finally {
    await redis?.stop();
  }
}

function faultsOf({ missing, failures }: Timed): Figure[] {
  if (missing === 0 && failures === 0) return [];
  process.exitCode = 1;
  return [['missing events, failed requests', `${missing}, ${failures}`, '0, 0']];
}

/** Opens the streams at the first process and sends readings to the last one. */
async function follow(services: readonly ServiceProgram[], key: string, sessions: number, seconds: number) {
  const { url: lastUrl = '' } = services.at(-1) ?? {};
  const ids = sessionIds(sessions);
  return sendSteadily(lastUrl, key, ids, async ({ arrived, run }) => {
    const clients = await openStreams(services[0]?.url ?? '', key, ids, arrived);
    try {
      await run(warmUpSeconds);
      return await run(seconds);
    } finally {
      clients.close();
    }
  });
}

/** Measures the resident memory of the service process before and after it has opened the streams. */
async function measureMemory(kind: DatabaseKind, { streams: count }: Options): Promise<Figure[]> {
  const kbPerStream = await withGenerator((generator) =>
    withServices(kind, 1, {}, async ([{ url, pid }], key) => {
      // The heap has its usual size, and the code of streams is compiled.
      await generator.run({ urls: [url], key, load: 'plain', seconds: warmUpSeconds, connections });
      const first = await openStreams(url, key, sessionIds(firstStreams));
      await sleep(settleMs);
      const before = readUsage(pid).residentMb;
      const more = await openStreams(url, key, sessionIds(count));
      await sleep(settleMs);
      const after = readUsage(pid).residentMb;
      [first, more].forEach((it) => it.close());
      return (1000 * (after - before)) / count;
    }),
  );
  return [['memory per idle stream, kB', kbPerStream.toFixed(1), `≤ ${goals.kbPerStream}`]];
}

/**
 * Compares ingest with and without idle streams, in alternating runs. The CPU time per reading depends less on other
 * programs than the throughput.
 */
function measureThroughput(kind: DatabaseKind, { streams: count, seconds, rounds }: Options): Promise<Figure[]> {
  return withGenerator(async (generator) => {
    const measure = (idle: number) =>
      withServices(kind, 1, {}, async (services, key) => {
        const clients = await openStreams(services[0].url, key, sessionIds(idle));
        const run = await generator.measure(services, { key, load: 'plain', seconds, warmUpSeconds });
        clients.close();
        if (run.failures > 0) throw new Error(`${run.failures} requests failed with ${idle} idle streams`);
        return run;
      });
    const runs = await takeTurns(['alone', 'beside'] as const, rounds, (side) => measure(side === 'alone' ? 0 : count));
    const ratio = (pick: (run: MeasuredRun) => number) =>
      middle(runs.beside.map((run, round) => pick(run) / pick(runs.alone[round] as MeasuredRun))).toFixed(2);
    const throughput = middle(runs.beside.map(({ perSecond }) => perSecond)).toFixed(0);
    return [
      [`readings/s with ${count} idle streams`, throughput],
      ['of the throughput without', ratio(({ perSecond }) => perSecond), `≥ ${goals.throughputRatio}`],
      ['CPU time per reading, of that without', ratio(({ cpuMicros }) => cpuMicros)],
    ];
  });
}

function sessionIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `streamed-${index}`);
}
