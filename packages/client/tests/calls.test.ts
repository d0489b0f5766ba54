import { expect, onTestFinished, test, vi } from 'vitest';
import { hints } from '../../../generated/spec.js';
import { createStateClient, ProblemError, type ResponseInfo, type StateClient } from '../src/index.js';
import { startTestService, type TestService } from '../../../testkit/service.js';
import { storeFailed } from '../../../testkit/webhooks.js';

function clientOf({ url, key }: Pick<TestService, 'url' | 'key'>): StateClient {
  return createStateClient({ baseUrl: url, key });
}

test('the client registers, lists, tests, retries and removes a webhook', async () => {
  const service = await startTestService();
  const { webhooks } = clientOf(service);
  const registration = { url: 'https://example.com/hooks', events: ['state_change' as const] };
  const created = await webhooks.register(registration);
  expect(created).toHaveProperty('secret');
  expect(await webhooks.register(registration)).not.toHaveProperty('secret');
  expect((await webhooks.list()).map(({ id }) => id)).toEqual([created.id]);
  expect((await webhooks.rotateSecret(created.id)).secret).toMatch(/^whsec_/);
  expect((await webhooks.test(created.id)).delivery_id).toMatch(/^dlv_/);
  const [failed] = await storeFailed(service, [{ webhookId: created.id }]);
  const { deliveries, next_cursor } = await webhooks.failedDeliveries({ webhook_id: created.id });
  expect([deliveries.map(({ id }) => id), next_cursor]).toEqual([[failed?.deliveryId], null]);
  expect((await webhooks.retry({ webhook_id: created.id })).count).toBe(1);
  expect(await webhooks.failedDeliveries()).toEqual({ deliveries: [], next_cursor: null });
  expect(await webhooks.remove(created.id)).toBeUndefined();
  expect(await webhooks.list()).toEqual([]);
});

test('an error response becomes a ProblemError with its code, all validation errors and the request id', async () => {
  const service = await startTestService();
  const client = clientOf(service);
  const reading = { session_id: 's1', timestamp: service.clock.at(), heart_rate: 700, sentiment: 7 };
  const error = await client.ingest(reading).catch((it: unknown) => it as ProblemError);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ status: 422, code: 'validation_failed', violatedPolicies: [] });
  const { faults, requestId } = error as ProblemError;
  expect(faults.map(({ pointer }) => pointer).sort()).toEqual(['/heart_rate', '/sentiment']);
  expect(service.logs.some((line) => line.includes(requestId))).toBe(true);
  await expect(client.state('none')).rejects.toMatchObject({ status: 404, code: 'session_not_found', faults: [] });
  await expect(clientOf({ ...service, key: 'sk_none' }).state('s1')).rejects.toMatchObject({
    code: 'invalid_api_key',
    message: `Invalid API key. ${hints.key_form}`,
  });
});

test('a 429 whose Retry-After exceeds the wait budget is thrown immediately, with policy and wait time', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '1' } });
  const client = createStateClient({ baseUrl: service.url, key: service.key, waitBudgetMs: 1000 });
  const timestamp = service.clock.at();
  await client.ingest({ session_id: 's1', timestamp, heart_rate: 70 });
  const error = await client.state('s1').catch((it: unknown) => it as ProblemError);
  expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', violatedPolicies: ['session'] });
  expect((error as ProblemError).retryAfterSeconds).toBeGreaterThan(1);
});

test('a response that is not from the service becomes an UnexpectedAnswerError with its status', async () => {
  const answering = async () => new Response('<html>Bad Gateway</html>', { status: 502 });
  const client = createStateClient({ baseUrl: 'http://127.0.0.1:9', key: 'sk_1', fetch: answering, maxRetries: 0 });
  await expect(client.state('s1')).rejects.toMatchObject({ name: 'UnexpectedAnswerError', status: 502 });
});

/** Calls of every kind: a result, a list, a deletion, rows and events. */
const calls: Record<string, (client: StateClient) => PromiseLike<unknown>> = {
  state: (client) => client.state('s1'),
  sessions: (client) => client.sessions(),
  'webhooks.list': (client) => client.webhooks.list(),
  'webhooks.remove': (client) => client.webhooks.remove('w1'),
  ingestBatch: (client) => client.ingestBatch([]),
  exportReadings: (client) => client.exportReadings().next(),
  stream: (client) => client.stream().next(),
};
const answers = [
  ...Object.keys(calls).map((name) => [name, 'text/html', '<html>Sign in</html>'] as const),
  ['state', 'application/json', ''],
  ['state', 'application/json', '"ok"'],
  ['ingestBatch', 'application/json', '{}'],
  ['exportReadings', 'application/x-ndjson', 'x\n'],
  ['stream', 'text/event-stream', 'event: reading\nid: 1\ndata: x\n\n'],
] as const;

