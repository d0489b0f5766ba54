import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

const session = 'session_id=s1';
/** The requests of the 13 commands of nefesh-cli 1.2.0, as its public source describes them. */
const commands: ReadonlyArray<{ command: string; method?: string; path: string; signals?: object }> = [
  { command: 'ingest', path: '/v1/ingest', signals: { heart_rate: 72, tone: 'calm' } },
  { command: 'ingest --subject', path: '/v1/ingest', signals: { rmssd: 42, sdnn: 48, subject_id: 'anna' } },
  {
    command: 'ingest --device',
    path: '/v1/ingest',
    signals: { sentiment: -0.4, urgency: 'high', source_device: 'watch' },
  },
  ...[
    ['calm', { heart_rate: 62, rmssd: 60, tone: 'calm', sentiment: 0.55 }],
    ['relaxed', { heart_rate: 68, rmssd: 50, tone: 'calm', sentiment: 0.35 }],
    ['focused', { heart_rate: 75, rmssd: 35, tone: 'focused', sentiment: 0.1 }],
    ['stressed', { heart_rate: 92, rmssd: 20, tone: 'tense', sentiment: -0.3 }],
    ['acute_stress', { heart_rate: 112, rmssd: 14, tone: 'hostile', sentiment: -0.7 }],
  ].map(([name, signals]) => ({ command: `simulate ${String(name)}`, path: '/v1/ingest', signals: signals as object })),
  { command: 'state', path: `/v1/state?${session}` },
  { command: 'history', path: `/v1/history?${session}&minutes=5` },
  { command: 'history --minutes', path: `/v1/history?${session}&minutes=60` },
  { command: 'triggers', path: '/v1/triggers?subject_id=anna' },
  { command: 'delete', method: 'DELETE', path: '/v1/subjects/anna' },
];

test('each command of the original command-line tool works with the base URL alone', async () => {
  const { request, clock, key } = await startTestService();
  const headers = { 'X-Service-Key': '', 'X-Nefesh-Key': key, 'X-Nefesh-SDK': 'cli/1.0.0' };
  const answers = [];
  for (const { command, method, path, signals } of commands) {
    clock.advance(1);
    const body = signals && JSON.stringify({ session_id: 's1', timestamp: clock.at(), ...signals });
    const init = { headers: { ...headers, 'Content-Type': 'application/json' }, ...(body && { method: 'POST', body }) };
    const { status } = await request(path, { ...init, ...(method && { method }) });
    answers.push([command, status]);
  }
  expect(answers).toEqual(commands.map(({ command }) => [command, 200]));
});

test('the key counts in each header of KEY_HEADERS, and no other; two different keys are a 401', async () => {
  const { request, key, logs } = await startTestService({ env: { KEY_HEADERS: 'X-Nefesh-Key, x-api-key' } });
  const send = async (headers: Record<string, string>) => {
    const { status, body } = await request('/webhooks', { headers: { 'X-Service-Key': '', ...headers } });
    return [status, body.code];
  };
  const [other, bearer] = [`sk_${'0'.repeat(32)}`, { Authorization: `Bearer sk_${'1'.repeat(32)}` }];
  const refused = [401, 'invalid_api_key'];
  expect(await send({ 'x-nefesh-key': key })).toEqual([200, undefined]);
  expect(await send({ 'X-API-Key': key, 'X-Nefesh-Key': key, 'X-Service-Key': key })).toEqual([200, undefined]);
  expect(await send({ 'X-Key': key })).toEqual([401, 'missing_api_key']);
  expect(await send({ 'X-API-Key': other })).toEqual(refused);
  expect(await send({ 'X-API-Key': other, 'X-Nefesh-Key': key })).toEqual(refused);
  expect(await send({ 'X-API-Key': key, 'X-Service-Key': other })).toEqual(refused);
  expect(await send({ 'X-API-Key': key, ...bearer })).toEqual([200, undefined]);
  expect(logs.join('')).not.toContain(key);
});

test('a source key, and an agent at /mcp, may use such a header', async () => {
  const { url, post, key } = await startTestService();
  const { body: made } = await post('/v1/source-keys', { subject_id: 'anna', source: 'generic' });
  const named = (value: string) => ({ 'X-Service-Key': '', 'X-Nefesh-Key': value });
  expect((await post('/v1/sources/generic', { heart_rate: 72 }, named(made.key))).status).toBe(200);
  expect((await post('/v1/sources/generic?key=srk_1', { heart_rate: 72 }, named(made.key))).body.code).toBe(
    'several_credentials',
  );
  const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const accept = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
  const init = { method: 'POST', body: JSON.stringify(ping) };
  expect((await fetch(`${url}/mcp`, { ...init, headers: { ...accept, ...named(key) } })).status).toBe(200);
});
