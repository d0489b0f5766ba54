import { createDevice } from '../../testkit/devices.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test('devices of another account, removed ones and hubs look like absent ones', async ({ service }) => {
  const { device_id } = await createDevice(service);
  const removed = await createDevice(service, { name: 'Old' });
  expect((await service.request(`/v1/devices/${removed.device_id}`, { method: 'DELETE' })).status).toBe(204);
  const hub = (await service.post('/v1/source-keys', { source: 'terra', signing_secret: 'x'.repeat(40) })).body;
  const other = await startTestService();
  const refused = [
    await other.request(`/v1/devices/${device_id}`),
    await other.request(`/v1/devices/${device_id}`, { method: 'DELETE' }),
    await service.request(`/v1/devices/${removed.device_id}`),
    await service.request(`/v1/devices/${removed.device_id}`, { method: 'DELETE' }),
    await service.request(`/v1/devices/${hub.id}`),
    await service.request(`/v1/devices/${hub.id}`, { method: 'DELETE' }),
    await service.request('/v1/devices/watch_000000000000'),
  ].map(({ status, body: { request_id: _, ...problem } }) => ({ status, problem }));
  expect(new Set(refused.map((it) => JSON.stringify(it))).size).toBe(1);
  expect(refused[0]).toMatchObject({ status: 404, problem: { code: 'device_not_found' } });
  expect((await service.get('/v1/source-keys')).source_keys).toHaveLength(1);
  expect((await service.get(`/v1/devices/${device_id}`)).device_id).toBe(device_id);
});
