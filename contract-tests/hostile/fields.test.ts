import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { fieldRequests } from './field-values.js';

const atOnce = 4;

test('no hostile value in any body field or array item causes a 5xx, and every response is documented', async () => {
  const service = await startTestService({});
  const requests = fieldRequests(service.clock.at());
  expect(requests.map(({ name }) => name)).toContain('/webhooks/retries /delivery_ids/0 "é"');
  const failed: string[] = [];
  const queue = [...requests];
  const lane = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const { status } = await service.post(next.path, next.body);
      if (status >= 500) failed.push(`${status} ${next.name}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  expect(failed).toEqual([]);
});

test('a non-ASCII id matches no delivery and no webhook', async ({ service: { post } }) => {
  expect(await post('/webhooks/retries', { delivery_ids: ['é', 'dlv_é'] })).toMatchObject({
    status: 202,
    body: { count: 0, delivery_ids: [] },
  });
  expect(await post('/webhooks/retries', { webhook_id: 'é' })).toMatchObject({
    status: 404,
    body: { code: 'webhook_not_found' },
  });
});
