import { randomUUID } from 'node:crypto';
import { idempotency as settings } from '../../generated/spec.js';
import { toClaim } from '../../src/operations/idempotently.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createIdempotencyKeyTable } from '../../src/store/idempotency-keys.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { register, webhookOf } from '../../testkit/webhooks.js';
import { openKnex } from '../../testkit/temporary-database.js';

const hook = { url: 'https://8.8.8.8/', events: ['state_change'] };

function send({ request }: TestService, path: string, key: string, body?: object) {
  const headers = { 'Idempotency-Key': key, ...(body && { 'Content-Type': 'application/json' }) };
  return request(path, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) });
}

/** Returns the stored rows of the service's account as text. */
const storedKeys = async ({ database, accountId }: TestService) =>
  JSON.stringify(await openKnex(database.url)('idempotency_keys').where({ account_id: accountId }));

test('a resent registration gets the first response with its secret and registers nothing', async ({ service }) => {
  const key = randomUUID();
  const first = await send(service, '/webhooks/register', key, hook);
  const again = await send(service, '/webhooks/register', key, { events: hook.events, url: hook.url });
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.body.secret).toMatch(/^whsec_/);
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(1);
  expect((await send(service, '/webhooks/register', `"${key}"`, hook)).body).toEqual(first.body);
});

test('a resent rotation gets the same secret and does not rotate again', async ({ service }) => {
  const { id } = await register(service, hook.url);
  const key = randomUUID();
  const rotate = () => send(service, `/webhooks/${id}/rotate-secret`, key);
  const [first, again] = [await rotate(), await rotate()];
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect((await send(service, `/webhooks/${id}/rotate-secret`, randomUUID())).body.code).toBe('rotation_in_progress');
});

test('a resent test event is queued once', async ({ service }) => {
  const { id } = await register(service, hook.url);
  const key = randomUUID();
  const [first, again] = [
    await send(service, `/webhooks/${id}/test`, key),
    await send(service, `/webhooks/${id}/test`, key),
  ];
  expect([again.status, again.body]).toEqual([202, first.body]);
  expect(await webhookOf(service, id)).toMatchObject({ queued_deliveries: 1 });
});

test('a key reused for a different request is rejected with 422', async ({ service }) => {
  const key = randomUUID();
  const { id } = (await send(service, '/webhooks/register', key, hook)).body;
  for (const [path, body] of [
    ['/webhooks/register', { ...hook, session_id: 's2' }],
    [`/webhooks/${id}/rotate-secret`, undefined],
    [`/webhooks/${id}/test`, undefined],
  ] as const) {
    const answer = await send(service, path, key, body);
    const errors = [{ parameter: 'Idempotency-Key', code: 'idempotency_key_reused', detail: expect.any(String) }];
    expect(answer.body).toMatchObject({ status: 422, code: 'idempotency_key_reused', errors });
  }
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(1);
});

test('a resend gets 409 with Retry-After while the first request is in progress, and an abandoned claim expires', async () => {
  const service = await startTestService();
  const key = randomUUID();
  const claim = toClaim('registerWebhook', key, hook, service.clock.nowMs);
  await service.store.transact((scopeOf) => createIdempotencyKeyTable(scopeOf(service.accountId)).claim(claim));
  const refused = await send(service, '/webhooks/register', key, hook);
  expect(refused.body).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
  expect(refused.headers.get('retry-after')).toBe('1');
  service.clock.advance(settings.lease_seconds);
  expect((await send(service, '/webhooks/register', key, hook)).status).toBe(201);
});

test('one of several concurrent requests with one key runs, and the others get its response or 409', async () => {
  const service = await startTestService();
  const { id } = await register(service, hook.url);
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => send(service, `/webhooks/${id}/rotate-secret`, key)),
  );
  const secrets = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.secret));
  expect(secrets.size).toBe(1);
  for (const { status } of answers) expect([200, 409]).toContain(status);
  expect((await send(service, `/webhooks/${id}/rotate-secret`, key)).body.secret).toBe([...secrets][0]);
});

test('a failed request can be resent with its key', async ({ service }) => {
  const key = randomUUID();
  expect((await send(service, '/webhooks/wh_none/test', key)).status).toBe(404);
  expect((await send(service, '/webhooks/register', key, hook)).status).toBe(201);
});

