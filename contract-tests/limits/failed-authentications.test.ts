import { expect, test } from 'vitest';
import { limits } from '../../generated/spec.js';
import { createFailureLimit, toNetwork } from '../../src/limits/failure-limit.js';
import { startTestService } from '../../testkit/service.js';

const { policy, window_seconds } = limits.failed_authentications;
const wrong = { 'X-Service-Key': `sk_${'0'.repeat(32)}` };
const start = (quota: number, env: Record<string, string> = {}) =>
  startTestService({ env: { LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE: String(quota), ...env } });

test('failed authentications over the quota get a 429 until the window ends, and a valid key still works', async () => {
  const { request, clock, logs } = await start(2, { METRICS_PORT: '0' });
  const fail = () => request('/v1/state?session_id=none', { headers: wrong });
  const statusWithKey = async () => (await request('/v1/state?session_id=none')).status;
  expect([(await fail()).status, (await fail()).status]).toEqual([401, 401]);
  const refused = await fail();
  expect(refused).toMatchObject({
    status: 429,
    body: { detail: 'Rate limit exceeded', code: 'rate_limit_exceeded', violated_policies: [policy] },
  });
  expect(refused.headers.get('retry-after')).toBe(String(window_seconds));
  expect(refused.headers.get('ratelimit-policy')).toBe(`"${policy}";q=2;w=${window_seconds}`);
  expect(await statusWithKey()).toBe(404);
  expect((await request('/webhooks', { headers: { 'X-Service-Key': '' } })).status).toBe(429);
  clock.advance(window_seconds);
  expect((await fail()).status).toBe(401);
  expect(logs.join('')).not.toContain(wrong['X-Service-Key']);
});

test('a quota of 0 disables the limit of failed authentications', async () => {
  const { request } = await start(0);
  for (let sent = 0; sent < limits.failed_authentications.quota + 1; sent += 1)
    expect((await request('/v1/state', { headers: wrong })).status).toBe(401);
});

test('X-Forwarded-For from a client is ignored', async () => {
  const { request } = await start(1);
  const statuses = [];
  for (const address of ['203.0.113.1', '203.0.113.2'])
    statuses.push((await request('/v1/state', { headers: { ...wrong, 'X-Forwarded-For': address } })).status);
  expect(statuses).toEqual([401, 429]);
});

test.each(['1', '127.0.0.0/8', '127.0.0.1,::1'])(
  'behind trusted proxies (%s), clients are counted separately',
  async (proxy) => {
    const { request } = await start(1, { TRUST_PROXY: proxy });
    const statusFrom = async (chain: string) =>
      (await request('/v1/state', { headers: { ...wrong, 'X-Forwarded-For': chain } })).status;
    expect(await statusFrom('203.0.113.1')).toBe(401);
    expect(await statusFrom('203.0.113.2')).toBe(401);
    expect(await statusFrom('203.0.113.1')).toBe(429);
    // Only the last proxy is trusted, so addresses that the client wrote before it are ignored.
    expect(await statusFrom('198.51.100.7, 203.0.113.1')).toBe(429);
    for (const status of [401, 429]) expect(await statusFrom('not an address')).toBe(status);
  },
);

test.each([
  ['203.0.113.1', '::ffff:203.0.113.1'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['fe80::1%eth0', 'fe80::2%eth1'],
])('failed authentications from %s and %s are counted together', (one, other) => {
  expect(toNetwork(one)).toBe(toNetwork(other));
});

test.each([
  ['203.0.113.1', '203.0.113.2'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
])('failed authentications from %s and %s are counted separately', (one, other) => {
  expect(toNetwork(one)).not.toBe(toNetwork(other));
});

test('fifty thousand addresses are counted in bounded memory', () => {
  const count = createFailureLimit(10, () => 0);
  for (let index = 0; index < 50_000; index += 1) count(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
  // The oldest address was dropped, the newest was not.
  expect([count('10.0.0.0')?.remaining, count(`10.0.${49_999 >> 8}.${49_999 & 255}`)?.remaining]).toEqual([9, 8]);
});
