import { createDevice, sendBy } from '../../testkit/devices.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

test('a removed device sends no more, and its readings stay', async ({ service }) => {
  const { device_id } = await createDevice(service);
  const { session_id } = (await sendBy(service, device_id)).body;
  expect((await service.request(`/v1/devices/${device_id}`, { method: 'DELETE' })).status).toBe(204);
  await until('the device is refused', async () => (await sendBy(service, device_id)).status === 422);
  expect((await service.get(`/v1/state?session_id=${session_id}`)).session_id).toBe(session_id);
  expect((await createDevice(service)).device_id).not.toBe(device_id);
});

test('removing the device of a source key ends the key', async ({ service }) => {
  const { key } = (await service.post('/v1/source-keys', { subject_id: 'ella', source: 'generic' })).body;
  const body = { time: service.clock.at(), heart_rate: 70 };
  const post = () => service.post('/v1/sources/generic', body, { 'X-Service-Key': key });
  expect((await post()).status).toBe(200);
  const [{ device_id }] = (await service.get('/v1/devices?subject_id=ella')).devices;
  expect((await service.request(`/v1/devices/${device_id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await service.get('/v1/source-keys?subject_id=ella')).source_keys).toEqual([]);
  await until('the key is refused', async () => (await post()).status === 401);
});
