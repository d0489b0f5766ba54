import { devices as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { DigestId } from '../store/erased-ids.js';
import { createDeviceTable, type StoredDevice } from '../store/devices.js';
import { omitLeftovers } from '../store/leftovers.js';
import type { ReadScope } from '../store/scope.js';
import { createSourceKeyTable, type SourceKey } from '../store/source-keys.js';
import type { OperationRecord } from './operation.js';

/** Returns the devices and source keys of a person. */
export const listDevices: OperationRecord<'listDevices', 'store' | 'now' | 'digestId'> = {
  personalData: 'reads',
  async handle({ store, now, digestId }, { query: { subject_id } }, { accountId }) {
    return { status: 200, body: { devices: await findDevicesOf(store.read(accountId), subject_id, now(), digestId) } };
  },
};

/** Returns the devices and source keys of a person as the contract shows them, newest first. `nowMs` is epoch ms. */
export async function findDevicesOf(
  scope: ReadScope,
  subjectId: string,
  nowMs: number,
  digestId: DigestId,
): Promise<Array<Schema<'Device'>>> {
  const table = createDeviceTable(scope);
  const own = (await omitLeftovers(scope, await table.list(subjectId), digestId)).slice(0, settings.per_subject_max);
  const keys = await createSourceKeyTable(scope).list(subjectId, nowMs, settings.per_subject_max);
  const newest = await table.findNewestReadings(own.map(({ deviceId }) => deviceId));
  const devices = [
    ...own.map((it) => toDevice(it, newest.get(it.deviceId))),
    ...(await omitLeftovers(scope, keys, digestId)).map(toDeviceOfKey),
  ];
  return devices.sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
}

/** Returns a device as the contract shows it. `newestMs` is the time of its newest reading in epoch ms. */
export function toDevice(device: StoredDevice, newestMs: number | undefined): Schema<'Device'> {
  const { deviceId: device_id, subjectId: subject_id, name, kind, createdAtMs } = device;
  const last_reading_at = newestMs === undefined ? null : new Date(newestMs).toISOString();
  return { device_id, subject_id, name, kind, created_at: new Date(createdAtMs).toISOString(), last_reading_at };
}

function toDeviceOfKey({ sourceKeyId, subjectId, source, createdAtMs, lastUsedAtMs }: SourceKey): Schema<'Device'> {
  const device = { deviceId: sourceKeyId, subjectId: subjectId ?? '', name: source, kind: 'app', createdAtMs } as const;
  return { ...toDevice(device, lastUsedAtMs ?? undefined), source };
}
