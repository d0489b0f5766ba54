import { expect, test } from '../../testkit/test.js';
import { register, webhookOf } from '../../testkit/webhooks.js';

const daySeconds = 24 * 60 * 60;

test('a rotation returns the webhook with a new secret, which is not shown again', async ({ ownService: service }) => {
  const registered = await register(service, 'https://8.8.8.8/', { session_id: 's1' });
  const rotate = () => service.request(`/webhooks/${registered.id}/rotate-secret`, { method: 'POST' });
  const first = await rotate();
  service.clock.advance(daySeconds);
  const answers = [first, await rotate()];
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body).toEqual({ ...registered, secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/) });
  }
  expect(new Set([registered.secret, ...answers.map(({ body }) => body.secret)]).size).toBe(3);
  expect(await webhookOf(service, registered.id)).not.toHaveProperty('secret');
});
