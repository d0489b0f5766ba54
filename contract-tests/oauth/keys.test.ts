import { type AuthorizationServer, type OAuthService, startOAuthService } from '../../testkit/authorization-server.js';
import { bearer } from '../../testkit/tokens.js';
import { expect, test } from '../../testkit/test.js';

async function send(service: OAuthService, token?: string): Promise<number> {
  const headers = bearer(token ?? (await service.sign('anna')));
  return (await service.request('/v1/sessions', { headers })).status;
}

const hourSeconds = 3_600;
type Respond = Parameters<AuthorizationServer['respond']>[0];
const fail: Respond = (response) => response.writeHead(500).end();

test('the last keys serve a day of an outage, then tokens get a 503 and keys of the service still work', async () => {
  const service = await startOAuthService();
  expect(await send(service)).toBe(200);
  service.server.respond(fail);
  service.clock.advance(24 * hourSeconds - 1);
  expect(await send(service)).toBe(200);
  service.clock.advance(hourSeconds);
  expect(await send(service)).toBe(503);
  expect((await service.request('/v1/sessions')).status).toBe(200);
  service.server.respond(undefined);
  service.clock.advance(60);
  expect(await send(service)).toBe(200);
});

test('a new key is found at once, and unknown keys read the keys at most once a minute', async () => {
  const service = await startOAuthService();
  expect(await send(service)).toBe(200);
  const old = await service.sign('anna');
  service.clock.advance(60);
  await service.server.rotate('second');
  expect([await send(service), service.server.reads()]).toEqual([200, 2]);
  // The old key is no longer published.
  expect(await send(service, old)).toBe(401);
  for (const kid of ['a', 'b', 'c'])
    expect(await send(service, await service.sign('anna', { header: { kid } }))).toBe(401);
  expect(service.server.reads()).toBe(2);
  service.clock.advance(60);
  for (const kid of ['a', 'b', 'c'])
    expect(await send(service, await service.sign('anna', { header: { kid } }))).toBe(401);
  expect(service.server.reads()).toBe(3);
});

const key = JSON.stringify({ kty: 'RSA', n: 'x'.repeat(400), e: 'AQAB' });

test.each<[string, Respond, RegExp]>([
  ['a redirect', (response) => response.writeHead(302, { Location: '/elsewhere' }).end(), /status 302/],
  [
    'more than 1 MB',
    (response) => response.end(`{"keys":[${Array(3_000).fill(key).join()}]}`),
    /more than 1048576 bytes/,
  ],
  ['no end', (response) => void response.write('{"keys":['), /timeout|aborted/],
  ['no keys', (response) => response.end('{}'), /JSON Web Key Set malformed/],
  ['no JSON', (response) => response.end('<html>'), /JSON/],
  ['a list', (response) => response.end('[]'), /no JSON object/],
  ['nothing', (response) => response.end('null'), /no JSON object/],
])('keys with %s are not used', async (_, respond, reason) => {
  const service = await startOAuthService();
  service.server.respond(respond);
  expect(await send(service)).toBe(503);
  const { err } = service.logs.map((it) => JSON.parse(it)).find((it) => it.msg.startsWith('keys of the authorization'));
  expect(err.message).toMatch(reason);
});
