import { stressModel as model } from '../../generated/spec.js';
import { categoriesOf, type Reading } from './signals.js';

/** The device that measured the newest heart data of a session. */
export interface Device {
  readonly name: string;
  /** Timestamp of its newest heart data, epoch ms. */
  readonly atMs: number;
  /** Time of the last change of the device, epoch ms. Absent before the first change. */
  readonly changedMs?: number | undefined;
}

/** Returns the device after a reading. Readings with the same timestamp may arrive in any order. */
export function followDevice(held: Device | undefined, reading: Reading): Device | undefined {
  const { source_device: name, atMs } = reading;
  if (name === undefined || !categoriesOf(reading).includes('cardiovascular')) return held;
  if (!held) return { name, atMs };
  if (atMs < held.atMs) return held;
  if (name === held.name) return { ...held, atMs };
  return { name: atMs === held.atMs && held.name > name ? held.name : name, atMs, changedMs: atMs };
}

/** Returns the confidence, 0–1, which is lower after a change of the device. */
export function afterDeviceChange(confidence: number, device: Device | undefined, atMs: number): number {
  const { device_change_seconds, device_change_share } = model.confidence;
  if (device?.changedMs === undefined || atMs - device.changedMs >= device_change_seconds * 1000) return confidence;
  return Math.floor(confidence * device_change_share * 100) / 100;
}
