/**
 * Measures webhooks: throughput of two workers on one queue, latency of a single event on an idle service, and the real
 * gaps between retries. Exits with 1 when two workers attempted the same delivery at the same time.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { webhookDelivery as settings } from '../../generated/spec.js';
import { runCommand } from '../../contract-tests/support/service-process.js';
import build from '../../contract-tests/support/build.js';
import type { DatabaseKind } from '../../contract-tests/support/databases.js';
import { readConfig } from '../../src/config/config.js';
import { openStore } from '../../src/store/store.js';
import { requireDatabase, withDatabase } from './support/databases.js';
import { startLiveWebhook, type WorkerPlace } from './support/live-webhook.js';
import { batchesOf, fillOutbox } from './support/outbox.js';
import { startReceivers } from './support/receivers.js';
import { startFleet } from '../../contract-tests/support/fleet.js';
import { watchQueue } from '../check/webhooks/queue.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { quantile } from '../../src/terminal/quantile.js';
import { startProgress } from '../../src/terminal/progress.js';
import { textTable } from '../../src/terminal/table.js';

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
  readonly only?: 'throughput' | 'latency' | 'schedule';
}

await launch(
  new Command('bench:deliveries')
    .description('Throughput of two workers, latency of one event, and the real gaps of the schedule.')
    .addOption(new Option('--database <kind>', 'which to measure').choices(['sqlite', 'mysql']).default('mysql'))
    .option('--deliveries <number>', 'deliveries in the queue when the workers start', positive, 100_000)
    .option('--receivers <number>', 'number of receivers. Each gets every event', positive, 32)
    .option('--workers <number>', 'worker processes', positive, 2)
    .option('--changes <number>', 'state changes whose latency is measured', positive, 200)
    .addOption(new Option('--only <part>', 'one of the three').choices(['throughput', 'latency', 'schedule']))
    .action(bench),
);

async function bench(options: Options): Promise<void> {
  await requireDatabase(options.database);
  build();
  const isWanted = (part: Options['only']) => options.only === undefined || options.only === part;
  if (isWanted('throughput')) await withDatabase(options.database, (url) => measureThroughput(url, options));
  if (isWanted('latency')) await measureLatencies(options);
  if (isWanted('schedule')) await withDatabase(options.database, (url) => showSchedule(url, options));
}

async function measureThroughput(url: string, options: Options): Promise<void> {
  const events = Math.ceil(options.deliveries / options.receivers);
  const deliveries = events * options.receivers;
  const progress = startProgress(process.stderr, deliveries, 'deliveries');
  const receivers = await startReceivers(options.receivers, progress.advance);
  const queue = watchQueue(url);
  await fill(url, events, receivers.urls);
  const startedAtMs = performance.now();
  const fleet = startFleet(workers(url, options.workers));
  try {
    await receivers.until(deliveries);
    const seconds = (performance.now() - startedAtMs) / 1000;
    await queue.empty(settleMs);
    progress.stop();
    const attempts = [...receivers.attempts.values()].reduce((sum, count) => sum + count, 0);
    const counts: Array<[string, string]> = [
      ['deliveries', String(receivers.attempts.size)],
      ['attempts', String(attempts)],
      ['attempts while another one ran', String(receivers.overlaps())],
      ['seconds', seconds.toFixed(1)],
      ['deliveries/s', (deliveries / seconds).toFixed(0)],
    ];
    const title = `${options.database}: ${options.workers} workers, ${options.receivers} receivers`;
    console.log(`${textTable([{ title }, { title: '', align: 'right' }], [counts])}\n`);
    console.log(
      `load average ${loadavg()
        .map((it) => it.toFixed(1))
        .join(' ')}\n`,
    );
    if (receivers.overlaps() > 0) process.exitCode = 1;
  } finally {
    progress.stop();
    await fleet.close();
    await queue.close();
    receivers.close();
  }
}

async function fill(url: string, events: number, receivers: readonly string[]): Promise<void> {
  await runCommand(url, ['keys', 'create', '--account', 'bench', '--tier', 'enterprise']);
  const store = openStore(readConfig({ DATABASE_URL: url }).database);
  const progress = startProgress(process.stderr, batchesOf(events), 'batches of events');
  try {
    await fillOutbox(store, { events, receivers, secretsKey, onBatch: progress.advance });
  } finally {
    progress.stop();
    await store.close();
  }
}

function workers(url: string, count: number) {
  const env = { DATABASE_URL: url, LOG_LEVEL: 'warn', SECRETS_KEY: secretsKey, WEBHOOK_ALLOW_LOOPBACK: '1' };
  return Array.from({ length: count }, () => ({ name: 'worker', args: ['deliver'], env }));
}

async function measureLatencies({ database, changes }: Options): Promise<void> {
  const rows: string[][] = [];
  for (const place of ['in process', 'alone'] as const) {
    const ways = await withDatabase(database, (url) => timeChanges(url, place, changes));
    const figures = [ways.map((it) => it.sinceAnswer), ways.map((it) => it.sinceSent)].flatMap((all) =>
      [0.5, 0.99].map((share) => quantile(all, share).toFixed(1)),
    );
    rows.push([`worker ${place}`, String(ways.length), ...figures]);
  }
  const titles = ['changes', 'p50 ms after the answer', 'p99 ms', 'p50 ms after the request', 'p99 ms'];
  const columns = titles.map((title) => ({ title, align: 'right' }) as const);
  console.log(`${textTable([{ title: `${database}: arrival` }, ...columns], [rows])}\n`);
}

interface Way {
  /** Time from the response of a reading to the arrival of its event, ms. The response is sent after the commit. */
  readonly sinceAnswer: number;
  readonly sinceSent: number;
}

