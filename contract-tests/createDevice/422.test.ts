import { devices as settings } from '../../generated/spec.js';
import { createDevice } from '../../testkit/devices.js';
import { expect, test } from '../../testkit/test.js';

test.for<[object, string, string]>([
  [{ name: '' }, '/name', 'string_too_short'],
  [{ name: 'x'.repeat(65) }, '/name', 'string_too_long'],
  [{ name: 'Uhr\n' }, '/name', 'pattern_mismatch'],
  [{ name: '   ' }, '/name', 'pattern_mismatch'],
  [{ kind: 'toaster' }, '/kind', 'enum'],
  [{ subject_id: '..' }, '/subject_id', 'pattern_mismatch'],
  [{ device_id: 'watch_0' }, '/device_id', 'extra_forbidden'],
])('rejects a device with %j', async ([change, pointer, code], { service: { post } }) => {
  const { status, body } = await post('/v1/devices', { subject_id: 'anna', name: 'Left', kind: 'watch', ...change });
  expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer, code })]]);
});

test('a person has at most 100 devices, and source keys do not count', async ({ service }) => {
  const { post, get } = service;
  await post('/v1/source-keys', { subject_id: 'anna', source: 'generic' });
  for (let index = 0; index < settings.per_subject_max; index += 1) await createDevice(service, { name: `${index}` });
  const more = { subject_id: 'anna', name: 'one more', kind: 'watch' };
  expect((await post('/v1/devices', more)).body.errors).toMatchObject([{ code: 'too_many_devices' }]);
  const { devices } = await get('/v1/devices?subject_id=anna');
  expect(devices).toHaveLength(settings.per_subject_max + 1);
  const { device_id } = devices.find(({ kind }: { kind: string }) => kind === 'watch');
  await service.request(`/v1/devices/${device_id}`, { method: 'DELETE' });
  expect((await post('/v1/devices', more)).status).toBe(201);
});
