import { createHmac } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { requireSecretsKeys } from '../../src/config/secrets-key.js';
import { definitions } from '../../src/contract/definitions.js';
import { revokeKey } from '../../src/keys/manage.js';
import { createSessionTokens } from '../../src/keys/session-token.js';
import { createKeyTable, type ListedKey } from '../../src/store/keys.js';
import { makeAccount } from '../../testkit/calls.js';
import { settingsFor } from '../../testkit/databases.js';
import { type RequestById, requestsById } from '../../testkit/documented-requests.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { textOf } from '../../testkit/text-of.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { until } from '../../testkit/until.js';

const requests = requestsById();
const accepting = new Set<string>(
  definitions.filter(({ acceptsToken }) => acceptsToken).map(({ operationId }) => operationId),
);

let service: TestService;
let secretsKey = '';
beforeAll(async () => {
  service = await startTestService();
  [secretsKey] = requireSecretsKeys(readConfig(settingsFor(service.database.url)));
  await service.read({ session_id: 's1', subject_id: '5f2b51ca2b4d1a7e', heart_rate: 80 });
});

/** Returns the whole response as text, without its request id and date. */
async function send(request: RequestById, id: string, headers: Record<string, string>): Promise<[number, string]> {
  const { path, init } = request.build(id, { timestamp: service.clock.at() });
  const sent = { ...(init.headers as Record<string, string>), ...headers };
  const response = await fetch(service.url + path, { ...init, headers: sent });
  const requestId = response.headers.get('x-request-id') ?? '';
  const lines = [...response.headers].filter(([name]) => name !== 'date').map((it) => it.join(': '));
  return [response.status, [...lines, (await textOf(response)).text].join('\n').replaceAll(requestId, '{request}')];
}

/** Returns a response to an invalid token. All other responses to invalid tokens must be identical. */
const invalid = async (request: RequestById) => (await send(request, 's1', bearer('made.up.token')))[1];

/** Without batches, whose lines have a result each: see ingestBatch/tokens.test.ts. */
const own = requests.filter(
  ({ operationId, idName }) => accepting.has(operationId) && idName === 'session_id' && operationId !== 'ingestBatch',
);
const others = requests.filter(({ operationId }) => !accepting.has(operationId));

test('exactly ingest, feedback, state, history, export and the stream accept a token', () => {
  const reads = ['exportReadings', 'getHistory', 'getState'];
  expect([...accepting].sort()).toEqual([...reads, 'ingest', 'ingestBatch', 'streamEvents', 'submitFeedback']);
});

test.each(own.map((it) => [it.title, it] as const))('%s: accepts a token of the session', async (_, request) => {
  const scopes = request.operationId === 'submitFeedback' ? { scopes: ['feedback' as const] } : {};
  const [status] = await send(request, 's1', bearer(await issueToken(service, scopes)));
  expect(status).toBe(200);
});

test.each(others.map((it) => [it.title, it] as const))('%s: rejects a token with 401', async (_, request) => {
  const [status, answer] = await send(request, 's1', bearer(await issueToken(service)));
  expect([status, answer]).toEqual([401, await invalid(request)]);
});

test('an unknown path rejects a token with 401', async () => {
  const { status } = await service.request('/v1/nothing', { headers: bearer(await issueToken(service)) });
  expect(status).toBe(401);
});

/** Tokens that are not valid for the session `s1`, by reason. */
const rejected: Readonly<Record<string, (operationId: string) => Promise<string>>> = {
  'another session': () => issueToken(service, { session_id: 's2' }),
  'a session with another case': () => issueToken(service, { session_id: 'S1' }),
  'another scope': (operationId) => issueToken(service, { scopes: [operationId === 'ingest' ? 'read' : 'ingest'] }),
  'an expired token': async () => {
    const token = await issueToken(service, { expires_in: 1 });
    service.clock.advance(2);
    return token;
  },
  'an altered claim': async () => alter(await issueToken(service, { session_id: 's2' }), 1, '"s2"', '"s1"'),
  'the algorithm none': async () => {
    const [, claims] = (await issueToken(service)).split('.');
    return `${encode('{"alg":"none","typ":"session+jwt"}')}.${claims}.`;
  },
  'the algorithm none with a signature': async () => alter(await issueToken(service), 0, 'HS256', 'none'),
  'another algorithm with the same key': async () => {
    const [, claims] = (await issueToken(service)).split('.');
    const text = `${encode('{"alg":"HS512","typ":"session+jwt"}')}.${claims}`;
    return `${text}.${createHmac('sha512', secretsKey).update(text).digest('base64url')}`;
  },
  'an old SECRETS_KEY': async () =>
    createSessionTokens(['the key before its replacement, 32 chars']).sign(
      await claims(),
      service.clock.nowMs + 60_000,
    ),
  'an unknown key id': async () =>
    createSessionTokens([secretsKey]).sign({ ...(await claims()), keyId: 'key_0' }, service.clock.nowMs + 60_000),
};

