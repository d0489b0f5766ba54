/**
 * Measures the readings per second of batches and of single requests, over one connection to the same service. Both loads
 * alternate within each round, so that the ratio tolerates other load on the machine. Exits with 1 when the ratio is too
 * low or a reading is rejected.
 */
import { Command } from 'commander';
import { Pool } from 'undici';
import { batch as limits } from '../../generated/spec.js';
import { runCommand } from '../../contract-tests/support/service-process.js';
import build from '../../contract-tests/support/build.js';
import type { DatabaseKind } from '../../contract-tests/support/databases.js';
import type { Schema } from '../../src/contract.js';
import { startProgress } from '../../src/terminal/progress.js';
import { textTable } from '../../src/terminal/table.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from './support/databases.js';
import { createRequests } from './support/requests.js';
import { middle } from './support/rounds.js';
import { startBenchedService } from './support/service.js';

/** Minimum of readings per second in batches ÷ in single requests. */
const ratioMin = 5;

interface Options {
  readonly lines: number;
  readonly seconds: number;
  readonly rounds: number;
}

/** Sends one request. Resolves with the number of accepted readings. Rejects if a reading is rejected. */
type SendReadings = () => Promise<number>;

await launch(
  new Command('bench:batch')
    .description('Readings per second in batches and in single requests, over one connection.')
    .addOption(databaseOption)
    .option('--lines <number>', 'readings per batch', positive, limits.lines_max)
    .option('--seconds <number>', 'seconds per run', positive, 3)
    .option('--rounds <number>', 'measured rounds, after one warm-up round', positive, 5)
    .action(bench),
);

async function bench({ database, ...options }: Options & { database: DatabaseChoice }): Promise<void> {
  const kinds = await findDatabases(database);
  build();
  const measured = [];
  for (const kind of kinds) measured.push(await withDatabase(kind, (url) => measure(kind, url, options)));
  const columns = ['single/s', 'batch/s', 'ratio', 'required'].map((title) => ({ title, align: 'right' }) as const);
  const rows = measured.map(({ title, single, batch, ratio }) => {
    return [title, single.toFixed(0), batch.toFixed(0), ratio.toFixed(1), `≥ ${ratioMin}`];
  });
  console.log(textTable([{ title: 'database' }, ...columns], [rows]));
  console.log(
    `\nMedians of ${options.rounds} rounds of ${options.seconds} s, ${options.lines} readings per batch, one connection.`,
  );
  if (measured.some(({ ratio }) => ratio < ratioMin)) process.exitCode = 1;
}

async function measure(kind: DatabaseKind, databaseUrl: string, { lines, seconds, rounds }: Options) {
  const key = await runCommand(databaseUrl, ['keys', 'create', '--account', 'bench', '--tier', 'enterprise']);
  const { url, close } = await startBenchedService(databaseUrl);
  const pool = new Pool(url, { connections: 1, pipelining: 1 });
  const senders = createSenders(pool, key, lines);
  const rates = { single: [] as number[], batch: [] as number[] };
  const progress = startProgress(process.stderr, rounds + 1, `rounds on ${titleOf(kind)}`);
  try {
    for (let round = 0; round <= rounds; round += 1, progress.advance())
      for (const load of ['single', 'batch'] as const) {
        const rate = await rateOf(senders[load], seconds);
        if (round > 0) rates[load].push(rate);
      }
  } finally {
    progress.stop();
    await pool.close();
    await close();
  }
  const ratio = middle(rates.batch.map((rate, index) => rate / (rates.single[index] ?? Number.NaN)));
  return { title: titleOf(kind), single: middle(rates.single), batch: middle(rates.batch), ratio };
}

function createSenders(pool: Pool, key: string, lines: number): Readonly<Record<'single' | 'batch', SendReadings>> {
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
async function rateOf(send: SendReadings, seconds: number): Promise<number> {
  const startedAtMs = performance.now();
  let accepted = 0;
  while (performance.now() < startedAtMs + seconds * 1000) accepted += await send();
  return (1000 * accepted) / (performance.now() - startedAtMs);
}
