import { devices as settings } from '../../generated/spec.js';
import type { Session } from '../../packages/score/rows/session.js';
import type { Fault, Submission } from '../contract/contract.js';
import type { Grant } from '../contract/grant.js';
import { createFault, ProblemError } from '../contract/problem.js';
import { deviceIdFormat } from '../store/devices.js';
import { isHidden } from '../view/grant.js';
import type { PreparedReading } from './prepared-reading.js';
import type { GroupProgress } from './progress.js';

/*
 * A reading with a `device_id` is one of the device's person, in the session of the device and UTC day. It is resolved
 * before all checks, so that grants and limits know the session. Readings without a device run nothing of this file.
 */

/** A submission whose session is known. */
export type NamedSubmission = Submission & { readonly session_id: string };

/** What a reading keeps of its device. */
export interface DeviceOfReading {
  /** The device ends with an erasure of its person since, in epoch ms. */
  readonly issuedAtMs: number;
  /** The session of the day before, which the first reading of a day may continue. Absent later on the day. */
  readonly before?: string;
}

/** Returns what is stored under a name, from the cache of credentials. Its misses are cached, too. */
export type FindStored = (name: string) => Promise<Grant | undefined>;

/** A body that names a device. */
export interface Named {
  readonly device_id: unknown;
}

/**
 * Returns the device that a body names. Undefined for an unknown one, which looks the same as that of another account, or
 * of a person that the caller does not see.
 */
export async function findDevice(
  find: FindStored,
  caller: Grant,
  { device_id: id }: Named,
): Promise<Grant | undefined> {
  // A session token sends for its own session only, and learns of no device.
  if (caller.kind === 'session' || typeof id !== 'string' || !deviceIdFormat.test(id)) return undefined;
  const device = await find(`device ${caller.accountId} ${id}`);
  return device && !isHidden(caller, device.subjectId) ? device : undefined;
}

/** Returns the validation errors that the schema does not state. */
export function findDeviceFaults(caller: Grant, body: Named, device: Grant | undefined): Fault[] {
  const isUnknown = !device && typeof body.device_id === 'string' && caller.kind !== 'session';
  return [
    ...(isUnknown ? [createFault('device_unknown', { pointer: '/device_id' })] : []),
    ...(Object.hasOwn(body, 'source_device') ? [createFault('device_label', { pointer: '/source_device' })] : []),
  ];
}

const dayMs = 86_400_000;

/** Returns a valid submission with the session, person and label of its device. Throws if it names another person. */
export function nameSession(
  { keyId: deviceId, subjectId = '', issuedAtMs = 0 }: Grant,
  { device_id: _, ...submission }: Submission,
): { readonly submission: NamedSubmission; readonly device: DeviceOfReading } {
  const { subject_id = subjectId, timestamp, backfill = false } = submission;
  if (subject_id !== subjectId)
    throw new ProblemError('subject_mismatch', {
      faults: [createFault('subject_mismatch', { pointer: '/subject_id' })],
    });
  const atMs = Date.parse(timestamp);
  const toSession = (ms: number) => `${deviceId}-${new Date(ms).toISOString().slice(0, 10)}`;
  const isEarly = !backfill && atMs % dayMs <= settings.continues_seconds * 1000;
  return {
    submission: { ...submission, session_id: toSession(atMs), subject_id, source_device: deviceId },
    device: { issuedAtMs, ...(isEarly && { before: toSession(atMs - dayMs) }) },
  };
}

/** Returns the error of a device whose person was erased since. Undefined for other readings. */
export function findEndedDevice(
  { erasedAtMs }: GroupProgress,
  { device, subjectId = '' }: PreparedReading,
): ProblemError | undefined {
  if (!device || device.issuedAtMs > erasedAtMs({ kind: 'subject', id: subjectId })) return undefined;
  return new ProblemError('validation_failed', { faults: [createFault('device_unknown', { pointer: '/device_id' })] });
}

/**
 * Returns the session that the first reading of a day continues: that of the device on the day before, if its newest reading
 * is recent. Otherwise each midnight would lose the event of a change. Undefined if there is none.
 */
export function findContinued(
  { sessions, others }: GroupProgress,
  { device, subjectId, timestampMs }: PreparedReading,
): Session | undefined {
  if (device?.before === undefined) return undefined;
  const session = sessions.get(device.before)?.session ?? others?.get(device.before);
  if (!session || session.isBackfilled || session.subjectId !== subjectId) return undefined;
  if (timestampMs - session.latest.timestampMs > settings.continues_seconds * 1000) return undefined;
  // The past, and the topics of a conversation, are those of the day before.
  const { past: _, sightedTopics: __, ...state } = session;
  return state;
}