async function timeChanges(url: string, place: WorkerPlace, changes: number): Promise<Way[]> {
  const webhook = await startLiveWebhook(url, place);
  const progress = startProgress(process.stderr, changes, `changes, worker ${place}`);
  const ways: Way[] = [];
  try {
    for (let count = 0; ways.length < changes; count += 1) {
      const { sentAt, answeredAt, arrivedAt } = await webhook.swing(`live-${count % sessionCount}`);
      if (arrivedAt) {
        const at = await arrivedAt;
        ways.push({ sinceAnswer: at - answeredAt, sinceSent: at - sentAt });
        progress.advance();
      }
      await sleep(pauseMs[0] + Math.random() * (pauseMs[1] - pauseMs[0]));
    }
    return ways;
  } finally {
    progress.stop();
    await webhook.close();
  }
}

async function showSchedule(url: string, { database }: Options): Promise<void> {
  const webhook = await startLiveWebhook(url, 'in process');
  const attempts = settings.retry_after_seconds.length + 1;
  try {
    webhook.answer(500);
    for (let count = 0; count < 2; count += 1) await webhook.swing('schedule');
    while (webhook.arrivedAtMs.length < attempts) await sleep(pauseMs[0]);
    const rows = webhook.arrivedAtMs.map((atMs, index) => [
      String(index + 1),
      new Date(atMs).toISOString(),
      index === 0 ? '' : ((atMs - (webhook.arrivedAtMs[index - 1] ?? 0)) / 1000).toFixed(3),
    ]);
    const columns = [
      { title: `${database}: attempt` },
      { title: 'at' },
      { title: 's after the previous one', align: 'right' },
    ] as const;
    console.log(textTable(columns, [rows]));
    const [failed] = (await untilFailed(webhook)).deliveries;
    webhook.answer(204);
    await webhook.retry(failed?.id ?? '');
    while (webhook.arrivedAtMs.length === attempts) await sleep(pauseMs[0]);
    console.log(`\n${failed?.id} is listed as failed (${failed?.reason}); after a manual retry it was delivered.`);
  } finally {
    await webhook.close();
  }
}

async function untilFailed(webhook: Awaited<ReturnType<typeof startLiveWebhook>>) {
  for (;;) {
    const page = await webhook.failed();
    if (page.deliveries.length > 0) return page;
    await sleep(pauseMs[0]);
  }
}
