/**
 * Measures the readings per second of batches and of single requests, over one connection to the same service. Both loads
 * alternate within each round, so that the ratio tolerates other load on the machine. Exits with 1 when the ratio is too
 * low or a reading is rejected. With `--backfill`, measures the import of a recording by `replay --backfill` instead, and
 * exits with 1 when it takes too long.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { Pool } from 'undici';
import { batch as limits } from '../../../generated/spec.js';
import { textTable } from '../../../packages/tools/terminal/table.js';
import type { Schema } from '../../../src/contract/contract.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { createKeyOf, runCommand, type ServiceProgram, withServicePrograms } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { describeMachine, machineLine } from '../support/machine.js';
import { createRequests } from '../support/requests.js';
import { middle, takeTurns } from '../support/rounds.js';
import { ample } from '../support/service.js';

/** Minimum of readings per second in batches ÷ in single requests. */
const ratioMin = 5;
/** Maximum time of an import, seconds per 100,000 readings. */
const backfillSecondsMax = 60;
/** Maximum of `replay --hours`. */
const hoursMax = 2_160;

interface Options {
  readonly lines: number;
  readonly seconds: number;
  readonly rounds: number;
}

export const batch = new Command('batch')
  .description('Readings per second in batches and in single requests, over one connection.')
  .addOption(databaseOption)
  .option('--lines <number>', 'readings per batch', positive, limits.lines_max)
  .option('--seconds <number>', 'seconds per run', positive, 3)
  .option('--rounds <number>', 'measured rounds, after one warm-up round', positive, 5)
  .option('--backfill <number>', 'instead, import a recording with this many readings, one per minute', positive)
  .action(bench);

async function bench({ database, backfill, ...options }: Options & Choice): Promise<void> {
  if (backfill !== undefined) return benchBackfill(await findDatabases(database), backfill);
  const { rounds, seconds, lines } = options;
  const rows = [];
  for (const kind of await findDatabases(database))
    rows.push(await withDatabase(kind, (url) => measure(kind, url, options)));
  const columns = [{ title: 'database' }, ...figureColumns('single/s', 'batch/s', 'ratio', 'required')];
  const cells = rows.map(({ title, single, batch: inBatches, ratio }) => {
    return [title, single.toFixed(0), inBatches.toFixed(0), ratio.toFixed(1), `≥ ${ratioMin}`];
  });
  console.log(textTable(columns, [cells]));
  console.log(`\nMedians of ${rounds} rounds of ${seconds} s, ${lines} readings per batch, one connection.`);
  if (rows.some(({ ratio }) => ratio < ratioMin)) process.exitCode = 1;
}

interface Choice {
  readonly database: DatabaseChoice;
  readonly backfill?: number;
}

async function benchBackfill(kinds: readonly DatabaseKind[], count: number): Promise<void> {
  const required = (backfillSecondsMax * count) / 100_000;
  const columns = [{ title: 'database' }, ...figureColumns('readings', 'seconds', 'readings/s', 'required')];
  const cells = [];
  for (const kind of kinds) {
    const seconds = await withDatabase(kind, (url) => importRecording(url, count));
    cells.push([titleOf(kind), String(count), seconds.toFixed(1), (count / seconds).toFixed(0), `≤ ${required} s`]);
    if (seconds > required) process.exitCode = 1;
  }
  console.log(textTable(columns, [cells]));
  const machine = describeMachine();
  console.log(`\n${machineLine(machine)}, load average ${machine.loadAverage[0]}.`);
}

/** Imports a recording with the default limits. Returns the time from the start of the command to its end, seconds. */
async function importRecording(databaseUrl: string, count: number): Promise<number> {
  const key = await createKeyOf(databaseUrl, 'bench');
  const folder = await mkdtemp(join(tmpdir(), 'bench-backfill-'));
  const file = join(folder, 'recording.csv');
  try {
    const startMs = Date.now() - count * 60_000;
    const rows = Array.from({ length: count }, (_, at) => {
      return `${new Date(startMs + at * 60_000).toISOString()},${60 + (at % 40)}\n`;
    });
    await writeFile(file, `timestamp,heart_rate\n${rows.join('')}`);
    const settings = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'info', RETENTION_READINGS_HOURS: String(hoursMax + 24) };
    return await withServicePrograms(settings, 1, async ([service]) => {
      const { url } = service as ServiceProgram;
      const startedAtMs = performance.now();
      const person = ['--backfill', '--hours', String(hoursMax), '--subject', 'bench'];
      const stdout = await runCommand(databaseUrl, [
        'tools',
        'replay',
        '--file',
        file,
        ...person,
        '--url',
        url,
        '--key',
        key,
      ]);
      const seconds = (performance.now() - startedAtMs) / 1000;
      if (!new RegExp(`^all +csv +${count} `, 'm').test(stdout)) throw new Error(`not all readings stored:\n${stdout}`);
      return seconds;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(kind: DatabaseKind, url: string, { lines, seconds, rounds }: Options) {
  const key = await createKeyOf(url, 'bench');
  const settings = { DATABASE_URL: url, LOG_LEVEL: 'info', ...ample };
  const runs = await withServicePrograms(settings, 1, async ([service]) => {
    const pool = new Pool((service as ServiceProgram).url, { connections: 1, pipelining: 1 });
    const send = createSenders(pool, key, lines);
    const take = (load: 'single' | 'batch') => countPerSecond(send[load], seconds);
    // The first round warms up.
    return takeTurns(['single', 'batch'] as const, rounds + 1, take).finally(() => pool.close());
  });
  const [single, inBatches] = [runs.single.slice(1), runs.batch.slice(1)];
  const ratio = middle(inBatches.map((rate, index) => rate / (single[index] ?? Number.NaN)));
  return { title: titleOf(kind), single: middle(single), batch: middle(inBatches), ratio };
}

/** Returns functions that send one request and resolve with the number of accepted readings. */
function createSenders(pool: Pool, key: string, lines: number) {
  const { plain: next } = createRequests();
  const post = async (path: string, mediaType: string, body: string): Promise<unknown> => {
    const headers = { 'X-Service-Key': key, 'Content-Type': mediaType };
    const response = await pool.request({ method: 'POST', path, headers, body });
    const answer = await response.body.json();
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    async single() {
      await post('/v1/ingest', 'application/json', next().body ?? '');
      return 1;
    },
    async batch() {
      const body = Array.from({ length: lines }, () => `${next().body}\n`).join('');
      const answer = (await post('/v1/ingest/batch', 'application/x-ndjson', body)) as Schema<'BatchResult'>;
      if (answer.rejected > 0) throw new Error(JSON.stringify(answer.results.find(({ error }) => error)));
      return answer.accepted;
    },
  };
}

/** Sends requests one after another. Resolves with the accepted readings per second. */
async function countPerSecond(send: () => Promise<number>, seconds: number): Promise<number> {
  const startedAtMs = performance.now();
  let accepted = 0;
  while (performance.now() < startedAtMs + seconds * 1000) accepted += await send();
  return (1000 * accepted) / (performance.now() - startedAtMs);
}
