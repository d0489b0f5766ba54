/**
 * Checks webhook delivery under failures: kills services and workers while sessions change state and the receiver fails
 * at random. Exits with 1 when an acknowledged state change is lost or another guarantee is broken.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { withProgress } from '../../packages/tools/terminal/progress.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import type { DatabaseKind } from '../../testkit/databases.js';
import { type Fleet, type ProcessOptions, startFleet } from '../../testkit/fleet.js';
import { launch } from '../../testkit/launch.js';
import { createKeyOf, freePorts } from '../../testkit/program.js';
import { storyEnv } from '../../testkit/story.js';
import { printVerdict, type Row, rowsOfCounts, sumOf } from '../../testkit/verdict.js';
import { requireDatabase, withDatabase } from '../bench/support/databases.js';
import { ample } from '../bench/support/service.js';
import { positive } from '../options.js';
import { type Aftermath, endure } from './shared/endure.js';
import { changing } from './shared/load.js';
import { countLost, rowsOfEvents } from './shared/verdict.js';

/** Range of the pause between two kills, ms. */
const killPauseMs = [1_500, 4_000] as const;
/** Range of the interval between two readings of a session, ms. The limit is two readings per second. */
const pauseMs = [550, 1_450] as const;
/**
 * Maximum time to deliver all queued deliveries, ms. Longer than the lease of a crashed worker plus the full retry
 * schedule of every delivery in a queue.
 */
const drainMs = 420_000;
const retryMs = 60_000;

interface Options {
  readonly database: DatabaseKind;
  readonly kills: number;
  readonly sessions: number;
  readonly seed: number;
}

await launch(
  new Command('chaos:webhooks')
    .description('Kills services and workers under load and checks every state change.')
    .addOption(new Option('--database <kind>', 'which to use').choices(['sqlite', 'mysql']).default('mysql'))
    .option('--kills <number>', 'kill -9 of services and workers', positive, 50)
    .option('--sessions <number>', 'sessions that change state continuously', positive, 40)
    .option('--seed <number>', 'seed of the random choices. The timing still varies', positive, 1)
    .action(async (options: Options) => {
      await requireDatabase(options.database);
      await withDatabase(options.database, (url) => run(url, options));
    }),
);

async function run(databaseUrl: string, { database, kills, sessions, seed }: Options): Promise<void> {
  const random = seededRandom(seed);
  const key = await createKeyOf(databaseUrl, 'chaos');
  const ports = await freePorts(2);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const fleet = startFleet(processes(databaseUrl, ports));
  let killed: Record<string, number> = {};
  try {
    await fleet.ready();
    const startedAtMs = Date.now();
    await endure(
      {
        ...{ databaseUrl, urls: () => urls, key, random, isResent: true, pauseMs, isReceiverUnreliable: true, drainMs },
        senders: Array.from({ length: sessions }, (_, index) => changing(`chaos-${index}`, random)),
        disturb: async () => void (killed = await killMany(fleet, kills, random)),
        recover: fleet.ready,
      },
      async (loaded, events, after) => {
        const lost = await countLost(urls[0] ?? '', key, loaded.sent);
        const retried = await retryAll(after);
        for (const death of fleet.deaths()) console.log(death);
        const sent: Row[] = [
          { what: 'readings acknowledged', found: loaded.acknowledged },
          { what: '  missing in an export', found: lost, allowed: 0 },
          { what: 'requests sent again', found: sumOf(loaded.failed) },
          ...rowsOfCounts(loaded.failed),
          { what: 'deliveries queued when the kills ended', found: after.queued },
          { what: 'requests at the receiver', found: after.receiver.arrivals.length },
          ...rowsOfCounts(Object.fromEntries(after.receiver.faults)),
        ];
        const ends = { what: 'processes that ended unexpectedly', found: fleet.deaths().length, allowed: 0 };
        const victims = [{ what: 'kill -9', found: kills }, ...rowsOfCounts(killed)];
        const title = `${database}, ${((Date.now() - startedAtMs) / 1000).toFixed(0)} s`;
        printVerdict(title, [victims, sent, rowsOfEvents(events), [...retried, ends]], 'Nothing was lost.');
      },
    );
  } finally {
    await fleet.close();
  }
}

/** Returns two services and two separate workers. One of the services also delivers webhooks. */
function processes(databaseUrl: string, ports: readonly number[]): ProcessOptions[] {
  const env = {
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    SECRETS_KEY: 'chaos-chaos-chaos-chaos-chaos-chaos',
    WEBHOOK_ALLOW_LOOPBACK: '1',
    ...ample,
    ...storyEnv,
  };
  const [first, second] = ports.map(String);
  return [
    { name: 'service with worker', args: [], env: { ...env, PORT: first ?? '', WORKER: '1' } },
    { name: 'service alone', args: [], env: { ...env, PORT: second ?? '', WORKER: '0' } },
    { name: 'worker alone', args: ['deliver'], env },
    { name: 'worker alone', args: ['deliver'], env },
  ];
}

/** Kills processes at random times. Returns the number of kills by the name of the process. */
function killMany(fleet: Fleet, kills: number, random: () => number): Promise<Record<string, number>> {
  return withProgress(kills, 'kills', async ({ advance }) => {
    const killed: Record<string, number> = {};
    for (let count = 0; count < kills; count += 1, advance()) {
      await sleep(killPauseMs[0] + random() * (killPauseMs[1] - killPauseMs[0]));
      const name = await fleet.killOne(random);
      killed[name] = (killed[name] ?? 0) + 1;
    }
    return killed;
  });
}

/** Retries the failed deliveries when the receiver is healthy again. All of them must arrive. */
async function retryAll({ client, webhook, receiver, failed, drain }: Aftermath): Promise<Row[]> {
  receiver.recover();
  const before = receiver.accepted.length;
  const { count } = await client.retry(webhook.id);
  await drain(retryMs);
  const arrived = new Set(receiver.accepted.slice(before).map(({ id }) => id));
  const found = failed.filter(({ id }) => arrived.has(id)).length;
  return [
    { what: 'failed deliveries retried', found: count },
    { what: '  arrived', found, allowed: [count, count] },
  ];
}
