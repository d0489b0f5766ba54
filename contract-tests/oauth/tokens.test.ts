import { type CryptoKey, exportSPKI, importJWK } from 'jose';
import { oauth as settings } from '../../generated/spec.js';
import { allScopes } from '../../src/keys/scopes.js';
import { bearer } from '../../testkit/tokens.js';
import {
  createSigningKey,
  type Forged,
  type OAuthService,
  startOAuthService,
} from '../../testkit/authorization-server.js';
import { buildRequest, operations } from '../../testkit/documented-requests.js';
import { openStream } from '../../testkit/event-source.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const metadataUrl = 'https://state.example.com/.well-known/oauth-protected-resource/mcp';
const initialize = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
};

/** Sends a request to `/mcp`, which the contract does not define. */
async function callAgent({ url }: OAuthService, token?: string, body = initialize.body) {
  const headers = { ...initialize.headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(`${url}/mcp`, { ...initialize, headers, body });
  return { status: response.status, challenge: response.headers.get('www-authenticate'), text: await response.text() };
}

const read = (service: OAuthService, token: string) => service.request('/v1/sessions', { headers: bearer(token) });

test('an access token works at /mcp and /v1, and a request without one gets the metadata of the resource', async () => {
  const service = await startOAuthService();
  const token = await service.sign('anna');
  expect(await callAgent(service, token)).toMatchObject({
    status: 200,
    text: expect.stringContaining('get_human_state'),
  });
  expect((await read(service, token)).status).toBe(200);
  const { status, challenge } = await callAgent(service);
  expect([status, challenge]).toEqual([
    401,
    `Bearer realm="realtime-state-service", resource_metadata="${metadataUrl}", scope="feedback ingest read"`,
  ]);
  expect((await callAgent(service, 'x.y.z')).challenge).toContain(
    `resource_metadata="${metadataUrl}", error="invalid_token"`,
  );
  // Keys and session tokens are verified as before.
  expect((await callAgent(service, service.key)).status).toBe(200);
  expect((await service.request('/v1/sessions')).status).toBe(200);
});

test('other forms of aud and of scopes are accepted as configured', async () => {
  const service = await startOAuthService({ env: { OAUTH_AUDIENCE: 'other, 8d2c-guid' } });
  for (const claims of [
    { aud: '8d2c-guid' },
    { aud: ['someone', 'other'] },
    { scope: undefined, scp: 'read' },
    { scope: undefined, scp: ['openid', 'read'] },
  ])
    expect([claims, (await read(service, await service.sign('anna', { claims }))).status]).toEqual([claims, 200]);
});

/** What a forged or unsuitable token has, and the reason in the log. */
const refused: Readonly<Record<string, (service: OAuthService) => Promise<[Forged | string, RegExp]>>> = {
  'no algorithm': async (service) => {
    const [, payload] = (await service.sign('anna')).split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'none', kid: 'first' })).toString('base64url');
    return [`${header}.${payload}.`, /signature|alg|Unsupported/i];
  },
  'HS256 with the public key as secret': async ({ server }) => {
    const publicKey = (await importJWK(server.key().jwk, 'ES256', { extractable: true })) as CryptoKey;
    const privateKey = new TextEncoder().encode(await exportSPKI(publicKey));
    return [{ header: { alg: 'HS256' }, key: { privateKey } }, /"alg"/];
  },
  'another key under the known kid': async () => [{ key: await createSigningKey('first') }, /signature/],
  'an unknown kid': async () => [{ header: { kid: 'nobody' } }, /no applicable key/],
  'another issuer': async () => [{ claims: { iss: 'https://other.example.com' } }, /"iss"/],
  'a slash at the end of the issuer': async ({ server }) => [{ claims: { iss: `${server.issuer}/` } }, /"iss"/],
  'another audience': async () => [{ claims: { aud: 'https://state.example.com' } }, /"aud"/],
  'no audience': async () => [{ claims: { aud: undefined } }, /"aud"/],
  'an end in the past': async ({ clock }) => [{ claims: { exp: clock.nowMs / 1000 } }, /expired/],
  'no end': async () => [{ claims: { exp: undefined } }, /"exp"/],
  'no start': async () => [{ claims: { iat: undefined } }, /"iat"/],
  'a start in the future': async ({ clock }) => [{ claims: { iat: clock.nowMs / 1000 + 60 } }, /iat/],
  'a validity in the future': async ({ clock }) => [{ claims: { nbf: clock.nowMs / 1000 + 60 } }, /"nbf"/],
  'a life of more than a day': async ({ clock }) => [{ claims: { exp: clock.nowMs / 1000 + 90_000 } }, /life/],
  'the type of another use': async () => [{ header: { typ: 'logout+jwt' } }, /type/],
  'a key of its client': async () => [{ claims: { cnf: { jkt: 'x' } } }, /cnf/],
  'an unknown account': async () => [{ claims: { account: 'nobody' } }, /account/],
  'no account': async () => [{ claims: { account: undefined } }, /account/],
  'no person': async () => [{ claims: { sub: undefined, email: 'anna@example.com' } }, /sub/],
  'a person that is no text': async () => [{ claims: { sub: ['anna'] } }, /sub/],
  'a person of more than 512 characters': async () => [{ claims: { sub: 'x'.repeat(513) } }, /sub/],
};

