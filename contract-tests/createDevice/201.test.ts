import { createDevice, sendBy } from '../../testkit/devices.js';
import { expect, test } from '../../testkit/test.js';

test('the same person and exact name return the device that exists, with its newest reading', async ({ service }) => {
  const { post, clock } = service;
  const device = await createDevice(service);
  expect(device.device_id).toMatch(/^watch_[0-9a-f]{12}$/);
  expect(device.last_reading_at).toBeNull();
  await sendBy(service, device.device_id);
  const again = await post('/v1/devices', { subject_id: 'anna', name: 'Left', kind: 'ring' });
  expect(again).toMatchObject({ status: 200, body: { ...device, last_reading_at: clock.at() } });
  for (const other of [{ name: 'left' }, { name: 'Left ' }, { subject_id: 'ben' }])
    expect((await createDevice(service, other)).device_id).not.toBe(device.device_id);
});

test('two requests at once create one device', async ({ service: { post, get } }) => {
  const create = () => post('/v1/devices', { subject_id: 'carl', name: 'Left', kind: 'watch' });
  const answers = await Promise.all(Array.from({ length: 8 }, create));
  expect(new Set(answers.map(({ body }) => body.device_id)).size).toBe(1);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect((await get('/v1/devices?subject_id=carl')).devices).toHaveLength(1);
});
