import { oauth as settings } from '../../generated/spec.js';
import {
  type AuthorizationServer,
  createSigningKey,
  type OAuthService,
  startOAuthService,
} from '../../testkit/authorization-server.js';
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
  service.clock.advance(24 * hourSeconds);
  expect(await send(service)).toBe(200);
  service.clock.advance(hourSeconds);
  expect(await send(service)).toBe(503);
  expect((await service.request('/v1/sessions')).status).toBe(200);
  service.server.respond(undefined);
  service.clock.advance(settings.document_seconds);
  expect(await send(service)).toBe(200);
});

test('after an idle time, a withdrawn key is refused at once, and a request waits for keys that are an hour old only', async () => {
  const service = await startOAuthService();
  expect(await send(service)).toBe(200);
  const first = service.server.key();
  const withOld = async () => service.sign('anna', { key: first, header: { kid: 'first' } });
  await service.server.rotate('second');
  service.clock.advance(20 * hourSeconds);
  expect([await send(service, await withOld()), service.server.reads()]).toEqual([401, 2]);
  // Until the hour ends, no request waits, also not for a server that does not answer.
  service.server.respond(() => undefined);
  service.clock.advance(hourSeconds);
  expect(await send(service)).toBe(200);
  service.clock.advance(60);
  expect(await send(service)).toBe(200);
  expect(service.server.reads()).toBe(3);
});

test('a server that does not answer holds a request for a moment only, then the last keys serve', async () => {
  const service = await startOAuthService();
  expect(await send(service)).toBe(200);
  service.server.respond(() => undefined);
  service.clock.advance(2 * hourSeconds);
  expect(await send(service)).toBe(200);
  // Nobody waits again for a read in progress.
  expect(await Promise.all([send(service), send(service)])).toEqual([200, 200]);
  expect(service.server.reads()).toBe(2);
});

test('a new key under the same id is found at once, and forged signatures read the keys at most once a minute', async () => {
  const service = await startOAuthService();
  expect(await send(service)).toBe(200);
  const forged = { key: await createSigningKey('first') };
  service.clock.advance(60);
  await service.server.rotate('first');
  expect(await Promise.all([send(service), send(service)])).toEqual([200, 200]);
  for (let count = 0; count < 3; count += 1) expect(await send(service, await service.sign('anna', forged))).toBe(401);
  expect(service.server.reads()).toBe(2);
  service.clock.advance(60);
  for (let count = 0; count < 3; count += 1) expect(await send(service, await service.sign('anna', forged))).toBe(401);
  expect([service.server.reads(), await send(service)]).toEqual([3, 200]);
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
  for (const [seconds, reads] of [
    [settings.refetch_seconds - 1, 2],
    [1, 3],
  ] as const) {
    service.clock.advance(seconds);
    for (const kid of ['a', 'b', 'c'])
      expect(await send(service, await service.sign('anna', { header: { kid } }))).toBe(401);
    expect(service.server.reads()).toBe(reads);
  }
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
