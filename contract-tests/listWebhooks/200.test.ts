import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { register } from '../../testkit/webhooks.js';

test('an account without webhooks has an empty list', async () => {
  expect((await (await startTestService()).request('/webhooks')).body).toEqual({ webhooks: [] });
});

test('webhooks are listed oldest first, as registered and without their secrets', async ({ service }) => {
  const shown = [];
  for (const [index, session_id] of ['c', 'a', undefined, 'b'].entries()) {
    service.clock.advance(1);
    const registration = { ...(session_id !== undefined && { session_id }) };
    const { secret: _, ...webhook } = await register(service, `https://8.8.8.8/${9 - index}`, registration);
    shown.push({ ...webhook, queued_deliveries: 0 });
  }
  expect((await service.request('/webhooks')).body).toEqual({ webhooks: shown });
});

test("another account's webhooks are not listed", async () => {
  await register(await startTestService(), 'https://8.8.8.8/');
  expect((await (await startTestService()).request('/webhooks')).body).toEqual({ webhooks: [] });
});

test('a non-ASCII url is listed as written', async ({ service }) => {
  const url = 'https://8.8.8.8/zustand/ä/状態/😀?q=é';
  await register(service, url);
  expect((await service.request('/webhooks')).body.webhooks[0].url).toBe(url);
});
