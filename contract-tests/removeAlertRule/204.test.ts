import { makeAccount } from '../../testkit/calls.js';
import { client } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const remove = { method: 'DELETE' };

test('a removed rule is gone, and another account cannot remove it', async ({ service }) => {
  const { key } = await makeAccount(service, 'another', 'enterprise');
  const rule = { condition: 'stressed', subject_ids: ['anna'] };
  const path = `/v1/alerts/${(await service.post('/v1/alerts', rule)).body.id}`;
  expect((await client(service.url, key, service.clock).request(path, remove)).status).toBe(404);
  expect((await service.request(path, remove)).status).toBe(204);
  expect((await service.request(path, remove)).body).toMatchObject({ status: 404, code: 'alert_rule_not_found' });
  expect((await service.request('/v1/alerts')).body.alerts).toEqual([]);
});