test.each(answers)('%s: a 200 with %s and the body %j is an UnexpectedAnswerError', async (name, type, body) => {
  const answering = async () => new Response(body, { headers: { 'Content-Type': type } });
  const client = createStateClient({ baseUrl: 'http://127.0.0.1:9', key: 'sk_1', fetch: answering, maxRetries: 0 });
  const call = calls[name]?.(client);
  await expect(call).rejects.toMatchObject({ name: 'UnexpectedAnswerError', status: 200 });
});

test('a 200 without JSON is not a removed webhook', async () => {
  const answering = async () => Response.json({ portal: true });
  const client = createStateClient({ baseUrl: 'http://127.0.0.1:9', key: 'sk_1', fetch: answering });
  await expect(client.webhooks.remove('w1')).rejects.toMatchObject({ name: 'UnexpectedAnswerError' });
});

test('a null argument sends no request, and the error names it', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>();
  const client = createStateClient({ baseUrl: 'http://127.0.0.1:9', key: 'sk_1', fetch });
  const none = null as never;
  const rejected: Array<[string, PromiseLike<unknown>]> = [
    ['session_id must not be null', client.state(none)],
    ['minutes must not be null', client.history('s1', none)],
    ['subject_id must not be null', client.deleteSubject(none)],
    ['subject_id is missing', client.deleteSubject(undefined as never)],
    ['body must not be null', client.ingest(none)],
    ['submissions must be an array', client.ingestBatch(none)],
    ['body must not be null', client.tokens.create(none)],
    ['filter must not be null', client.sessions(none)],
    ['state must not be null', client.sessions({ state: none })],
    ['subject_id must not be null', client.exportReadings({ subjectId: none }).next()],
    ['session_id must not be null', client.stream({ sessionId: none }).next()],
    ['events must not be null', client.stream({ events: none }).next()],
  ];
  for (const [message, call] of rejected) await expect(call).rejects.toThrow(message);
  expect(() => createStateClient({ baseUrl: 'http://127.0.0.1:9', token: none })).toThrow('token must not be null');
  expect(fetch).not.toHaveBeenCalled();
});

test('a call shows the headers and request id of its response, also of an error', async () => {
  const service = await startTestService();
  const client = clientOf(service);
  const seen: ResponseInfo[] = [];
  const onResponse = (response: ResponseInfo) => void seen.push(response);
  const error = await client.state('none', { onResponse }).catch((it: unknown) => it as ProblemError);
  await client.webhooks.list({ onResponse });
  expect(seen.map(({ status }) => status)).toEqual([404, 200]);
  expect(seen[0]?.requestId).toBe((error as ProblemError).requestId);
  expect(seen[1]?.headers.get('content-type')).toContain('application/json');
});

test('URL and key default to SERVICE_URL and SERVICE_KEY, and a missing one is named', async () => {
  const { url, key } = await startTestService();
  vi.stubEnv('SERVICE_URL', url);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => createStateClient()).toThrow('key is missing: pass it to createStateClient or set SERVICE_KEY');
  vi.stubEnv('SERVICE_KEY', key);
  expect(await createStateClient().webhooks.list()).toEqual([]);
  for (const text of ['notaurl', '127.0.0.1:8080', 'ftp://127.0.0.1']) {
    vi.stubEnv('SERVICE_URL', text);
    expect(() => createStateClient()).toThrow('SERVICE_URL must start with http:// or https://');
  }
});

test.each(['.', '..'])('the id "%s" sends no request, because its path would be another one', async (id) => {
  const fetch = vi.fn<typeof globalThis.fetch>();
  const client = createStateClient({ baseUrl: 'http://127.0.0.1:9', key: 'sk_1', fetch });
  const deletions = [client.deleteSubject(id), client.deleteTrigger('anna', id)];
  for (const call of [...deletions, client.webhooks.remove(id), client.webhooks.delivery(id)])
    await expect(call).rejects.toThrow('must not be "." or ".."');
  expect(fetch).not.toHaveBeenCalled();
});
