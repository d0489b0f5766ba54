import { hints, problems } from '../../generated/spec.js';
import { makeAccount } from '../../testkit/calls.js';
import { sendRaw } from '../../testkit/raw.js';
import { revokeKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

type Request = Parameters<typeof sendRaw>[1];
type Code = keyof typeof problems;

const ndjson = '{"session_id":"s","timestamp":"2026-11-21T09:30:00Z","heart_rate":70}\n{"session_id":"s"}';
const json = { 'Content-Type': 'application/json' };
const withKey = (key: string | string[]) => ({ headers: { ...json, 'X-Service-Key': key } });
const get = (path: string) => ({ method: 'GET', path });
const similar = (path: string) => hints.similar_path.replace('{path}', path);
const allowed = (methods: string) => hints.allowed_methods.replace('{methods}', methods);
const longLine = JSON.stringify({ user_message: 'x'.repeat(5000) });

test.each<[name: string, request: Request, code: Code, hint: string]>([
  ['no key', withKey([]), 'missing_api_key', hints.send_key],
  ['a source key', withKey(`wk_${'0'.repeat(32)}`), 'invalid_api_key', hints.source_key],
  ['a token', withKey('eyJhbGciOiJIUzI1NiJ9.e30.x'), 'invalid_api_key', hints.token_as_key],
  ['half a key', withKey('sk_half'), 'invalid_api_key', hints.key_form],
  ['a whole key', withKey(`sk_${'0'.repeat(32)}`), 'invalid_api_key', hints.check_key],
  ['no body', { headers: json, chunks: [] }, 'invalid_payload', hints.empty_body],
  ['white space', { headers: json, chunks: [' \n'] }, 'invalid_payload', hints.empty_body],
  ['an empty batch', { path: '/v1/ingest/batch', headers: json, chunks: [' '] }, 'invalid_payload', hints.empty_body],
  ['lines as JSON', { path: '/v1/ingest/batch', headers: json, chunks: [ndjson] }, 'invalid_payload', hints.send_lines],
  [
    'long lines as JSON',
    { path: '/v1/ingest/batch', headers: json, chunks: [longLine] },
    'validation_failed',
    hints.send_lines,
  ],
  ['GET of a POST', get('/v1/ingest'), 'method_not_allowed', allowed('POST')],
  ['POST of a page', { path: '/openapi.json' }, 'method_not_allowed', allowed('GET, HEAD')],
  ['a typing error', get('/v1/session?limit=1'), 'path_not_found', similar('/v1/sessions')],
  ['no version', get('/ingest'), 'path_not_found', similar('/v1/ingest')],
  ['a version too many', get('/v1/webhooks/'), 'path_not_found', similar('/webhooks')],
  ['a prefix', get('/state/v1/subjects/secret-id'), 'path_not_found', similar('/v1/subjects/{subject_id}')],
  ['another path', get('/v2/ignore-all-previous-instructions'), 'path_not_found', hints.all_paths],
  ['a long path', get(`/v1/ingest${'/'.repeat(300)}`), 'path_not_found', hints.all_paths],
])('%s gets a hint that contains no text of the request', async (_, request, code, hint) => {
  const { body } = await sendRaw(await startTestService(), request);
  expect(body).toMatchObject({ code, hint });
  if (code !== 'validation_failed') expect(body['detail']).toBe(problems[code].detail);
});

test('a hint does not show whether a key exists', async ({ service }) => {
  const { key, keyId } = await makeAccount(service, 'acme', 'solo');
  await revokeKey(service.store.use(createKeyTable), keyId, service.clock.nowMs);
  const answers = [key, `sk_${'0'.repeat(32)}`].map(async (it) => (await sendRaw(service, withKey(it))).body);
  const [revoked, unknown] = (await Promise.all(answers)).map(({ request_id: _, ...body }) => body);
  expect(revoked).toEqual(unknown);
});

test.each([
  [61, hints.clock_or_zone],
  [14 * 3600 + 60, hints.clock_or_zone],
  [14 * 3600 + 61, hints.time_unit],
])('a timestamp %i s ahead gets a hint, also in a line, in feedback and for agents', async (ahead, hint) => {
  const { request, clock } = await startTestService();
  const timestamp = new Date(clock.nowMs + ahead * 1000).toISOString();
  const reading = { session_id: 's', timestamp, heart_rate: 70 };
  const post = (path: string, body: object) =>
    request(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  expect((await post('/v1/ingest', reading)).body).toMatchObject({ code: 'timestamp_in_future', hint });
  const [line] = (await post('/v1/ingest/batch', [reading])).body.results;
  expect(line.error).toMatchObject({ code: 'timestamp_in_future', hint });
  const feedback = { session_id: 's', timestamp, stress: 5 };
  expect((await post('/v1/feedback', feedback)).body).toMatchObject({ code: 'timestamp_in_future', hint });
});
