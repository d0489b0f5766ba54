/**
 * Checks webhook delivery under failures: kills services and workers while sessions change state and the receiver fails
 * at random. Exits with 1 when an acknowledged state change is lost or another guarantee is broken.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { runCommand } from '../../contract-tests/support/service-process.js';
import build from '../../contract-tests/support/build.js';
import type { DatabaseKind } from '../../contract-tests/support/databases.js';
import type { Schema } from '../../src/contract.js';
import { requireDatabase, withDatabase } from '../bench/support/databases.js';
import { createRequest, createWebhookClient, type WebhookClient } from './webhooks/client.js';
import { type Loaded, startLoad } from './webhooks/load.js';
import { freePorts, type ProcessOptions, startFleet } from '../../contract-tests/support/fleet.js';
import { watchQueue } from './webhooks/queue.js';
import { startUnreliableReceiver, type UnreliableReceiver } from './webhooks/receiver.js';
import { isUpheld, judge, type Verdict } from './webhooks/verdict.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { startProgress } from '../../src/terminal/progress.js';
import { seededRandom } from '../../src/terminal/scenes.js';
import { textTable } from '../../src/terminal/table.js';

/** Range of the pause between two kills, ms. */
const pauseMs = [1_500, 4_000] as const;
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
    .action(run),
);

async function run(options: Options): Promise<void> {
  await requireDatabase(options.database);
  build();
  await withDatabase(options.database, (url) => runOn(url, options));
}

async function runOn(databaseUrl: string, { database, kills, sessions, seed }: Options): Promise<void> {
  const random = seededRandom(seed);
  const key = await runCommand(databaseUrl, ['keys', 'create', '--account', 'chaos', '--tier', 'enterprise']);
  const ports = await freePorts(2);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const receiver = await startUnreliableReceiver(random);
  const queue = watchQueue(databaseUrl);
  const fleet = startFleet(processes(databaseUrl, ports));
  try {
    await fleet.ready();
    const client = createWebhookClient(createRequest(urls[0] ?? '', key));
    const webhook = await client.register(receiver.url);
    receiver.expect(webhook.secret);
    const startedAtMs = Date.now();
    const load = startLoad({ urls, key, sessions, random });
    const killed = await killMany(fleet, kills, random);
    const loaded = await load.stop();
    await fleet.ready();
    const waitingAtEnd = await queue.waiting();
    console.error(`killed ${kills}, ${loaded.acknowledged} readings acknowledged; ${waitingAtEnd} deliveries queued`);
    await queue.empty(
      drainMs,
      everyTenth((count) => console.error(`${count} deliveries queued`)),
    );
    const failed = await client.allFailed();
    const verdict = judge({ changes: loaded.changes, ...receiver, failed });
    const retried = await retryAll(client, webhook.id, failed, receiver, () => queue.empty(retryMs));
    const seconds = (Date.now() - startedAtMs) / 1000;
    report({ database, seconds, killed, loaded, receiver, verdict, retried, waitingAtEnd, deaths: fleet.deaths() });
  } finally {
    await fleet.close();
    await queue.close();
    receiver.close();
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
  };
  const [first, second] = ports.map(String);
  return [
    { name: 'service with worker', args: [], env: { ...env, PORT: first ?? '', WORKER: '1' } },
    { name: 'service alone', args: [], env: { ...env, PORT: second ?? '', WORKER: '0' } },
    { name: 'worker alone', args: ['deliver'], env },
    { name: 'worker alone', args: ['deliver'], env },
  ];
}

type Killed = ReadonlyMap<string, number>;

async function killMany(fleet: ReturnType<typeof startFleet>, kills: number, random: () => number): Promise<Killed> {
  const killed = new Map<string, number>();
  const progress = startProgress(process.stderr, kills, 'kills');
  try {
    for (let count = 0; count < kills; count += 1) {
      await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
      const name = await fleet.killOne(random);
      killed.set(name, (killed.get(name) ?? 0) + 1);
      progress.advance();
    }
    return killed;
  } finally {
    progress.stop();
  }
}

type FailedDelivery = Schema<'FailedDelivery'>;

interface Retried {
  readonly count: number;
  readonly arrived: number;
}

/** Retries the failed deliveries when the receiver is healthy again. */
async function retryAll(
  client: WebhookClient,
  webhookId: string,
  failed: readonly FailedDelivery[],
  receiver: UnreliableReceiver,
  emptied: () => Promise<void>,
): Promise<Retried> {
  receiver.recover();
  const before = receiver.accepted.length;
  const { count } = await client.retry(webhookId);
  await emptied();
  const arrived = new Set(receiver.accepted.slice(before).map(({ id }) => id));
  return { count, arrived: failed.filter(({ id }) => arrived.has(id)).length };
}

interface ChaosOutcome {
  readonly database: DatabaseKind;
  readonly seconds: number;
  readonly killed: Killed;
  readonly loaded: Loaded;
  readonly receiver: UnreliableReceiver;
  readonly verdict: Verdict;
  readonly retried: Retried;
  readonly waitingAtEnd: number;
  readonly deaths: readonly string[];
}

function report({ database, seconds, killed, loaded, receiver, verdict, retried, waitingAtEnd, deaths }: ChaosOutcome) {
  const sections: Row[][] = [
    [['kill -9', total(killed)], ...rowsOf(killed)],
    [
      ['readings acknowledged', loaded.acknowledged],
      ['requests sent again', total(loaded.resent)],
      ...rowsOf(loaded.resent),
      ['waiting when the killing ended', waitingAtEnd],
      ['requests at the receiver', receiver.arrivals.length],
      ...rowsOf(receiver.faults),
    ],
    [
      ['changes of state acknowledged', verdict.acknowledged],
      ['  delivered', verdict.delivered],
      ['  listed as failed', verdict.listedAsFailed],
      ['  lost', verdict.lost, 0],
      ['delivered, and listed as failed too', verdict.deliveredAndListed],
      ['deliveries of no such change', verdict.invented, 0],
      ['accepted more than once, same webhook-id', verdict.duplicates],
      ['changes under two webhook-ids', verdict.renamed, 0],
      ['deliveries with other bytes later', verdict.altered, 0],
      ['bad signatures', verdict.badSignatures, 0],
      ['out of order within a session', verdict.outOfOrder, 0],
      ['failed ones retried by hand', retried.count],
      ['  arrived', retried.arrived, retried.count],
      ['processes that ended by themselves', deaths.length, 0],
    ],
  ];
  const columns = [
    { title: 'measure' },
    { title: 'count', align: 'right' },
    { title: 'required', align: 'right' },
  ] as const;
  const rows = sections.map((section) => section.map((row) => row.map((cell) => String(cell))));
  console.log(`${database}, ${seconds.toFixed(0)} s\n\n${textTable(columns, rows)}`);
  for (const death of deaths) console.log(death);
  const isWell = isUpheld(verdict) && retried.arrived === retried.count && deaths.length === 0;
  console.log(isWell ? '\nNothing was lost.' : '\nA guarantee is broken.');
  if (!isWell) process.exitCode = 1;
}

type Row = readonly [what: string, count: number, mustBe?: number];

function rowsOf(counts: ReadonlyMap<string, number>): Row[] {
  return [...counts].map(([name, count]) => [`  ${name}`, count]);
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Returns a function that reports progress at every tenth call, for a long wait. */
function everyTenth(act: (count: number) => void): (count: number) => void {
  let calls = 0;
  return (count) => {
    calls += 1;
    if (calls % 10 === 0) act(count);
  };
}
