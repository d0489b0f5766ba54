import { signals as contract } from '../../generated/spec.js';
import { clampToContract, type Field, type Signal } from './signals.js';

/*
 * The samples of a minute of a device may arrive in several bodies. They are united by their times, so that the minute has the
 * same values whatever body each sample was in: 5 and 3 others are 8, and the same 5 again are 5.
 */

/** A sample: ms from the start of the minute, and the value. Steps have the start of their interval. */
export type TimedValue = readonly [offsetMs: number, value: number];
/** Samples of a minute by field, in the order of their times. */
export type MinuteSamples = Partial<Record<Field, readonly TimedValue[]>>;

/** Samples of a field that a minute keeps. A device has at most one per second. */
const samplesMax = 64;

/** Returns the samples of both, each time once. Of two values of one time, the higher counts. */
export function uniteSamples(a: MinuteSamples, b: MinuteSamples): MinuteSamples {
  const fields = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort() as Field[];
  return Object.fromEntries(fields.map((field) => [field, uniteField([...(a[field] ?? []), ...(b[field] ?? [])])]));
}

function uniteField(all: readonly TimedValue[]): TimedValue[] {
  const byTime = new Map<number, number>();
  for (const [offsetMs, value] of all) byTime.set(offsetMs, Math.max(byTime.get(offsetMs) ?? -Infinity, value));
  const united = [...byTime].sort(([a], [b]) => a - b);
  // Evenly, so that more of them change nothing: those with the lowest times within each 64th of a minute.
  return united.length <= samplesMax ? united : thin(united);
}

function thin(united: readonly TimedValue[]): TimedValue[] {
  const slots = new Map<number, TimedValue>();
  for (const it of united) {
    const slot = Math.floor((it[0] * samplesMax) / 60_000);
    if (!slots.has(slot)) slots.set(slot, it);
  }
  return [...slots.values()];
}

/** Returns the values of a minute: the mean of each field, and the sum of steps. */
export function summarizeSamples(samples: MinuteSamples): Partial<Record<Signal, number>> {
  const entries = (Object.entries(samples) as [Signal, readonly TimedValue[]][]).map(([field, all]) => {
    const sum = all.reduce((total, [, value]) => total + value, 0);
    const value = field === 'steps_last_minute' ? Math.round(sum) : Math.round((sum / all.length) * 10) / 10;
    return [field, clampToContract(field, value)] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns true for a value that the contract allows. */
export function isPossible(field: Field, value: number): boolean {
  return value >= contract[field].minimum && value <= contract[field].maximum;
}
