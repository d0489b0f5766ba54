import { createDevice, sendBy } from '../../testkit/devices.js';
import { openPage, pageEnv } from '../../testkit/person-link.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test('devices and source keys of a person are one list, newest first, and hubs are no devices', async ({ service }) => {
  const { post, get, clock } = service;
  const watch = await createDevice(service);
  clock.advance(1);
  const key = (await post('/v1/source-keys', { subject_id: 'anna', source: 'generic' })).body;
  await post('/v1/source-keys', { source: 'terra', signing_secret: 'x'.repeat(40) });
  await createDevice(service, { subject_id: 'ben' });
  const { devices } = await get('/v1/devices?subject_id=anna');
  expect(devices).toEqual([
    expect.objectContaining({ device_id: key.id, kind: 'app', source: 'generic', last_reading_at: null }),
    watch,
  ]);
  for (const device of devices) expect(await get(`/v1/devices/${device.device_id}`)).toEqual(device);
  expect((await get('/v1/devices?subject_id=nobody')).devices).toEqual([]);
});

test('the newest reading of a device counts, also over days', async ({ service }) => {
  const { get, clock } = service;
  const { device_id } = await createDevice(service, { subject_id: 'dora', name: 'Right' });
  const times: string[] = [];
  for (const seconds of [0, 86_400]) {
    clock.advance(seconds);
    times.push(clock.at());
    expect((await sendBy(service, device_id)).status).toBe(200);
  }
  await sendBy(service, device_id, { timestamp: clock.at(-60) });
  expect((await get(`/v1/devices/${device_id}`)).last_reading_at).toBe(times[1]);
});

test('a page of a person shows the own devices, and none of others', async () => {
  const service = await startTestService({ env: pageEnv });
  const { device_id } = await createDevice(service);
  const other = await createDevice(service, { subject_id: 'ben' });
  await service.post('/v1/source-keys', { subject_id: 'ben', source: 'generic' });
  const page = await openPage(service, { grants: ['read'] });
  expect((await page.read('v1/devices')).body.devices).toMatchObject([{ device_id }]);
  expect((await page.read('v1/devices?subject_id=ben')).status).toBe(403);
  const [absent, foreign] = [
    await page.read('v1/devices/watch_000000000000'),
    await page.read(`v1/devices/${other.device_id}`),
  ];
  expect([foreign.status, foreign.body.detail]).toEqual([404, absent.body.detail]);
});