async function claims() {
  const { accountId, keyId } = (await service.store.use(createKeyTable).list())[0] as ListedKey;
  return { accountId, keyId, sessionId: 's1', issuedAtMs: service.clock.nowMs, scopes: ['ingest', 'read'] as const };
}

const encode = (text: string) => Buffer.from(text).toString('base64url');

/** Returns the token with a text replaced in one of its parts. */
function alter(token: string, index: number, from: string, to: string): string {
  const parts = token.split('.');
  parts[index] = encode(
    Buffer.from(parts[index] ?? '', 'base64url')
      .toString()
      .replace(from, to),
  );
  return parts.join('.');
}

test.each(Object.entries(rejected))('%s gets a 401 with the body of an invalid token', async (_, make) => {
  for (const request of own) {
    const [status, answer] = await send(request, 's1', bearer(await make(request.operationId)));
    expect([request.title, status, answer]).toEqual([request.title, 401, await invalid(request)]);
  }
});

test('a reading of another person gets a 401 with the bytes of an invalid token', async () => {
  const [ingest] = own.filter(({ operationId }) => operationId === 'ingest') as [RequestById];
  expect(JSON.parse(String(ingest.build('fresh', {}).init.body))).toHaveProperty('subject_id', '5f2b51ca2b4d1a7e');
  const token = await issueToken(service, { session_id: 'fresh', subject_id: 'another' });
  expect(await send(ingest, 'fresh', bearer(token))).toEqual([401, await invalid(ingest)]);
});

test('the MCP endpoint accepts no token', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const { status, body } = await service.post('/mcp', call, bearer(await issueToken(service)));
  expect([status, body.code]).toEqual([401, 'invalid_token']);
});

test("another account's token reads its own session of the same name", async () => {
  const stranger = await startTestService();
  const headers = bearer(await issueToken(stranger));
  expect((await service.request('/v1/state?session_id=s1', { headers })).body.code).toBe('session_not_found');
});

test.each(['revoked', 'expired'])('the tokens of a %s key are invalid', async (how) => {
  const { store, clock } = service;
  const expiresAtMs = clock.nowMs + 5_000;
  const { key, keyId } = await makeAccount(service, `ends-${how}`, 'solo', { expiresAtMs });
  const token = await issueToken(client(service.url, key, clock), { scopes: ['read'] });
  const status = async () => (await service.request('/v1/state?session_id=s1', { headers: bearer(token) })).status;
  expect(await status()).toBe(404);
  if (how === 'revoked') await revokeKey(store.use(createKeyTable), keyId, clock.nowMs);
  else clock.advance(6);
  await until('the token is invalid', async () => (await status()) === 401);
});

test('the log contains the reason why a token is invalid, but never the token', async () => {
  const token = await issueToken(service, { session_id: 's2' });
  await service.request('/v1/state?session_id=s1', { headers: bearer(token) });
  expect(service.logs.join('')).toContain('not valid for this session');
  for (const make of [rejected['an expired token'], rejected['an altered claim']]) {
    await service.request('/v1/state?session_id=s1', { headers: bearer((await make?.('getState')) ?? '') });
    const { token_refusal, code } = JSON.parse(service.logs.at(-1) ?? '');
    expect(code).toBe('invalid_token');
    expect(token_refusal).toMatch(/"exp"|signature/);
  }
  expect(service.logs.join('')).not.toContain(token.split('.')[2]);
});

test('invalid tokens count towards the limit of failed authentications', async () => {
  const limited = await startTestService({ env: { LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE: '1' } });
  const statusWith = async (token: string) =>
    (await limited.request('/v1/state?session_id=s1', { headers: bearer(token) })).status;
  const foreign = await issueToken(limited, { session_id: 's2' });
  expect([await statusWith('a.b.c'), await statusWith('a.b.c'), await statusWith(foreign)]).toEqual([401, 429, 429]);
});
