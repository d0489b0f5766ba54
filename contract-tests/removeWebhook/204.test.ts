import { expect, test } from '../../testkit/test.js';
import { failedDeliveries, register, storeFailed } from '../../testkit/webhooks.js';

const remove = { method: 'DELETE' };

test('a removed webhook is no longer listed, and other webhooks stay', async ({ service }) => {
  const [gone, stays] = [await register(service, 'https://8.8.8.8/a'), await register(service, 'https://8.8.8.8/b')];
  expect(await service.request(`/webhooks/${gone.id}`, remove)).toMatchObject({ status: 204, body: undefined });
  const { webhooks } = (await service.request('/webhooks')).body;
  expect(webhooks.map(({ id }: { id: string }) => id)).toEqual([stays.id]);
  expect((await service.request(`/webhooks/${gone.id}`, remove)).status).toBe(404);
});

test('removing a webhook deletes all of its deliveries and no deliveries of other webhooks', async ({ service }) => {
  const [gone, stays] = [await register(service, 'https://8.8.8.8/a'), await register(service, 'https://8.8.8.8/b')];
  await storeFailed(
    service,
    Array.from({ length: 1201 }, () => ({ webhookId: gone.id })),
  );
  const kept = await storeFailed(service, [{ webhookId: stays.id }]);
  await service.request(`/webhooks/${gone.id}`, remove);
  const { deliveries } = await failedDeliveries(service);
  expect(deliveries.map(({ id }) => id)).toEqual(kept.map(({ deliveryId }) => deliveryId));
});

test('of several concurrent removals of a webhook, exactly one succeeds', async ({ service }) => {
  const { id } = await register(service, 'https://8.8.8.8/');
  const answers = await Promise.all([1, 2, 3].map(() => service.request(`/webhooks/${id}`, remove)));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
});
