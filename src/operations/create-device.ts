import { devices as settings } from '../../generated/spec.js';
import { createValidationError } from '../contract/problem.js';
import { createDeviceId, createDeviceTable } from '../store/devices.js';
import { omitLeftovers } from '../store/leftovers.js';
import { createSourceKeyTable } from '../store/source-keys.js';
import { toDevice } from './list-devices.js';
import type { OperationRecord } from './operation.js';

/** Creates a device of a person, or returns the one with this name. */
export const createDevice: OperationRecord<'createDevice', 'store' | 'now' | 'digestId'> = {
  personalData: 'none',
  async handle({ store, now, digestId }, { body: { subject_id: subjectId, name, kind } }, { accountId }) {
    const { device, isNew } = await store.transact(async (scopeOf) => {
      const scope = scopeOf(accountId);
      const table = createDeviceTable(scope);
      // Two requests together neither exceed the maximum nor create one name twice.
      await createSourceKeyTable(scope).lockAccount();
      const own = await omitLeftovers(scope, await table.list(subjectId), digestId);
      const known = own.find((it) => it.name === name);
      if (known) return { device: known, isNew: false };
      const max = settings.per_subject_max;
      if (own.length >= max) throw createValidationError('too_many_devices', { pointer: '' }, String(max));
      const added = { deviceId: createDeviceId(kind), subjectId, name, kind, createdAtMs: now() };
      await table.insert(added);
      return { device: added, isNew: true };
    });
    if (isNew) return { status: 201, body: toDevice(device, undefined) };
    const newest = await createDeviceTable(store.read(accountId)).findNewestReadings([device.deviceId]);
    return { status: 200, body: toDevice(device, newest.get(device.deviceId)) };
  },
};
