import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { operationScopes } from '../../generated/spec.js';
import type { Scope } from '../../src/contract/contract.js';
import { allScopes } from '../../src/keys/scopes.js';
import { makeAccount } from '../../testkit/calls.js';
import { requestsThatMayGet } from '../../testkit/documented-requests.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';

const operations = requestsThatMayGet(403).map((it) => [it.operationId, it] as const);
const scopeOf: Readonly<Record<string, Scope>> = operationScopes;

async function withScopes(service: TestService, scopes: readonly Scope[]) {
  const { key } = await makeAccount(service, `scoped-${randomUUID()}`, 'enterprise', { scopes });
  return client(service.url, key, service.clock);
}

test('every operation that requires a key requires a scope and documents 403', () => {
  expect(operations.map(([operationId]) => operationId).sort()).toEqual(Object.keys(operationScopes).sort());
});

test.each(operations)('%s: a key without its scope gets 403, a key with its scope does not', async (_, it) => {
  const service = await startTestService();
  for (const scope of allScopes) {
    const { request } = await withScopes(service, [scope]);
    const { status, body } = await request(it.path, it.init);
    if (scope === scopeOf[it.operationId]) expect([401, 403]).not.toContain(status);
    else expect([scope, status, body.code]).toEqual([scope, 403, 'insufficient_scope']);
  }
});

test('the detail names the missing scope and the command that creates a key with it', async () => {
  const { request } = await withScopes(await startTestService(), ['ingest', 'read']);
  expect((await request('/webhooks')).body.detail).toBe(
    'This API key or token lacks the scope "webhooks": use one that has it, or create a key with `keys create --scopes webhooks`',
  );
});

test('the scope is checked after path and method, and before the body', async () => {
  const { request, post } = await withScopes(await startTestService(), ['read']);
  expect((await request('/v1/nothing')).status).toBe(404);
  expect((await request('/v1/ingest')).status).toBe(405);
  expect((await post('/v1/ingest', { session_id: '' })).status).toBe(403);
});
