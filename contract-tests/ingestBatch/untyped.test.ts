import { request } from 'undici';
import { ndjson } from '../../testkit/batch.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

/** Sends a body with no header but the given ones. Unlike fetch, this client adds no `Content-Type`. */
async function send({ url, key }: TestService, body: string, headers: Record<string, string> = {}) {
  const sent = { 'X-Service-Key': key, ...headers };
  const answer = await request(`${url}/v1/ingest/batch`, { method: 'POST', headers: sent, body });
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
}

/** The type that fetch adds to a text, as in the client that orval generates. */
const added = 'text/plain;charset=UTF-8';

test.each([{}, { 'Content-Type': '' }, { 'Content-Type': added }])(
  'a batch with the headers %j is read as an array or as lines',
  async (headers) => {
    const service = await startTestService();
    const readings = [0, 1].map((seconds) => ({
      ...{ session_id: 'untyped', timestamp: service.clock.at(seconds), heart_rate: 80 + seconds },
    }));
    for (const body of [JSON.stringify(readings), ` \n${JSON.stringify(readings, null, 2)}`, ndjson(readings)]) {
      const answer = await send(service, body, headers);
      expect(answer).toMatchObject({ status: 200, body: { accepted: 2, rejected: 0 } });
    }
    expect((await service.request('/v1/history?session_id=untyped')).body.datapoints).toHaveLength(2);
    const mixed = await send(service, `${JSON.stringify(readings[0])}\n{"session_id":`, headers);
    expect(mixed.body).toMatchObject({ accepted: 1, rejected: 1, results: [{ line: 1 }, { line: 2, status: 400 }] });
  },
);

test('a generated client that sends the text of an array with fetch stores the readings', async ({ service }) => {
  const reading = { session_id: 'orval', timestamp: service.clock.at(), heart_rate: 80 };
  const headers = { 'X-Service-Key': service.key };
  const answer = await fetch(`${service.url}/v1/ingest/batch`, {
    method: 'POST',
    headers,
    body: JSON.stringify([reading]),
  });
  expect(await answer.json()).toMatchObject({ accepted: 1, rejected: 0 });
});

test.each([
  ['a=b', 415, 'unsupported_media_type'],
  ['session_id,heart_rate\ns1,80', 415, 'unsupported_media_type'],
  ['null', 415, 'unsupported_media_type'],
  ['[{"session_id":', 400, 'invalid_payload'],
  [JSON.stringify('[{}]'), 422, 'validation_failed'],
  ['', 400, 'invalid_payload'],
  [' \n', 415, 'unsupported_media_type'],
])('the body %j without a Content-Type is rejected', async (body, status, code) => {
  const service = await startTestService();
  for (const headers of [{}, { 'Content-Type': added }])
    expect(await send(service, body, headers as Record<string, string>)).toMatchObject({ status, body: { code } });
});

test.each(['text/plain;charset=latin1', 'text/csv', 'application/x-www-form-urlencoded', 'text/plain2'])(
  'a batch of the type %s is rejected',
  async (type) => {
    const service = await startTestService();
    const answer = await send(service, '[]', { 'Content-Type': type });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(answer.body['detail']).toContain(`received ${type}. Send Content-Type: application/json or`);
  },
);

test('a compressed batch without a Content-Type is rejected, and so is one above the limit', async ({ service }) => {
  expect(await send(service, '[]', { 'Content-Encoding': 'gzip' })).toMatchObject({ status: 415 });
  expect(await send(service, `[${' '.repeat(1_100_000)}]`)).toMatchObject({ status: 413 });
});

test('a single reading requires its Content-Type', async ({ service: { url, key, clock } }) => {
  const body = JSON.stringify({ session_id: 's1', timestamp: clock.at(), heart_rate: 80 });
  for (const type of [{}, { 'Content-Type': added }]) {
    const headers = { 'X-Service-Key': key, ...type } as Record<string, string>;
    const answer = await request(`${url}/v1/ingest`, { method: 'POST', headers, body });
    expect([answer.statusCode, await answer.body.json()]).toMatchObject([415, { code: 'unsupported_media_type' }]);
  }
});
