import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { register, webhookOf } from '../../testkit/webhooks.js';

const events = ['state_change'] as const;

test('a registration returns the stored webhook and a secret of 32 random bytes', async ({ service }) => {
  const url = 'http://127.0.0.1:9999/hooks?tenant=a%20b';
  const webhook = await register(service, url, { session_id: 's-1' });
  expect(webhook).toEqual({
    id: expect.stringMatching(/^wh_[0-9a-f]{20}$/),
    url,
    events,
    session_id: 's-1',
    status: 'active',
    retry: 'standard',
    consecutive_failures: 0,
    secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/),
    created_at: service.clock.at(),
  });
  expect(Buffer.from(webhook.secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
});

test('a webhook without a session watches all sessions, and its response has no session_id', async () => {
  const webhook = await register(await startTestService(), 'http://127.0.0.1:9999');
  expect(webhook).not.toHaveProperty('session_id');
});

test('a webhook of a person shows its subject_id and no session_id, also for a person without data', async () => {
  const service = await startTestService();
  const webhook = await register(service, 'http://127.0.0.1:9999', { subject_id: 'anna' });
  expect(webhook).toMatchObject({ subject_id: 'anna', status: 'active' });
  expect(webhook).not.toHaveProperty('session_id');
  expect(await webhookOf(service, webhook.id)).toMatchObject({ subject_id: 'anna' });
  const rotated = await service.request(`/webhooks/${webhook.id}/rotate-secret`, { method: 'POST' });
  expect(rotated.body).toMatchObject({ subject_id: 'anna' });
});

test('ids and secrets of webhooks are unique', async ({ service }) => {
  const sessions = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const all = await Promise.all(sessions.map((session_id) => register(service, 'http://127.0.0.1:9', { session_id })));
  for (const pick of ['id', 'secret'] as const) expect(new Set(all.map((it) => it[pick])).size).toBe(20);
});

test.each([
  ['another path', 'https://192.0.1.1/b', {}],
  ['a trailing slash', 'https://192.0.1.1/a/', {}],
  ['another port', 'https://192.0.1.1:8443/a', {}],
  ['another query', 'https://192.0.1.1/a?b', {}],
  ['the port of another scheme', 'https://192.0.1.1:80/a', {}],
  ['a path in another case', 'https://192.0.1.1/A', {}],
  ['an encoded character of the path', 'https://192.0.1.1/%61', {}],
  ['a session', 'https://192.0.1.1/a', { session_id: 's1' }],
  ['a session that differs in case', 'https://192.0.1.1/A', { session_id: 'S1' }],
  ['a person', 'https://192.0.1.1/a', { subject_id: 'p1' }],
  ['a person that differs in case', 'https://192.0.1.1/A', { subject_id: 'P1' }],
  ['a person whose id is that of a session', 'https://192.0.1.1/A', { subject_id: 's1' }],
  ['a session whose id is that of a person', 'https://192.0.1.1/A', { session_id: 'p1' }],
])('a registration with %s creates another webhook', async (_name, url, rest) => {
  const service = await startTestService();
  await register(service, 'https://192.0.1.1/a');
  await register(service, 'https://192.0.1.1/A', { session_id: 's1' });
  await register(service, 'https://192.0.1.1/A', { subject_id: 'p1' });
  await register(service, url, rest);
});

test.each([
  ['an unresolvable name', 'https://hooks.unknown.example/state'],
  ['a non-ASCII name', 'https://bücher.unknown.example/zustand/ä'],
  ['a public address', 'https://8.8.8.8/'],
  ['a public IPv6 address', 'https://[2606:4700:4700::1111]:8443/'],
  ['a scheme in capitals', 'HTTPS://hooks.unknown.example'],
  ['a query with everything', 'https://hooks.unknown.example/?a=b&c=%23&d="'],
  ['1,024 characters', `https://8.8.8.8/${'x'.repeat(1024 - 'https://8.8.8.8/'.length)}`],
])('a url with %s is accepted and returned as written', async (_name, url) => {
  expect((await register(await startTestService(), url)).url).toBe(url);
});

test('an http url is accepted when the deployment allows http', async () => {
  const service = await startTestService({ env: { WEBHOOK_ALLOW_HTTP: '1' } });
  await register(service, 'http://8.8.8.8/hooks');
});
