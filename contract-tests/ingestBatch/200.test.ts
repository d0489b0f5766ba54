import { batch as limits, validation } from '../../generated/spec.js';
import { batchResults, postBatch } from '../../testkit/batch.js';
import { client } from '../../testkit/service.js';
import { makeAccount } from '../../testkit/calls.js';
import { expect, test } from '../../testkit/test.js';

test('each line gets the response that a request of its own gets, in the order of the lines', async ({ service }) => {
  const { clock, ingest, read } = service;
  const one = { session_id: 'b1', timestamp: clock.at(), heart_rate: 88, tone: 'tense' };
  const other = { session_id: 'b2', timestamp: clock.at(), sentiment: -0.4 };
  const invalid = { ...one, heart_rate: 'fast', verbose: true };
  const results = await batchResults(service, [one, invalid, other, { ...one, timestamp: clock.at(1) }]);
  expect(results.map(({ line, status }) => [line, status])).toEqual([
    [1, 200],
    [2, 422],
    [3, 200],
    [4, 200],
  ]);
  const single = await ingest(invalid);
  const { request_id: _, ...expected } = single.body;
  expect(results[1]?.error).toMatchObject(expected);
  // Resent lines return the stored responses.
  expect(results[0]?.state).toEqual(await read({ ...one, tone: 'tense' }));
  expect(results[3]?.state?.adaptation_effectiveness?.previous_score).toBe(results[0]?.state?.stress_score);
});

test('the response counts the accepted and the rejected lines', async ({ service }) => {
  const line = { session_id: 'b1', timestamp: service.clock.at(), heart_rate: 88 };
  const { body } = await postBatch(service, [line, 'no JSON', { ...line, timestamp: service.clock.at(1) }]);
  expect(body).toMatchObject({ accepted: 2, rejected: 1 });
});

test('a resent batch returns the original results and changes nothing', async ({ service }) => {
  const { clock, request } = service;
  const line = (seconds: number) => ({ session_id: 'b1', timestamp: clock.at(-seconds), heart_rate: 70 + seconds });
  const lines = [line(5), line(3), line(3), line(1)];
  const first = await batchResults(service, lines);
  expect(await batchResults(service, lines)).toEqual(first);
  expect((await request('/v1/history?session_id=b1')).body.datapoints).toHaveLength(3);
});

test('more lines of a session than a transaction holds are applied in their order', async ({ service }) => {
  const { clock } = service;
  const lines = Array.from({ length: 400 }, (_, index) => ({
    session_id: index % 10 === 9 ? 'other' : 'long',
    timestamp: new Date(clock.nowMs - 100_000 + index * 200).toISOString(),
    heart_rate: 60 + (index % 50),
  }));
  const results = await batchResults(service, lines);
  expect(results.every(({ status }) => status === 200)).toBe(true);
  let previous: number | undefined;
  for (const { state } of results.filter(({ state }) => state?.session_id === 'long')) {
    expect(state?.adaptation_effectiveness?.previous_score).toBe(previous);
    previous = state?.stress_score;
  }
});

test('empty lines are skipped and counted in the line numbers', async ({ service }) => {
  const line = { session_id: 'b1', timestamp: service.clock.at(), heart_rate: 88 };
  const results = await batchResults(service, ['', `${JSON.stringify(line)}\r`, ' \t', 'x', '']);
  expect(results.map((it) => [it.line, it.status])).toEqual([
    [2, 200],
    [4, 400],
  ]);
});

test('a line of invalid UTF-8 or more than 4,096 bytes is rejected without the other lines', async ({ service }) => {
  const line = (seconds: number) => ({ session_id: 'b1', timestamp: service.clock.at(seconds), heart_rate: 88 });
  const body = Buffer.concat([
    Buffer.from(`${JSON.stringify(line(0))}\n{"session_id":"`),
    Buffer.from([0xc3, 0x28]),
    Buffer.from(`"}\n${JSON.stringify(line(1)).padEnd(4097)}\n${JSON.stringify(line(2)).padEnd(4096)}`),
  ]);
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const { body: answer } = await service.request('/v1/ingest/batch', { method: 'POST', headers, body });
  expect(answer.results.map((it: { status: number }) => it.status)).toEqual([200, 400, 413, 200]);
});

test('a line with very many errors reports the first ones', async ({ service }) => {
  const keys = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 1]));
  const [result] = await batchResults(service, [keys]);
  expect(result?.error?.errors).toHaveLength(validation.errors_max);
});

test('the maximum number of lines is accepted', async ({ service }) => {
  const lines = Array.from({ length: limits.lines_max }, (_, index) => ({
    session_id: `m${index % 40}`,
    timestamp: new Date(service.clock.nowMs - index).toISOString(),
    heart_rate: 80,
  }));
  const { status, body } = await postBatch(service, lines);
  expect([status, body.accepted, body.results.at(-1)?.line]).toEqual([200, limits.lines_max, limits.lines_max]);
});

test('sessions of the same name in two accounts stay separate', async ({ service }) => {
  const { key } = await makeAccount(service, 'other-batch', 'enterprise');
  const other = client(service.url, key, service.clock);
  const line = { session_id: 'shared-name', timestamp: service.clock.at(), heart_rate: 88 };
  await batchResults(service, [{ ...line, subject_id: 'anna' }]);
  const [result] = await batchResults(other, [{ ...line, subject_id: 'berta' }]);
  expect(result?.status).toBe(200);
  expect((await other.request('/v1/history?session_id=shared-name')).body.datapoints).toHaveLength(1);
});
