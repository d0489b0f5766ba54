import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { register } from '../../testkit/webhooks.js';

const daySeconds = 24 * 60 * 60;

test('a second rotation within 24 hours is rejected, so that the previous secret stays valid as documented', async () => {
  const service = await startTestService({});
  const { id } = await register(service, 'https://8.8.8.8/');
  const rotate = () => service.request(`/webhooks/${id}/rotate-secret`, { method: 'POST' });
  expect((await rotate()).status).toBe(200);
  const until = service.clock.at(daySeconds);
  service.clock.advance(60);
  const { status, body, headers } = await rotate();
  expect([status, body.code]).toEqual([409, 'rotation_in_progress']);
  expect(body.detail).toContain(until);
  expect(Number(headers.get('Retry-After'))).toBe(daySeconds - 60);
  service.clock.advance(daySeconds - 60);
  expect((await rotate()).status).toBe(200);
});

test('exactly one of several concurrent rotations succeeds', async ({ service }) => {
  const { id } = await register(service, 'https://8.8.8.8/');
  const rotations = await Promise.all(
    [1, 2, 3, 4].map(() => service.request(`/webhooks/${id}/rotate-secret`, { method: 'POST' })),
  );
  expect(rotations.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
});
