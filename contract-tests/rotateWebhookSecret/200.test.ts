import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';
import { register, webhookOf } from '../support/webhooks.js';

test('a rotation answers with the webhook and a secret that is new each time', async () => {
  const service = await startTestService();
  const registered = await register(service, 'https://8.8.8.8/', { session_id: 's1' });
  const rotate = () => service.request(`/webhooks/${registered.id}/rotate-secret`, { method: 'POST' });
  const answers = [await rotate(), await rotate()];
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body).toEqual({ ...registered, secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/) });
  }
  expect(new Set([registered.secret, ...answers.map(({ body }) => body.secret)]).size).toBe(3);
  expect(await webhookOf(service, registered.id)).not.toHaveProperty('secret');
});

test('simultaneous rotations all succeed, each with a secret of its own', async () => {
  const service = await startTestService();
  const { id } = await register(service, 'https://8.8.8.8/');
  const rotations = await Promise.all(
    [1, 2, 3, 4].map(() => service.request(`/webhooks/${id}/rotate-secret`, { method: 'POST' })),
  );
  expect(rotations.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(rotations.map(({ body }) => body.secret)).size).toBe(4);
});
