import { batch as limits, body as bodyLimits } from '../../generated/spec.js';
import { batchResults, postBatch } from '../../testkit/batch.js';
import { sendRaw } from '../../testkit/raw.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const headers = { 'Content-Type': 'application/json' };

function postArray({ request }: TestService, body: string | Buffer) {
  return request('/v1/ingest/batch', { method: 'POST', headers, body });
}

/** Sends the body and returns the status of each result. */
async function statusesOf(service: TestService, body: string | Buffer): Promise<Array<[line: number, status: number]>> {
  const answer = await postArray(service, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.results.map(({ line, status }: { line: number; status: number }) => [line, status]);
}

function readingAt(service: TestService, seconds: number, session_id = 'array') {
  return { session_id, timestamp: service.clock.at(seconds), heart_rate: 80 + seconds };
}

test('an array gets the results of the same readings as NDJSON, and is idempotent with it', async ({ service }) => {
  const readings = [
    { ...readingAt(service, 0), user_message: 'She said "[{,}]\\": fine\nthen ü' },
    { ...readingAt(service, 1), heart_rate: 'fast', verbose: [[{}], ','] },
    readingAt(service, 2, 'other'),
    readingAt(service, 3),
  ];
  const withoutId = (text: string) => JSON.parse(text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""'));
  const compact = await postArray(service, JSON.stringify(readings));
  const expected = withoutId(JSON.stringify(compact.body));
  expect(expected).toMatchObject({ accepted: 3, rejected: 1 });
  const pretty = await postArray(service, ` \r\n${JSON.stringify(readings, null, 2)}\n\t `);
  const { body: ndjson } = await postBatch(service, readings);
  for (const body of [pretty.body, ndjson]) {
    const { results, ...counts } = withoutId(JSON.stringify(body));
    const { results: wanted, ...wantedCounts } = expected;
    expect(counts).toEqual(wantedCounts);
    // The detection of resends does not repeat findings in the text of a message.
    const pick = ({ line, status, error, state }: Record<string, { stress_score?: number }>) =>
      JSON.stringify({ line, status, error, score: state?.stress_score });
    expect(results.map(pick)).toEqual(wanted.map(pick));
  }
  expect((await service.request('/v1/history?session_id=array')).body.datapoints).toHaveLength(2);
});

test('an item that is not a valid reading is rejected alone', async ({ service }) => {
  const one = JSON.stringify(readingAt(service, 0));
  const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
  const shallow = `${'['.repeat(2000)}${']'.repeat(2000)}`;
  const other = JSON.stringify(readingAt(service, 1));
  const items = [one, 'null', '1', '{', '}', '', '{"a":}', `{"a":"\n"}`, '"\\\n"', '[]', deep, shallow, other];
  // Brackets inside of strings do not count.
  const body = `[${items.map((it) => (it === '{' ? '"{"' : it === '}' ? '"\\"}"' : it)).join(' ,\n')},]`;
  expect((await statusesOf(service, body)).map(([, status]) => status)).toEqual([
    ...[200, 422, 422, 422, 422, 400, 400, 400, 400, 422, 413, 422, 200],
    400,
  ]);
  const results = (await postArray(service, body)).body.results;
  expect(results.map(({ line }: { line: number }) => line)).toEqual(results.map((_: unknown, at: number) => at + 1));
});

test('of duplicate keys the last one counts, as in a single reading', async ({ service }) => {
  const { session_id, timestamp } = readingAt(service, 0);
  const text = `{"session_id":"x","session_id":"${session_id}","timestamp":"${timestamp}","heart_rate":"no","heart_rate":80}`;
  expect(await statusesOf(service, `[${text}]`)).toEqual([[1, 200]]);
  expect((await service.request('/v1/state?session_id=array')).status).toBe(200);
});

test('an item of invalid UTF-8 or more than 4,096 bytes is rejected without the other items', async ({ service }) => {
  const padded = (seconds: number, bytes: number) =>
    JSON.stringify(readingAt(service, seconds)).replace('{', `{${' '.repeat(bytes)}`);
  const length = JSON.stringify(readingAt(service, 0)).length;
  const fits = padded(0, bodyLimits.max_bytes - length);
  const body = Buffer.concat([
    Buffer.from(`[${' '.repeat(5000)}${fits},{"session_id":"`),
    Buffer.from([0xc3, 0x28]),
    Buffer.from(`"},${padded(0, bodyLimits.max_bytes - length + 1)}, ${JSON.stringify(readingAt(service, 1))}]`),
  ]);
  expect((await statusesOf(service, body)).map(([, status]) => status)).toEqual([200, 400, 413, 200]);
});

test.each([
  ['an object', '{"session_id":"s"}', 422, 'array_type'],
  ['a long object', `{"a":"${'x'.repeat(5000)}"}`, 422, 'array_type'],
  ['null', 'null', 422, 'array_type'],
  ['an encoded array', JSON.stringify('[{}]'), 422, 'encoded_twice'],
  ['encoded NDJSON', JSON.stringify('{"session_id":"s"}\n'.repeat(400)), 422, 'encoded_twice'],
  ['not JSON', 'heart_rate=80', 400, undefined],
  ['white space', ' \n ', 400, undefined],
  ['an empty array', '[ ]', 400, undefined],
  ['an array without its end', '[{"session_id":"s"}', 400, undefined],
  ['an array with an unfinished string', '[{"session_id":"s}]', 400, undefined],
  ['an array with the wrong end', '[1}', 400, undefined],
  ['an array and more', '[1],[2]', 400, undefined],
  ['a million brackets', '['.repeat(1_000_000), 400, undefined],
])('a body that is %s is rejected as a whole', async (_, body, status, code) => {
  const answer = await postArray(await startTestService(), body);
  expect([answer.status, answer.body.errors?.[0].code, answer.body.errors?.[0].pointer]).toEqual([
    status,
    code,
    code && '',
  ]);
});

test('1,000 readings are accepted, more are rejected as a whole and store nothing', async ({ service }) => {
  const { nowMs } = service.clock;
  const readings = Array.from({ length: limits.lines_max + 1 }, (_, index) => ({
    ...{ session_id: `m${index % 40}`, timestamp: new Date(nowMs - index).toISOString(), heart_rate: 80 },
  }));
  const { body } = await postArray(service, JSON.stringify(readings));
  expect(body).toMatchObject({ status: 422, errors: [{ code: 'too_many_items', pointer: '' }] });
  expect((await service.request('/v1/state?session_id=m1')).status).toBe(404);
  const results = await statusesOf(service, JSON.stringify(readings.slice(1)));
  expect(results.at(-1)).toEqual([limits.lines_max, 200]);
  expect(await postArray(service, `[${'1,'.repeat(500_000)}1]`)).toMatchObject({ status: 422 });
});

test('a body of more than 1 MB is rejected, and a body of 1 MB is read, also in chunks', async ({ service }) => {
  const text = `[${JSON.stringify(readingAt(service, 0))}`;
  const body = (bytes: number) => Buffer.from(`${text.padEnd(bytes - 1)}]`);
  expect((await postArray(service, body(limits.max_bytes + 1))).body).toMatchObject({ code: 'body_too_large' });
  expect(await statusesOf(service, body(limits.max_bytes))).toEqual([[1, 200]]);
  for (const [bytes, status] of [
    [limits.max_bytes, 200],
    [limits.max_bytes + 1, 413],
  ] as const) {
    const sent = body(bytes);
    const chunks = [sent.subarray(0, 7), sent.subarray(7, 500_000), sent.subarray(500_000)];
    expect((await sendRaw(service, { path: '/v1/ingest/batch', headers, chunks })).status).toBe(status);
  }
});

test('a line that is a JSON string gets an error that says how to send readings', async ({ service }) => {
  const lines = (count: number) => `${JSON.stringify(readingAt(service, 0))}\n`.repeat(count);
  const [short, plain, long] = await batchResults(service, [
    JSON.stringify(lines(1)),
    '"text"',
    JSON.stringify(lines(100)),
  ]);
  const how = 'as an array with Content-Type: application/json';
  expect(short).toMatchObject({ status: 422, error: { errors: [{ code: 'encoded_twice', pointer: '' }] } });
  expect(short?.error?.detail).toContain(how);
  expect(plain).toMatchObject({ status: 422, error: { errors: [{ code: 'object_type' }] } });
  expect(long).toMatchObject({ status: 413, error: { code: 'body_too_large' } });
  expect(long?.error?.detail).toContain(how);
});
