import type { components } from '../../generated/api.js';
import { signals as contract } from '../../generated/spec.js';

/** A reading as the service accepts it. */
export type Submission = components['schemas']['SignalSubmission'];
type Contract = typeof contract;
/** The signals whose value is a number. */
export type Signal = { [N in keyof Contract]: Submission[N] extends number | undefined ? N : never }[keyof Contract];
export const signals = (Object.keys(contract) as (keyof Contract)[]).filter(
  (name): name is Signal => 'minimum' in contract[name] && !('items_max' in contract[name]),
);

/** The fields of a reading that recordings contain. */
export type Field = Signal | 'rr_intervals_ms';

/** Returns the nearest value that the contract allows for the signal. */
export function clampToContract(signal: Signal, value: number): number {
  const { type, minimum, maximum } = contract[signal];
  return Math.min(maximum, Math.max(minimum, type === 'integer' ? Math.round(value) : value));
}
