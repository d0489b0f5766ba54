/**
 * Measures the purge of expired readings: the time of a batch while the table shrinks, and the rows per second with the
 * pauses of the service. Fills the database itself. Exits with 1 when the purge is slower than `required`.
 */
import { purgeReadings } from '../../../src/store/expired-readings.js';
import { Command } from 'commander';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { createKeyOf } from '../../../testkit/program.js';
import { readConfig } from '../../../src/config/config.js';
import { batchRows, pause } from '../../../src/retention/purge.js';
import { openStore, type Store } from '../../../src/store/store.js';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { positive } from '../../options.js';
import { type DatabaseChoice, databaseOption, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { fillReadings } from '../support/fill-readings.js';
import { describeMachine, machineLine } from '../support/machine.js';
import { figureColumns } from '../support/rounds.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Rows per second that a database with 100 million readings of 24 hours gets, and must delete. */
const required = 100_000_000 / (24 * 3600);
/** Measured parts of the purge. */
const parts = 5;

interface Options {
  readonly readings: number;
  readonly sessions: number;
  readonly rows: number;
}

const columns = [
  { title: 'rows in the table' },
  ...figureColumns('batch, p50', 'batch, p99', 'rows/s without pauses', 'with pauses'),
];

export const purge = new Command('purge')
  .description('Time and throughput of the purge of expired readings. Takes minutes to fill the database.')
  .addOption(databaseOption)
  .option('--readings <number>', 'expired readings in the database', positive, 10_000_000)
  .option('--sessions <number>', 'sessions of these readings', positive, 10_000)
  .option('--rows <number>', 'readings to purge. Default: all', positive, Number.POSITIVE_INFINITY)
  .action(async ({ database, ...options }: Options & { database: DatabaseChoice }) => {
    for (const kind of await findDatabases(database)) await withDatabase(kind, (url) => bench(kind, url, options));
  });

async function bench(kind: DatabaseKind, url: string, { readings, sessions, rows }: Options): Promise<void> {
  const key = await createKeyOf(url, 'purge');
  const startedAtMs = performance.now();
  const filled = await fillReadings(url, key, { readings, sessions, ageMs: dayMs + hourMs });
  const fillSeconds = (performance.now() - startedAtMs) / 1000;
  const store = openStore(readConfig({ DATABASE_URL: url }).database);
  try {
    const toPurge = Math.min(rows, filled.readings);
    const measured: Measured[] = [];
    for (let part = 0; part < parts; part += 1)
      measured.push(await purgeRows(store, filled.readings - (part * toPurge) / parts, toPurge / parts));
    report(kind, fillSeconds, measured);
  } finally {
    await store.close();
  }
}

interface Measured {
  /** Rows in the table at the start. */
  readonly tableRows: number;
  readonly purged: number;
  /** Duration of each batch, ms. */
  readonly batchesMs: readonly number[];
}

/** Purges rows without pauses, so that a large table is measured in minutes. */
async function purgeRows(store: Store, tableRows: number, rows: number): Promise<Measured> {
  const batchesMs: number[] = [];
  let purged = 0;
  while (purged < rows) {
    const startedAtMs = performance.now();
    const deleted = await store.run((knex) => purgeReadings(knex, Date.now() - dayMs, batchRows));
    batchesMs.push(performance.now() - startedAtMs);
    if (deleted === 0) break;
    purged += deleted;
  }
  return { tableRows, purged, batchesMs };
}

function report(kind: DatabaseKind, fillSeconds: number, measured: readonly Measured[]): void {
  console.log(`${machineLine(describeMachine())}; load average ${describeMachine().loadAverage.join(' ')}`);
  const purged = sumOf(measured.map((it) => it.purged));
  const purgeSeconds = sumOf(measured.flatMap((it) => it.batchesMs)) / 1000;
  console.log(
    `── ${titleOf(kind)}: filled in ${fillSeconds.toFixed(0)} s, ${purged} rows purged in ${purgeSeconds.toFixed(0)} s ` +
      `without pauses, batches of ${batchRows}\n`,
  );
  console.log(textTable(columns, [measured.map(cells)]));
  const slowest = Math.min(...measured.map((it) => pacedRate(it)));
  const isMet = slowest >= required;
  if (!isMet) process.exitCode = 1;
  const verdict = isMet ? 'met' : 'not met';
  console.log(`\n100 million readings in 24 hours require ${Math.round(required)} rows/s with pauses: ${verdict}.\n`);
}

function cells(it: Measured): string[] {
  const { tableRows, purged, batchesMs } = it;
  const at = (share: number) => `${quantile(batchesMs, share).toFixed(1)} ms`;
  const rate = purged / (sumOf(batchesMs) / 1000);
  return [String(Math.round(tableRows)), at(0.5), at(0.99), rate.toFixed(0), pacedRate(it).toFixed(0)];
}

/** Returns the rows per second at which the service purges, with its pause after each batch. */
function pacedRate({ purged, batchesMs }: Measured): number {
  const pausedMs = sumOf(batchesMs.map((ms) => Math.max(pause.leastMs, pause.perBatch * ms)));
  return purged / ((sumOf(batchesMs) + pausedMs) / 1000);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
