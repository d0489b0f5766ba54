import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';
import { register } from '../support/webhooks.js';

const url = 'http://127.0.0.1:9999/hooks';
const registration = { url, events: ['state_change'], session_id: 's1' };

test('registering the same url and session again returns the existing webhook without its secret', async () => {
  const service = await startTestService();
  const { secret: _, ...standing } = await register(service, url, { session_id: 's1' });
  service.clock.advance(10);
  const again = await service.post('/webhooks/register', registration);
  expect(again).toMatchObject({ status: 200, body: standing });
  expect(again.body).not.toHaveProperty('secret');
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(1);
});

test('concurrent registrations of one target create one webhook, which every response contains', async () => {
  const service = await startTestService();
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.post('/webhooks/register', registration)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(1);
});

test('registering the same target in another account creates another webhook', async () => {
  const [mine, theirs] = [await startTestService(), await startTestService()];
  const one = await register(mine, url, { session_id: 's1' });
  const other = await register(theirs, url, { session_id: 's1' });
  expect(other.id).not.toBe(one.id);
});

test('registering a removed webhook again creates a new id and secret', async () => {
  const service = await startTestService();
  const first = await register(service, url);
  await service.request(`/webhooks/${first.id}`, { method: 'DELETE' });
  const second = await register(service, url);
  expect(second.id).not.toBe(first.id);
  expect(second.secret).not.toBe(first.secret);
});
