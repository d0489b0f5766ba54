/**
 * Measures webhooks: throughput of workers on one queue, and latency of a single event on an idle service. Exits with 1
 * when two workers attempted the same delivery at the same time.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { DatabaseKind } from '../../../contract-tests/support/databases.js';
import { startFleet } from '../../../contract-tests/support/fleet.js';
import { openReceiver } from '../../../contract-tests/support/open-receiver.js';
import { createKeyOf, freePorts } from '../../../contract-tests/support/program.js';
import { storyEnv, storyTime } from '../../../contract-tests/support/story.js';
import { readConfig } from '../../../src/config/config.js';
import type { StateReading } from '../../../src/contract.js';
import { openStore } from '../../../src/store/store.js';
import { startProgress, withProgress } from '../../../src/terminal/progress.js';
import { quantile } from '../../../src/terminal/quantile.js';
import { draw, type Scene, scenes, seededRandom } from '../../../src/terminal/scenes.js';
import { textTable } from '../../../src/terminal/table.js';
import { createRequest, createWebhookClient } from '../../check/shared/client.js';
import { watchQueue } from '../../check/shared/queue.js';
import { positive } from '../../terminal/options.js';
import { requireDatabase, withDatabase } from '../support/databases.js';
import { batchesOf, fillOutbox } from '../support/outbox.js';
import { startReceivers } from '../support/receivers.js';
import { figureColumns } from '../support/rounds.js';

const secretsKey = 'bench-bench-bench-bench-bench-bench';
const settleMs = 60_000;
/** Number of sessions. Readings alternate between them, so that no session reaches its limit of readings per minute. */
const sessionCount = 10;
const pauseMs = [60, 160] as const;

interface Options {
  readonly database: DatabaseKind;
  readonly deliveries: number;
  readonly receivers: number;
  readonly workers: number;
  readonly changes: number;
  readonly only?: 'throughput' | 'latency';
}

export const deliveries = new Command('deliveries')
  .description('Throughput of two workers, and latency of one event.')
  .addOption(new Option('--database <kind>', 'which to measure').choices(['sqlite', 'mysql']).default('mysql'))
  .option('--deliveries <number>', 'deliveries in the queue when the workers start', positive, 100_000)
  .option('--receivers <number>', 'number of receivers. Each gets every event', positive, 32)
  .option('--workers <number>', 'worker processes', positive, 2)
  .option('--changes <number>', 'state changes whose latency is measured', positive, 200)
  .addOption(new Option('--only <part>', 'one of the two').choices(['throughput', 'latency']))
  .action(bench);

async function bench(options: Options): Promise<void> {
  const { database, only } = options;
  await requireDatabase(database);
  if (only !== 'latency') await withDatabase(database, (url) => measureThroughput(url, options));
  if (only !== 'throughput') await measureLatencies(options);
}

async function measureThroughput(url: string, options: Options): Promise<void> {
  const events = Math.ceil(options.deliveries / options.receivers);
  const count = events * options.receivers;
  const progress = startProgress(process.stderr, count, 'deliveries');
  const receivers = await startReceivers(options.receivers, progress.advance);
  const queue = watchQueue(url);
  await fill(url, events, receivers.urls);
  const startedAtMs = performance.now();
  const fleet = startFleet(Array.from({ length: options.workers }, () => worker(url)));
  try {
    await receivers.until(count);
    const seconds = (performance.now() - startedAtMs) / 1000;
    await queue.empty(settleMs);
    const attempts = [...receivers.attempts.values()].reduce((sum, times) => sum + times, 0);
    const counts = [
      ['deliveries', String(receivers.attempts.size)],
      ['attempts', String(attempts)],
      ['attempts while another one ran', String(receivers.overlaps())],
      ['seconds', seconds.toFixed(1)],
      ['deliveries/s', (count / seconds).toFixed(0)],
      ['load average', loadavg()[0]?.toFixed(1) ?? ''],
    ];
    const title = `${options.database}: ${options.workers} workers, ${options.receivers} receivers`;
    console.log(`${textTable([{ title }, ...figureColumns('')], [counts])}\n`);
    if (receivers.overlaps() > 0) process.exitCode = 1;
  } finally {
    progress.stop();
    await fleet.close();
    await queue.close();
    receivers.close();
  }
}

