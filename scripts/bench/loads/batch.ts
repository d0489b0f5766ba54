/**
 * Measures the readings per second of batches and of single requests, over one connection to the same service. Both loads
 * alternate within each round, so that the ratio tolerates other load on the machine. Exits with 1 when the ratio is too
 * low or a reading is rejected.
 */
import { Command } from 'commander';
import { Pool } from 'undici';
import type { DatabaseKind } from '../../../contract-tests/support/databases.js';
import { createKeyOf, type ServiceProgram, withServicePrograms } from '../../../contract-tests/support/program.js';
import { batch as limits } from '../../../generated/spec.js';
import type { Schema } from '../../../src/contract.js';
import { textTable } from '../../../src/terminal/table.js';
import { positive } from '../../terminal/options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { createRequests } from '../support/requests.js';
import { figureColumns, middle, takeTurns } from '../support/rounds.js';
import { ample } from '../support/service.js';

/** Minimum of readings per second in batches ÷ in single requests. */
const ratioMin = 5;

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
  .action(bench);

async function bench({ database, ...options }: Options & { database: DatabaseChoice }): Promise<void> {
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
