import type { DatabaseKind } from '../../../contract-tests/support/databases.js';
import { hasRedisServer } from '../../../contract-tests/support/has-redis-server.js';
import { startPrivateRedis } from '../../../contract-tests/support/redis.js';
import { quantile } from '../../../src/terminal/quantile.js';
import { withDatabase } from './databases.js';
import type { BenchedService } from './service.js';
import { type Latencies, startSteadyLoad } from './steady-load.js';
import { openStreams } from './stream-clients.js';
import { type Figure, sessionIds, type StreamBenchOptions, warmUpSeconds, withServices } from './stream-stage.js';

/** Sessions of the measurement with two processes. */
const otherSessions = 100;
const goalMs = 100;

/** Measures streams and readings of one process. */
export async function measureLatency(kind: DatabaseKind, { streams, seconds }: StreamBenchOptions): Promise<Figure[]> {
  return withDatabase(kind, async (databaseUrl) => {
    const measured = await follow(databaseUrl, sessionIds(streams), seconds, 1);
    return [
      {
        title: `p50 from response to event, ${streams} streams, ms`,
        value: quantile(measured.latenciesMs, 0.5).toFixed(1),
      },
      {
        title: `p99 from response to event, ${streams} streams, ms`,
        value: quantile(measured.latenciesMs, 0.99).toFixed(1),
        goal: `≤ ${goalMs}`,
      },
      ...faultsOf(measured),
    ];
  });
}

/** Measures streams at one process and readings at another one. */
export async function measureOtherProcess(kind: DatabaseKind, { seconds }: StreamBenchOptions): Promise<Figure[]> {
  const withRedis = hasRedisServer() ? await startPrivateRedis() : undefined;
  try {
    const figures: Figure[] = [];
    for (const [title, env] of [
      ...(withRedis ? [['with Redis', { REDIS_URL: withRedis.url }] as const] : []),
      ['without Redis', {}] as const,
    ]) {
      const measured = await withDatabase(kind, (url) => follow(url, sessionIds(otherSessions), seconds, 2, env));
      const figure = (share: number) => quantile(measured.latenciesMs, share).toFixed(0);
      figures.push(
        { title: `p50, p99, maximum, other process ${title}, ms`, value: [0.5, 0.99, 1].map(figure).join(', ') },
        ...faultsOf(measured),
      );
    }
    return figures;
  } finally {
    await withRedis?.stop();
  }
}

function faultsOf({ missing, failures }: Latencies): Figure[] {
  if (missing === 0 && failures === 0) return [];
  process.exitCode = 1;
  return [{ title: 'missing events, failed requests', value: `${missing}, ${failures}`, goal: '0, 0' }];
}

/** Opens the streams at the first process and sends readings to the last one. */
async function follow(
  databaseUrl: string,
  ids: readonly string[],
  seconds: number,
  processes: 1 | 2,
  env: Readonly<Record<string, string>> = {},
): Promise<Latencies> {
  return withServices(databaseUrl, processes, env, async (services, key) => {
    const [first, last] = [services[0], services.at(-1)] as [BenchedService, BenchedService];
    const load = startSteadyLoad(last.url, key, ids);
    const clients = await openStreams(first.url, key, ids, load.arrived);
    try {
      await load.run(warmUpSeconds);
      return await load.run(seconds);
    } finally {
      clients.close();
      await load.close();
    }
  });
}
