import { makeAccount } from '../../testkit/calls.js';
import { client } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test('rules are listed oldest first, and only those of the account', async ({ service }) => {
  const { key } = await makeAccount(service, 'another', 'enterprise');
  const other = client(service.url, key, service.clock);
  const ids = [];
  for (const hours of [3, 1, 2]) {
    ids.push((await service.post('/v1/alerts', { condition: 'no_data', hours })).body.id);
    service.clock.advance(1);
  }
  await other.post('/v1/alerts', { condition: 'stressed' });
  expect((await service.request('/v1/alerts')).body.alerts.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect((await other.request('/v1/alerts')).body.alerts).toHaveLength(1);
});