test('a token that does not fulfill every rule gets the same 401, and the log has the reason', async () => {
  const service = await startOAuthService();
  for (const [title, build] of Object.entries(refused)) {
    const [forged, reason] = await build(service);
    const token = typeof forged === 'string' ? forged : await service.sign('anna', forged);
    const { status, headers, body } = await read(service, token);
    expect([title, status, body.code]).toEqual([title, 401, 'invalid_token']);
    expect([title, headers.get('www-authenticate')]).toEqual([
      title,
      'ApiKey realm="realtime-state-service", Bearer realm="realtime-state-service", error="invalid_token"',
    ]);
    const line = service.logs.map((it) => JSON.parse(it)).findLast((it) => it.msg === 'request');
    expect([title, line.token_refusal]).toEqual([title, expect.stringMatching(reason)]);
    expect(service.logs.join('')).not.toContain(token);
  }
});

test('without OAUTH_ISSUER, no access token is accepted and no document of OAuth exists', async ({ service }) => {
  const { sign } = await startOAuthService();
  const { status, headers } = await service.request('/v1/sessions', { headers: bearer(await sign('anna')) });
  expect([status, headers.get('www-authenticate')]).toEqual([
    401,
    'ApiKey realm="realtime-state-service", Bearer realm="realtime-state-service"',
  ]);
  expect((await fetch(new URL('/.well-known/oauth-protected-resource', service.url))).status).toBe(404);
});

test('a token has the rights that it names, and some rights never', async () => {
  const service = await startOAuthService({ env: { OAUTH_WHOLE_ACCOUNT: '1' } });
  const everything = await service.sign('anna', { claims: { scope: allScopes.join(' ') } });
  const nothing = await service.sign('anna', { claims: { scope: 'openid READ' } });
  for (const { scope, ...operation } of operations.filter((it) => it.scope !== undefined)) {
    const isNever = (settings.never_scopes as readonly string[]).includes(scope ?? '');
    const { path, init } = buildRequest({ scope, ...operation });
    for (const token of isNever ? [everything, nothing] : [nothing]) {
      const { status, headers } = await service.request(path, {
        ...init,
        headers: { ...init.headers, ...bearer(token) },
      });
      expect([path, status, headers.get('www-authenticate')]).toEqual([
        path,
        403,
        `Bearer realm="realtime-state-service", error="insufficient_scope", scope="${scope}"`,
      ]);
    }
  }
  expect(await callAgent(service, nothing)).toMatchObject({
    status: 403,
    challenge: expect.stringContaining(`resource_metadata="${metadataUrl}", error="insufficient_scope"`),
  });
});

test('a call of a tool without its scope gets a challenge, with which the agent asks the person for the scope', async () => {
  const service = await startOAuthService();
  const reader = await service.sign('anna', { claims: { scope: 'read' } });
  const call = (name: string, token: string) => {
    const params = { name, arguments: { session_id: 's1', heart_rate: 70 } };
    return callAgent(service, token, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  };
  expect(await call('ingest', reader)).toMatchObject({
    status: 403,
    challenge: expect.stringContaining('error="insufficient_scope", scope="feedback ingest read"'),
  });
  expect((await call('get_human_state', reader)).status).toBe(200);
  expect((await call('ingest', await service.sign('anna'))).status).toBe(200);
  expect((await call('no_tool', reader)).status).toBe(200);
  expect((await callAgent(service, reader, '{"method":"tools/call"}')).status).toBe(400);
});

test('the metadata and the challenge name scopes as the authorization server expects them', async () => {
  const service = await startOAuthService({ env: { OAUTH_SCOPE_PREFIX: 'https://state.example.com/mcp/' } });
  const scopes = ['feedback', 'ingest', 'read'].map((it) => `https://state.example.com/mcp/${it}`);
  const metadata = await fetch(`${service.url}/.well-known/oauth-protected-resource`);
  expect(await metadata.json()).toMatchObject({ scopes_supported: scopes });
  expect((await callAgent(service)).challenge).toContain(`scope="${scopes.join(' ')}"`);
  // Entra ID writes only the names into its tokens.
  expect((await read(service, await service.sign('anna'))).status).toBe(200);
});

test('a refusal that is not about the token has no challenge', async () => {
  const service = await startOAuthService();
  const headers = bearer(await service.sign('anna'));
  for (const [path, status] of [
    ['/v1/state?session_id=none', 404],
    ['/v1/sessions?limit=0', 422],
  ] as const) {
    const refused = await service.request(path, { headers });
    expect([path, refused.status, refused.headers.get('www-authenticate')]).toEqual([path, status, null]);
  }
});

test('a stream ends with its token', async () => {
  const service = await startOAuthService();
  const stream = await openStream(service, {}, bearer(await service.sign('anna')));
  const lasting = await openStream(service);
  service.clock.advance(3_600);
  await until('the stream ends', async () => stream.isEnded());
  expect(lasting.isEnded()).toBe(false);
});

test('a service does not start for an account that does not exist', async () => {
  const env = { PUBLIC_URL: 'https://state.example.com', OAUTH_ISSUER: 'https://id.example.com' };
  await expect(
    startTestService({ env: { ...env, OAUTH_ACCOUNT: 'absent', OAUTH_SUBJECT_CLAIM: 'sub' } }),
  ).rejects.toThrow('OAUTH_ACCOUNT: there is no account "absent": create it with `');
});
