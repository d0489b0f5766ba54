import type { Schema } from '../../src/contract/contract.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { batchResults } from '../../testkit/batch.js';
import { sendRaw } from '../../testkit/raw.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bodyOfLines, hostileLines } from './corpus.js';
import { fieldRequests } from './field-values.js';

const count = 600;
const perBatch = 150;

async function sendLines(service: TestService, lines: readonly Buffer[]): Promise<Array<Schema<'LineResult'>>> {
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const chunks = [bodyOfLines(lines)];
  const { status, body } = await sendRaw(service, { path: '/v1/ingest/batch', headers, chunks });
  expect(status).toBe(200);
  return body['results'] as Array<Schema<'LineResult'>>;
}

test('hostile lines get the status of single requests, never a 5xx, and do not affect the lines between them', async () => {
  const service = await startTestService({});
  const [batches, singles] = [service, await startTestService()];
  const lines = hostileLines(seededRandom(26), count).filter((line) => /\S/.test(line.toString()));
  const statuses: Record<number, number> = {};
  for (let from = 0; from < lines.length; from += perBatch) {
    const some = lines.slice(from, from + perBatch);
    const valid = some.map((_, index) => {
      const timestamp = new Date(service.clock.nowMs - index).toISOString();
      return Buffer.from(JSON.stringify({ session_id: `valid-${from}`, timestamp, heart_rate: 80 }));
    });
    const results = await sendLines(
      batches,
      some.flatMap((line, index) => [line, valid[index] as Buffer]),
    );
    for (const [index, line] of some.entries()) {
      const [hostile, between] = results.slice(2 * index, 2 * index + 2);
      const single = await sendRaw(singles, { chunks: [line] });
      expect(hostile?.status, line.toString()).toBe(single.status);
      expect(between?.status).toBe(200);
      statuses[single.status] = (statuses[single.status] ?? 0) + 1;
    }
  }
  console.log(`${lines.length} hostile lines by status:`, statuses);
  const rejected = Object.entries(statuses).filter(([status]) => status.startsWith('4'));
  expect(rejected.reduce((sum, [, some]) => sum + some, 0)).toBeGreaterThan(300);
  expect(Object.keys(statuses).every((status) => /^(200|4\d\d)$/.test(status))).toBe(true);
});

test('no hostile value in any field of a line causes a 5xx', async ({ service }) => {
  const lines = fieldRequests(service.clock.at())
    .filter(({ path }) => path === '/v1/ingest')
    .map(({ body }) => JSON.stringify({ ...(body as object), backfill: true }));
  for (let from = 0; from < lines.length; from += perBatch) {
    const results = await batchResults(service, lines.slice(from, from + perBatch));
    expect(results.filter(({ status }) => status !== 200 && (status < 400 || status >= 500))).toEqual([]);
  }
});
