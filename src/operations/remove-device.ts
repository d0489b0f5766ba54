import { ProblemError } from '../contract/problem.js';
import { removeSourceKey } from '../keys/source-keys.js';
import { createDeviceTable } from '../store/devices.js';
import { createKeyTable } from '../store/keys.js';
import { requireDevice } from './get-device.js';
import type { OperationRecord } from './operation.js';

/** Removes a device, or ends a source key of a person. */
export const removeDevice: OperationRecord<'removeDevice', 'store' | 'now' | 'digestId'> = {
  personalData: 'none',
  async handle(services, { params: { device_id } }, caller) {
    const { store, now } = services;
    const { accountId, keyId } = caller;
    const { source } = await requireDevice(services, caller, device_id);
    const isRemoved = await (source === undefined
      ? store.transact((scopeOf) => createDeviceTable(scopeOf(accountId)).remove(device_id))
      : removeSourceKey(store.use(createKeyTable), { accountId, keyId, actor: keyId }, device_id, now()));
    if (!isRemoved) throw new ProblemError('device_not_found');
    return { status: 204 };
  },
};