async function fill(url: string, events: number, receivers: readonly string[]): Promise<void> {
  await createKeyOf(url, 'bench');
  const store = openStore(readConfig({ DATABASE_URL: url }).database);
  await withProgress(batchesOf(events), 'batches of events', ({ advance }) =>
    fillOutbox(store, { events, receivers, secretsKey, onBatch: advance }),
  ).finally(() => store.close());
}

function settingsOf(url: string) {
  return { ...storyEnv, DATABASE_URL: url, LOG_LEVEL: 'warn', SECRETS_KEY: secretsKey, WEBHOOK_ALLOW_LOOPBACK: '1' };
}

function worker(url: string) {
  return { name: 'worker', args: ['deliver'], env: settingsOf(url) };
}

async function measureLatencies({ database, changes }: Options): Promise<void> {
  const rows: string[][] = [];
  for (const isAlone of [false, true]) {
    const ways = await withDatabase(database, (url) => timeChanges(url, isAlone, changes));
    const figures = [ways.map((it) => it.sinceAnswer), ways.map((it) => it.sinceSent)].flatMap((all) =>
      [0.5, 0.99].map((share) => quantile(all, share).toFixed(1)),
    );
    rows.push([`worker ${isAlone ? 'alone' : 'in process'}`, String(ways.length), ...figures]);
  }
  const titles = ['changes', 'p50 ms after the answer', 'p99 ms', 'p50 ms after the request', 'p99 ms'];
  console.log(`${textTable([{ title: `${database}: arrival` }, ...figureColumns(...titles)], [rows])}\n`);
}

interface Way {
  /** Time from the response of a reading to the arrival of its event, ms. The response is sent after the commit. */
  readonly sinceAnswer: number;
  readonly sinceSent: number;
}

/**
 * Starts a service with a webhook and times the events of state changes. With `isAlone`, the worker runs in a separate
 * process.
 */
async function timeChanges(databaseUrl: string, isAlone: boolean, changes: number): Promise<Way[]> {
  const key = await createKeyOf(databaseUrl, 'live');
  const [port = 0] = await freePorts(1);
  const env = { ...settingsOf(databaseUrl), PORT: String(port), WORKER: isAlone ? '0' : '1' };
  const fleet = startFleet([{ name: 'service', args: [], env }, ...(isAlone ? [worker(databaseUrl)] : [])]);
  const waiting = new Map<string, (atMs: number) => void>();
  const receiver = await openReceiver(({ event }, response) => {
    waiting.get(`${event.session_id} ${event.timestamp}`)?.(performance.now());
    response.writeHead(204).end();
  });
  const progress = startProgress(process.stderr, changes, `changes, worker ${isAlone ? 'alone' : 'in process'}`);
  try {
    await fleet.ready();
    const request = createRequest(`http://127.0.0.1:${port}`, key);
    await createWebhookClient(request).register(receiver.url);
    const states = new Map<string, string>();
    const startedMs = Date.now();
    const random = seededRandom(1);
    const ways: Way[] = [];
    for (let count = 0; ways.length < changes; count += 1) {
      const session_id = `live-${count % sessionCount}`;
      const before = states.get(session_id);
      const scene = (before === 'acute_stress' ? scenes[0] : scenes.at(-1)) as Scene;
      const timestamp = storyTime(startedMs, Math.floor(count / sessionCount));
      const name = `${session_id} ${timestamp}`;
      const arrival = new Promise<number>((resolve) => waiting.set(name, resolve));
      const sentAt = performance.now();
      const { state } = await request<StateReading>('/v1/ingest', { session_id, timestamp, ...draw(scene, random) });
      const answeredAt = performance.now();
      states.set(session_id, state);
      if (before !== undefined && before !== state) {
        const at = await arrival;
        ways.push({ sinceAnswer: at - answeredAt, sinceSent: at - sentAt });
        progress.advance();
      }
      waiting.delete(name);
      await sleep(pauseMs[0] + Math.random() * (pauseMs[1] - pauseMs[0]));
    }
    return ways;
  } finally {
    progress.stop();
    await fleet.close();
    receiver.close();
  }
}
