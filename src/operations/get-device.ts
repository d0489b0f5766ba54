import type { Schema } from '../contract/contract.js';
import type { Grant } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import { createDeviceTable } from '../store/devices.js';
import { isHidden } from '../view/grant.js';
import { findDevicesOf } from './list-devices.js';
import type { OperationRecord, Services } from './operation.js';

/** Returns a device, or a source key of a person. */
export const getDevice: OperationRecord<'getDevice', 'store' | 'now' | 'digestId'> = {
  personalData: 'reads',
  async handle(services, { params: { device_id }, query: { subject_id } }, caller) {
    const body = await requireDevice(services, caller, device_id, subject_id);
    return { status: 200, body, whose: { kind: 'person', subjectId: body.subject_id } };
  },
};

/**
 * Returns a device, or a source key of a person: of `ownerId`, if it is defined. Rejects with device_not_found if the caller
 * sees none with this id.
 */
export async function requireDevice(
  { store, now, digestId }: Pick<Services, 'store' | 'now' | 'digestId'>,
  caller: Grant,
  deviceId: string,
  ownerId?: string,
): Promise<Schema<'Device'>> {
  const scope = store.read(caller.accountId);
  const subjectId = await createDeviceTable(scope).findOwner(deviceId);
  const isOther = ownerId !== undefined && ownerId !== subjectId;
  if (subjectId === undefined || isOther || isHidden(caller, subjectId)) throw new ProblemError('device_not_found');
  const devices = await findDevicesOf(scope, subjectId, now(), digestId);
  const found = devices.find((it) => it.device_id === deviceId);
  if (!found) throw new ProblemError('device_not_found');
  return found;
}