test('an idempotency key is scoped to its account', async () => {
  const [one, other] = [await startTestService(), await startTestService()];
  const key = randomUUID();
  const first = await send(one, '/webhooks/register', key, hook);
  const second = await send(other, '/webhooks/register', key, hook);
  expect([second.status, second.body.id === first.body.id]).toEqual([201, false]);
});

test('a response is stored encrypted for 24 hours, and its secret for 60 minutes', async ({ service }) => {
  const key = randomUUID();
  const first = await send(service, '/webhooks/register', key, { ...hook, session_id: 'private-session' });
  const { secret, ...rest } = first.body;
  const again = () => send(service, '/webhooks/register', key, { ...hook, session_id: 'private-session' });
  for (const text of [secret, key, hook.url]) expect(await storedKeys(service)).not.toContain(text);
  service.clock.advance(settings.secret_minutes * 60 - 0.001);
  await purgeExpired(service.store, service.clock.nowMs);
  expect((await again()).body).toEqual(first.body);
  service.clock.advance(0.001);
  expect([(await again()).status, (await again()).body]).toEqual([201, rest]);
  service.clock.advance(1);
  await purgeExpired(service.store, service.clock.nowMs);
  expect(JSON.parse(await storedKeys(service))).toMatchObject([{ secret: null }]);
  service.clock.advance(settings.retention_hours * 3600);
  await purgeExpired(service.store, service.clock.nowMs);
  expect(await storedKeys(service)).toBe('[]');
  expect((await again()).status).toBe(200);
});

test.each([
  ['before the session has a subject', 'before'],
  ['after the session has a subject', 'after'],
] as const)('an erasure deletes the responses that name a session of the subject, stored %s', async (_, when) => {
  const service = await startTestService();
  const bind = () => service.read({ session_id: 'of-anna', subject_id: 'anna', heart_rate: 70 });
  if (when === 'after') await bind();
  for (const session_id of ['of-anna', 'of-bert']) {
    const { id } = (await send(service, '/webhooks/register', `register-${session_id}`, { ...hook, session_id })).body;
    await send(service, `/webhooks/${id}/rotate-secret`, `rotate-${session_id}`);
    // The stored responses remain after the webhook is removed.
    await service.request(`/webhooks/${id}`, { method: 'DELETE' });
  }
  if (when === 'before') await bind();
  const sessions = async () =>
    JSON.parse(await storedKeys(service)).map((row: { session_id: string }) => row.session_id);
  expect((await sessions()).sort()).toEqual(['of-anna', 'of-anna', 'of-bert', 'of-bert']);
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect(await sessions()).toEqual(['of-bert', 'of-bert']);
  expect(await storedKeys(service)).not.toContain('anna');
});

test('an erasure deletes the responses that name the person', async ({ service }) => {
  for (const subject_id of ['anna', 'bert']) {
    const { id } = (await send(service, '/webhooks/register', `register-${subject_id}`, { ...hook, subject_id })).body;
    await send(service, `/webhooks/${id}/rotate-secret`, `rotate-${subject_id}`);
    // The stored responses remain after the webhook is removed.
    await service.request(`/webhooks/${id}`, { method: 'DELETE' });
  }
  const subjects = async () =>
    JSON.parse(await storedKeys(service)).map((row: { subject_id: string }) => row.subject_id);
  expect((await subjects()).sort()).toEqual(['anna', 'anna', 'bert', 'bert']);
  expect((await service.request('/v1/subjects/anna', { method: 'DELETE' })).status).toBe(200);
  expect(await subjects()).toEqual(['bert', 'bert']);
});

test('an account keeps its newest keys, up to the limit', async ({ service }) => {
  await service.store.transact(async (scopeOf) => {
    const idempotencyKeys = createIdempotencyKeyTable(scopeOf(service.accountId));
    for (let index = 0; index < 5; index += 1)
      await idempotencyKeys.claim(toClaim('testWebhook', `k${index}`, {}, service.clock.nowMs + index));
    await idempotencyKeys.deleteExcess(3);
  });
  expect(JSON.parse(await storedKeys(service))).toHaveLength(3);
});

test.each([
  ['a b', 'pattern_mismatch'],
  ['x'.repeat(256), 'string_too_long'],
])('the key %j is rejected with an error that names the header', async (key, code) => {
  const { body } = await send(await startTestService(), '/webhooks/register', key, hook);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'Idempotency-Key', code }] });
});
