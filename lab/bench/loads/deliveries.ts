/**
 * Measures webhooks: throughput of workers on one queue, capacity per receiver, latency of a single event on an idle
 * service, and the latency beside a webhook whose receiver is down. Exits with 1 when two workers attempted the same
 * delivery at the same time.
 */
import { loadavg } from 'node:os';
import { Command, Option } from 'commander';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { requireDatabase, withDatabase } from '../support/databases.js';
import { type ChangeTimes, timeChanges } from '../support/delivery-latency.js';
import { type DeliveryLoad, runDeliveries } from '../support/delivery-run.js';

const parts = ['throughput', 'capacity', 'latency', 'isolation'] as const;
type Part = (typeof parts)[number];

interface Options {
  readonly database: DatabaseKind;
  readonly deliveries: number;
  readonly perReceiver: number;
  readonly receivers: number;
  readonly workers: number;
  readonly changes: number;
  readonly only?: Part;
}

export const deliveries = new Command('deliveries')
  .description('Throughput of workers, capacity per receiver, latency of one event, and isolation of webhooks.')
  .addOption(new Option('--database <kind>', 'which to measure').choices(['sqlite', 'mysql']).default('mysql'))
  .option('--deliveries <number>', 'deliveries in the queue when the workers start', positive, 100_000)
  .option('--per-receiver <number>', 'deliveries of each row of the capacity table', positive, 10_000)
  .option('--receivers <number>', 'number of receivers. Each gets every event', positive, 32)
  .option('--workers <number>', 'worker processes', positive, 2)
  .option('--changes <number>', 'state changes whose latency is measured', positive, 200)
  .addOption(new Option('--only <part>', 'one of the parts').choices(parts))
  .action(bench);

async function bench(options: Options): Promise<void> {
  await requireDatabase(options.database);
  const measure = {
    throughput: measureThroughput,
    capacity: measureCapacity,
    latency: measureLatencies,
    isolation: measureIsolation,
  };
  for (const part of parts) if (options.only === undefined || options.only === part) await measure[part](options);
}

async function run(database: DatabaseKind, load: DeliveryLoad) {
  const figures = await withDatabase(database, (url) => runDeliveries(url, load));
  if (figures.overlaps > 0) process.exitCode = 1;
  return figures;
}

async function measureThroughput({ database, deliveries, receivers, workers }: Options): Promise<void> {
  const figures = await run(database, { deliveries, receivers, workers });
  const counts = [
    ['deliveries', String(figures.deliveries)],
    ['attempts', String(figures.attempts)],
    ['attempts while another one ran', String(figures.overlaps)],
    ['seconds', figures.seconds.toFixed(1)],
    ['deliveries/s', figures.perSecond.toFixed(0)],
    ['load average', readLoad()],
  ];
  const title = `${database}: ${workers} workers, ${receivers} receivers`;
  console.log(`${textTable([{ title }, ...figureColumns('')], [counts])}\n`);
}

/** Prints the throughput to one receiver, by number of workers and response time. */
async function measureCapacity({ database, perReceiver }: Options): Promise<void> {
  const rows: string[][] = [];
  for (const workers of [1, 2])
    for (const answerAfterMs of [5, 50, 200]) {
      const figures = await run(database, { deliveries: perReceiver, receivers: 1, workers, answerAfterMs });
      const { inProgressMax, perSecond, perSecondLater } = figures;
      const limit = (inProgressMax / answerAfterMs) * 1000;
      const cells = [inProgressMax, answerAfterMs, limit, perSecond, perSecondLater].map((it) => it.toFixed(0));
      rows.push([String(workers), ...cells, readLoad()]);
    }
  const titles = ['in progress', 'response ms', 'in progress ÷ response/s', 'deliveries/s', '… second half', 'load'];
  console.log(`${textTable([{ title: `${database}: workers` }, ...figureColumns(...titles)], [rows])}\n`);
}

async function measureLatencies({ database, changes }: Options): Promise<void> {
  const rows: string[][] = [];
  for (const isAlone of [false, true]) {
    const ways = await withDatabase(database, (url) => timeChanges(url, { changes, isAlone }));
    const figures = [...readQuantiles(ways, 'sinceAnswer'), ...readQuantiles(ways, 'sinceSent')];
    const name = `worker ${isAlone ? 'alone' : 'in process'}`;
    rows.push([name, String(ways.sinceSent.length), ...figures.map((it) => it.toFixed(1))]);
  }
  const titles = ['changes', 'p50 ms after the answer', 'p99 ms', 'p50 ms after the request', 'p99 ms'];
  console.log(`${textTable([{ title: `${database}: arrival` }, ...figureColumns(...titles)], [rows])}\n`);
}

/** Prints the latency of a webhook beside another one, and its ratio to that beside a working receiver. */
async function measureIsolation({ database, changes }: Options): Promise<void> {
  const rows: string[][] = [];
  let base: readonly number[] = [];
  for (const neighbor of ['working', 'refusing', 'hanging'] as const) {
    const ways = await withDatabase(database, (url) => timeChanges(url, { changes, isAlone: true, neighbor }));
    const figures = readQuantiles(ways, 'sinceAnswer');
    if (neighbor === 'working') base = figures;
    const ratios = figures.map((it, index) => (it / (base[index] ?? it)).toFixed(2));
    rows.push([neighbor, ...figures.map((it) => it.toFixed(1)), ...ratios, readLoad()]);
  }
  const titles = ['p50 ms', 'p99 ms', 'p50, ratio', 'p99, ratio', 'load'];
  console.log(`${textTable([{ title: `${database}: other receiver` }, ...figureColumns(...titles)], [rows])}\n`);
}

function readQuantiles(ways: ChangeTimes, since: keyof ChangeTimes): number[] {
  return [0.5, 0.99].map((share) => quantile(ways[since], share));
}

function readLoad(): string {
  return loadavg()[0]?.toFixed(1) ?? '';
}
