import { openRequest } from '../../testkit/open-request.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const origin = 'https://app.example.com';

test('every response forbids caching and framing, and does not reveal the server software', async ({ service }) => {
  for (const path of ['/healthz', '/v1/state?session_id=nobody', '/nowhere']) {
    const { headers } = await service.request(path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    for (const name of ['x-powered-by', 'server', 'etag', 'access-control-allow-origin'])
      expect(headers.get(name)).toBeNull();
  }
});

test('pages from an origin that is not configured get no CORS headers', async ({ service }) => {
  const { headers, status } = await service.request('/healthz', { headers: { Origin: origin } });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null]);
});

test('pages from a configured origin may call the API, pages from other origins may not', async () => {
  const { url } = await startTestService({ env: { CORS_ORIGINS: `${origin}, https://other.example.com` } });
  const preflight = (from: string) =>
    fetch(`${url}/v1/ingest`, {
      method: 'OPTIONS',
      headers: {
        Origin: from,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-service-key',
      },
    });
  const allowed = await preflight(origin);
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
  expect(allowed.headers.get('access-control-allow-headers')).toBe('x-service-key');
  expect((await preflight('https://evil.example.com')).headers.get('access-control-allow-origin')).toBeNull();
});

test('pages from a configured origin may read the request id, the rate limits and Retry-After', async () => {
  const service = await startTestService({ env: { CORS_ORIGINS: origin, LIMIT_SESSION_REQUESTS_PER_MINUTE: '1' } });
  const init = { headers: { Origin: origin } };
  await service.request('/v1/state?session_id=one', init);
  const { status, headers } = await service.request('/v1/state?session_id=one', init);
  expect(status).toBe(429);
  const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(',') ?? [];
  for (const name of ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'])
    expect([name, headers.has(name), exposed.includes(name)]).toEqual([name, true, true]);
});

test('requests over MAX_REQUESTS get a 503 immediately, and the service stays alive', async () => {
  const service = await startTestService({ env: { MAX_REQUESTS: '1' } });
  const held = await openRequest(service);
  const { status, headers } = await service.request('/v1/state?session_id=nobody');
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect((await service.request('/healthz')).status).toBe(200);
  expect(await held()).toBe(200);
  expect((await service.request('/v1/state?session_id=nobody')).status).toBe(404);
});
