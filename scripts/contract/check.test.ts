import { createServer, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { allScopes } from '../../src/keys/scopes.js';
import { makeAccount } from '../../testkit/calls.js';
import { plan } from '../../testkit/contract-plan.js';
import { operations } from '../../testkit/documented-requests.js';
import { listen } from '../../testkit/listen.js';
import { pageEnv } from '../../testkit/person-link.js';
import { client, realTime, startTestService, type TestService } from '../../testkit/service.js';
import { runScript } from '../../testkit/process.js';

const check = ({ url, key }: Pick<TestService, 'url' | 'key'>) =>
  runScript('scripts/contract/check', ['--url', url], { SERVICE_KEY: key });
/**
 * Statuses that require an action of the operator or two concurrent requests, and 431, which Node sends before a route is
 * known (`contract-tests/http`).
 */
const fromInside = [403, 409, 429, 431, 500, 503];

test('the check requests every documented response that a single request can cause', () => {
  const asked = plan().map(({ operation, status }) => `${operation} ${status}`);
  for (const { method, path, answers } of operations)
    for (const { status } of answers.filter((it) => !fromInside.includes(Number(it.status))))
      expect(asked).toContain(`${method} ${path} ${status}`);
});

test('the service passes the check, which deletes its own data and changes no other data', async () => {
  const running = await startTestService({ clock: realTime(), env: pageEnv });
  const { key } = await makeAccount(running, 'checked', 'enterprise', { scopes: allScopes });
  const service = { ...running, ...client(running.url, key, running.clock), key };
  const mine = { session_id: 'mine', subject_id: 'me', timestamp: new Date().toISOString(), heart_rate: 80 };
  const state = await service.read(mine);
  const { id } = (await service.post('/webhooks/register', { url: 'https://example.com', events: ['state_change'] }))
    .body;
  const { code, stdout } = await check(service);
  expect(stdout).toMatch(/^\d+ responses as documented, 0 deviate$/m);
  expect(code).toBe(0);
  expect((await service.request('/webhooks')).body.webhooks.map((it: { id: string }) => it.id)).toEqual([id]);
  expect((await service.request('/v1/state?session_id=mine')).body).toMatchObject({ stress_score: state.stress_score });
  expect(service.logs.join()).not.toContain('contract-check-');
});

test('a response that deviates from the contract fails the check with a line that describes the deviation', async () => {
  const { url, key } = await startTestService({ clock: realTime() });
  const deviating = await startProxy(url, (body) => ({ ...body, stress_score: 'high' }));
  const { code, stdout } = await check({ url: deviating, key });
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ +GET \/v1\/state +200 .*stress_score must be integer/);
  expect(stdout).toMatch(/✓ +GET \/v1\/history +200/);
});

test('the check reports a missing key and an unreachable service', async () => {
  expect(await runScript('scripts/contract/check', ['--url', 'http://127.0.0.1:9'])).toMatchObject({ code: 1 });
  const { code, stdout } = await check({ url: 'http://127.0.0.1:9', key: 'sk_1' });
  expect([code, stdout]).toEqual([1, expect.stringContaining('0 responses as documented')]);
});

/** Starts a proxy that changes the service's responses to GET /v1/state. */
async function startProxy(target: string, change: (body: object) => object): Promise<string> {
  const server = createServer(async (request, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const headers = Object.entries(request.headers).filter(([name]) => /^(x-|content-type)/.test(name)) as string[][];
    const { method = 'GET', url = '' } = request;
    const body = parts.length > 0 ? Buffer.concat(parts) : null;
    const answer = await fetch(target + url, { method, headers: headers as Array<[string, string]>, body });
    const text = await answer.text();
    const isState = answer.ok && url.startsWith('/v1/state');
    const { 'content-length': _, ...kept } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, kept);
    response.end(isState ? JSON.stringify(change(JSON.parse(text))) : text);
  });
  return listen(server);
}
