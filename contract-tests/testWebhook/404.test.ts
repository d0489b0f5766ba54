import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';
import { comparable, register, webhookOf } from '../support/webhooks.js';

const init = { method: 'POST' };

test.each(['wh_unknown', 'register', 'dlv_2b7e9d4f6a1c4e3b8d05', "'--", '%2F', 'x'.repeat(256)])(
  '%s names no webhook',
  async (id) => {
    const answer = await (await startTestService()).request(`/webhooks/${id}/test`, init);
    expect(answer.body).toMatchObject({ status: 404, detail: 'No such webhook', code: 'webhook_not_found' });
  },
);

test("another account's webhook looks exactly like an absent one, and stays as it is", async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  const { id, secret: _, ...shown } = await register(owner, 'https://8.8.8.8/');
  const [foreign, absent] = [
    await stranger.request(`/webhooks/${id}/test`, init),
    await stranger.request('/webhooks/wh_00000000000000000000/test', init),
  ];
  expect(comparable(foreign)).toBe(comparable(absent));
  expect(await webhookOf(owner, id)).toEqual({ id, ...shown });
});

test('ids are told apart by case', async () => {
  const service = await startTestService();
  const { id } = await register(service, 'https://8.8.8.8/');
  expect((await service.request(`/webhooks/${id.toUpperCase()}/test`, init)).status).toBe(404);
});
