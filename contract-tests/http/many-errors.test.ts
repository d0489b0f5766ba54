import { batch, validation } from '../../generated/spec.js';
import type { Schema } from '../../src/contract/contract.js';
import { definitions } from '../../src/contract/definitions.js';
import { omitExcess } from '../../src/contract/problem.js';
import { batchResults } from '../../testkit/batch.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { connectAgent } from '../../testkit/mcp-tools.js';

const { errors_max: max, request_errors_max: requestMax } = validation;

/** Returns this number of fields that no operation knows. */
function unknownFields(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, index]));
}

/** Returns the number of named errors and of the others. */
function countErrors(body: Partial<Schema<'ValidationProblem'>> | undefined): unknown[] {
  return [body?.errors?.length, body?.errors_omitted];
}

test('a problem names 20 errors, and the number of the others', async ({ service }) => {
  for (const [fields, named, omitted] of [
    [max, max, undefined],
    [max + 1, max, 1],
    [200, max, 180],
  ] as const) {
    const { body } = await service.ingest({ heart_rate: 70, ...unknownFields(fields) });
    expect(countErrors(body)).toEqual([named, omitted]);
    expect(
      countErrors(
        (await service.post('/v1/tokens', { session_id: 's', scopes: ['read'], ...unknownFields(fields) })).body,
      ),
    ).toEqual([named, omitted]);
    const query = new URLSearchParams({ session_id: 's', ...unknownFields(fields) } as Record<string, string>);
    expect(countErrors((await service.request(`/v1/state?${query.toString()}`)).body)).toEqual([named, omitted]);
  }
});

test('an error of a known field is named before the errors that are omitted', async ({ service: { ingest } }) => {
  const { body } = await ingest({ ...unknownFields(max - 1), heart_rate: 'fast' });
  expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toContain('/heart_rate');
  expect(body).not.toHaveProperty('errors_omitted');
});

test('a batch names 200 errors in the order of its lines, whoever rejects a line, and the number of the others', async () => {
  const service = await startTestService();
  const timestamp = service.clock.at();
  await service.read({ session_id: 'of-anna', subject_id: 'anna', timestamp, heart_rate: 70 });
  const line = { session_id: 's1', timestamp, heart_rate: 70 };
  const full = Array.from({ length: requestMax / max }, () => ({ ...line, ...unknownFields(max) }));
  expect((await batchResults(service, full)).map(({ error }) => countErrors(error))).toEqual(
    full.map(() => [max, undefined]),
  );
  const mismatch = { ...line, session_id: 'of-anna', subject_id: 'bert' };
  const results = await batchResults(service, [
    mismatch,
    ...full,
    { ...line, ...unknownFields(max + 5) },
    mismatch,
    line,
  ]);
  expect(results.map(({ error }) => countErrors(error))).toEqual([
    [1, undefined],
    ...full.slice(1).map(() => [max, undefined]),
    [max - 1, 1],
    [undefined, max + 5],
    [undefined, 1],
    [undefined, undefined],
  ]);
  expect(results.at(-2)?.error).toMatchObject({ code: 'subject_mismatch', detail: expect.stringContaining('another') });
  expect(results.at(-1)?.status).toBe(200);
});

test('the largest batch of unknown fields gets a small response', async ({ service }) => {
  const line = `{${Array.from({ length: 380 }, (_, index) => `"${index}":1`).join()}}`;
  const lines = Array.from({ length: Math.floor(batch.max_bytes / (line.length + 1)) }, () => line);
  const results = await batchResults(service, lines);
  const named = results.flatMap(({ error }) => error?.errors ?? []);
  expect(named).toHaveLength(requestMax);
  expect(JSON.stringify(results).length / lines.length).toBeLessThan(500);
});

test('a tool names 20 errors, and the number of the others', async ({ service }) => {
  const client = await connectAgent(service);
  const linesOf = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return ((content as Array<{ text: string }>)[0]?.text ?? '').split('\n').filter((it) => it.startsWith('- '));
  };
  for (const [name, args] of [
    ['get_human_state', { session_id: 's1' }],
    ['ingest', { session_id: 's1', heart_rate: 70 }],
  ] as const) {
    expect(await linesOf(name, { ...args, ...unknownFields(max) })).toHaveLength(max);
    const lines = await linesOf(name, { ...args, ...unknownFields(3_000) });
    expect([lines.length, lines.at(-1)]).toEqual([max + 1, `- ${3_000 - max} more errors`]);
  }
});

test('the validator gets few unknown fields and list items, however many a body has', () => {
  const schema = definitions.find(({ operationId }) => operationId === 'ingest')?.body?.schema;
  const lists = Object.entries(schema?.properties ?? {}).filter(([, { type }]) => type === 'array');
  expect(lists.length).toBeGreaterThan(0);
  for (const [name, { maxItems }] of lists) {
    const value = { heart_rate: 70, ...unknownFields(5_000), [name]: Array.from({ length: 5_000 }, () => 'x') };
    const { kept, omitted } = omitExcess(schema, value);
    expect([Object.keys(kept as object).length, omitted]).toEqual([max + 2, 5_000 - max]);
    expect((kept as Record<string, unknown[]>)[name]).toHaveLength(Number(maxItems) + 1);
  }
  const valid = { heart_rate: 70 };
  expect(omitExcess(schema, valid).kept).toBe(valid);
});
