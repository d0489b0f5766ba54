import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test('the keys need no API key, are public only, and the list is empty before the first erasure', async () => {
  const service = await startTestService({});
  const read = async () => (await fetch(`${service.url}/v1/receipt-keys`)).json();
  expect(await read()).toEqual({ keys: [] });
  await service.read({ session_id: 'talk', subject_id: 'anna', heart_rate: 80 });
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  const { body } = await service.request('/v1/receipt-keys');
  expect(body).toEqual(await read());
  expect(body.keys).toHaveLength(1);
  expect(Object.keys(body.keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
});
