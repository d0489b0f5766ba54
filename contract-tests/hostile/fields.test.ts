import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';
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

test('a non-ASCII id of a delivery or webhook is rejected with its place, like the same id in a parameter', async () => {
  const { post, request } = await startTestService();
  const detail = 'Input should be visible ASCII characters without spaces';
  const fault = { code: 'pattern_mismatch', detail };
  expect(await post('/webhooks/retries', { delivery_ids: ['dlv_1', 'é'] })).toMatchObject({
    status: 422,
    body: { detail, errors: [{ ...fault, pointer: '/delivery_ids/1' }] },
  });
  expect(await post('/webhooks/retries', { webhook_id: 'é' })).toMatchObject({
    status: 422,
    body: { detail, errors: [{ ...fault, pointer: '/webhook_id' }] },
  });
  expect(await request('/webhooks/retries?webhook_id=%C3%A9')).toMatchObject({
    status: 422,
    body: { detail, errors: [{ ...fault, parameter: 'webhook_id' }] },
  });
});
