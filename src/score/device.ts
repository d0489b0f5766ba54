import { stressModel as model } from '../../generated/spec.js';
import { categoriesOf, type Reading } from './signals.js';
import type { Situation } from './stress.js';

/** The device that measured the newest heart data of a session or a person. */
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

/** Returns the device with the newer heart data. For simultaneous readings, the order of arrival does not matter. */
export function newerDevice(held: Device | undefined, other: Device | undefined): Device | undefined {
  if (!held || !other) return held ?? other;
  if (other.atMs !== held.atMs) return other.atMs > held.atMs ? other : held;
  if (other.name !== held.name) return other.name > held.name ? other : held;
  return (other.changedMs ?? 0) > (held.changedMs ?? 0) ? other : held;
}

/** Returns the confidence, 0–1. It is lower for some minutes after a change of the device. */
export function afterDeviceChange(confidence: number, device: Device | undefined, atMs: number): number {
  const { device_change_seconds, device_change_share } = model.confidence;
  if (device?.changedMs === undefined || atMs - device.changedMs >= device_change_seconds * 1000) return confidence;
  return Math.floor(confidence * device_change_share * 100) / 100;
}

/** Returns true if the heart rate is raised as under stress. */
export function isRaised({ heart, typical }: Pick<Situation, 'heart' | 'typical'>): boolean {
  const { value, stressedRiseBpm } = typical.heart_rate;
  return heart !== undefined && heart.bpm - value >= model.confidence.unlike_rise_share * stressedRiseBpm;
}

/** Returns true if the heart rate has been raised for so long that the device may be worn by another person. */
export function isUnlikePerson(situation: Pick<Situation, 'heart' | 'typical'>): boolean {
  const { isPersonal, raisedSeconds } = situation.typical.heart_rate;
  return isPersonal && raisedSeconds >= model.confidence.unlike_seconds && isRaised(situation);
}
