import { createHmac } from 'node:crypto';
import { readConfig } from '../../src/config/config.js';
import { resealDatabase } from '../../src/serve/secrets-keys.js';
import { Clock, client, startTestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { everythingStored } from '../../testkit/stored.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';
import { attempted, deliveriesOf, failedDeliveries, register, startStory } from '../../testkit/webhooks.js';

test('secrets are returned once and never stored in plain text, logged or listed', async ({ receiver }) => {
  const service = await startTestService({ env: { WORKER: '1', ...storyEnv } });
  receiver.answer(410);
  const { id, secret } = await register(service, receiver.url);
  const rotated = await service.request(`/webhooks/${id}/rotate-secret`, { method: 'POST' });
  await (await startStory(service)).change();
  await attempted(deliveriesOf(service, id), 1);
  const answers = [
    await service.post('/webhooks/register', { url: receiver.url, events: ['state_change'] }),
    await service.post('/webhooks/register', { url: receiver.url, events: ['state_change'], secret }),
    await service.request('/webhooks'),
    await service.request(`/webhooks/${secret}/test`, { method: 'POST' }),
    await service.post('/webhooks/retries', { webhook_id: id }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 200, 404, 202]);
  const [stored, shown] = [await everythingStored(service.database), JSON.stringify(answers.map(({ body }) => body))];
  for (const one of [secret, rotated.body.secret]) {
    const bytes = Buffer.from(one.slice('whsec_'.length), 'base64');
    for (const form of [one.slice('whsec_'.length), bytes.toString('hex'), bytes.toString('latin1')])
      for (const text of [stored, service.logs.join(''), shown]) expect(text.includes(form)).toBe(false);
  }
  expect(stored).toContain(id);
});

test('secrets are encrypted: after the loss of SECRETS_KEY, nothing is sent until a rotation', async ({ receiver }) => {
  const [database, clock] = [await temporaryDatabase(), new Clock()];
  const startWith = (SECRETS_KEY: string) => startTestService({ database, clock, env: { WORKER: '1', SECRETS_KEY } });
  const before = await startWith('a'.repeat(32));
  const { id, secret } = await register(before, receiver.url);
  await expect(startWith('b'.repeat(32))).rejects.toThrow('SECRETS_KEY: no configured key is the key');
  const config = readConfig({ DATABASE_URL: database.url, SECRETS_KEY: 'b'.repeat(32) });
  await resealDatabase(before.store, config, { isKeyLost: true, nowMs: clock.nowMs });
  await before.close();

  const after = await startWith('b'.repeat(32));
  const service = { ...after, ...client(after.url, before.key, clock) };
  const deliveries = deliveriesOf(service, id);
  await service.request(`/webhooks/${id}/test`, { method: 'POST' });
  for (const [index, seconds] of [0, 1, 4, 16].entries()) {
    clock.advance(seconds);
    await attempted(deliveries, index + 1);
  }
  expect(receiver.received).toEqual([]);
  const [failed] = (await failedDeliveries(service)).deliveries;
  expect(failed?.attempts.map(({ error }) => error)).toEqual(Array(4).fill('secret_unreadable'));

  const rotated = (await service.request(`/webhooks/${id}/rotate-secret`, { method: 'POST' })).body;
  expect(rotated.secret).not.toBe(secret);
  await service.post('/webhooks/retries', { webhook_id: id });
  const [delivery] = await receiver.until(1);
  expect(delivery?.id).toBe(failed?.id);
  // The previous secret cannot be decrypted, so it signs nothing.
  expect(delivery?.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
});

test('a key of SECRETS_KEY is replaced without losing webhook secrets, resends or tokens', async ({ receiver }) => {
  const [database, clock] = [await temporaryDatabase(), new Clock()];
  const [older, newer] = ['a'.repeat(32), 'b'.repeat(32)];
  const reading = { session_id: 's1', timestamp: clock.at(), heart_rate: 80, tone: 'calm' };
  let key: string | undefined;
  const startWith = async (SECRETS_KEY: string) => {
    const started = await startTestService({ database, clock, env: { WORKER: '1', SECRETS_KEY } });
    key ??= started.key;
    return { ...started, ...client(started.url, key, clock) };
  };
  const first = await startWith(older);
  const { id, secret } = await register(first, receiver.url);
  const token = (await first.post('/v1/tokens', { session_id: 's1', scopes: ['read'] })).body.token as string;
  const original = (await first.post('/v1/ingest', reading)).body;
  await first.close();

  const both = await startWith(`${newer},${older}`);
  expect((await both.post('/v1/ingest', reading)).body).toEqual(original);
  expect((await both.request('/v1/history?session_id=s1')).body.datapoints).toHaveLength(1);
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${both.url}/v1/state?session_id=s1`, { headers })).status).toBe(200);
  await both.close();

  const last = await startWith(newer);
  expect((await fetch(`${last.url}/v1/state?session_id=s1`, { headers })).status).toBe(401);
  await last.request(`/webhooks/${id}/test`, { method: 'POST' });
  const [delivery] = await receiver.until(1);
  expect(delivery?.headers['x-service-signature']).toBe(
    `sha256=${createHmac('sha256', secret)
      .update(delivery?.bytes ?? '')
      .digest('hex')}`,
  );
});
