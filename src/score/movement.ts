import { stressModel as model } from '../../generated/spec.js';
import type { TypicalHeartRate } from './baseline.js';
import type { HeartLevel } from './heart-rate.js';
import { round3 } from './rounding.js';
import type { Context, Sample } from './signals.js';

/**
 * Heart rate rise that movement explains at a time, in bpm above rest. The explained rise decays as the heart recovers.
 */
export type Movement = Sample<number>;

/** Movement of a session. Each field is absent until its first value. */
export interface Movements {
  /** The strongest stated movement. */
  readonly movement?: Movement | undefined;
  /** The strongest movement that a heart rate implied. */
  readonly implied?: Movement | undefined;
  /** The newest statement of activity, in bpm above rest. 0 for stated rest. */
  readonly stated?: Sample<number> | undefined;
}

/**
 * Returns the movement after a reading that states an activity or steps. Zero steps do not state rest, because cycling
 * has no steps.
 */
export function addStated(held: Movements, reading: Context & { readonly atMs: number }): Movements {
  const value = statedRise(reading);
  if (value === 0 && reading.activity_level !== 'resting') return held;
  const { stated, movement, implied } = held;
  const { atMs } = reading;
  const isNewest = !stated || atMs > stated.atMs || (atMs === stated.atMs && value > stated.value);
  const moved = value > 0 ? strongerMovement(movement, { value, atMs }) : movement;
  if (!isNewest && moved === movement) return held;
  return { movement: moved, implied, stated: isNewest ? { value, atMs } : stated };
}

/**
 * Returns the part of the heart rate's rise that movement explains, bpm. Stated rest excludes implied movement. Without a
 * statement, implied movement explains only a share of the rise.
 */
export function explainRise(
  { movement, implied, stated }: Movements,
  { bpm, fastBpm }: Pick<HeartLevel, 'bpm' | 'fastBpm'>,
  atMs: number,
  typical: TypicalHeartRate,
): number {
  const rise = Math.max(0, bpm - typical.value);
  const isStated = stated && Math.abs(atMs - stated.atMs) < model.movement.statement_seconds * 1000;
  const impliedBpm = Math.max(riseAt(implied, atMs), impliedRise(fastBpm, typical));
  const share = !isStated ? model.movement.implied_share_max : stated.value > 0 ? 1 : 0;
  return Math.min(rise, Math.max(riseAt(movement, atMs), Math.min(impliedBpm, share * rise)));
}

/**
 * Returns the heart rate rise that the activity or the steps of a reading explain, bpm, or 0. If both are present, the
 * larger rise counts.
 */
function statedRise({ activity_level, steps_last_minute }: Context): number {
  const rises = model.movement.activity_rise_bpm;
  return Math.max(rises[activity_level ?? 'resting'], rises[activityOf(steps_last_minute ?? 0)]);
}

function activityOf(steps: number): keyof typeof model.movement.activity_rise_bpm {
  const { light_steps, moderate_steps, vigorous_steps } = model.movement;
  if (steps >= vigorous_steps) return 'vigorous';
  if (steps >= moderate_steps) return 'moderate';
  return steps >= light_steps ? 'light' : 'resting';
}

/** Returns true if a stated movement explains a part of a heart rate from `fromMs` on. */
export function hasMoved({ movement }: Movements, fromMs: number): boolean {
  return movement !== undefined && fromMs - movement.atMs < model.age.stale_after_seconds * 1000;
}

/**
 * Compares two movements at the time of the newer one. Returns the movement that explains the larger heart rate rise.
 */
export function strongerMovement(held: Movement | undefined, other: Movement | undefined): Movement | undefined {
  if (!held || !other) return held ?? other;
  const atMs = Math.max(held.atMs, other.atMs);
  return riseAt(other, atMs) > riseAt(held, atMs) ? other : held;
}

/** Returns the movement that a heart rate level implies. The movement applies to later readings. */
export function impliedMovement(bpm: number, atMs: number, typical: TypicalHeartRate): Movement | undefined {
  const value = round3(impliedRise(bpm, typical));
  return value > 0 ? { value, atMs } : undefined;
}

/** Returns the heart rate rise that movement still explains at a time, bpm above rest. */
export function riseAt(movement: Movement | undefined, atMs: number): number {
  if (!movement) return 0;
  const seconds = Math.max(0, atMs - movement.atMs) / 1000;
  if (seconds >= model.age.stale_after_seconds) return 0;
  return movement.value * 2 ** (-seconds / model.movement.recovery_half_life_seconds);
}

/**
 * Returns the part of the heart rate, in bpm above rest, that movement explains. A rise above about 40 bpm is too high
 * for mental stress alone and implies movement. Above this limit, the explained part grows faster than the rise until
 * both are equal.
 */
export function impliedRise(bpm: number, typical: TypicalHeartRate): number {
  const { exertion_from_bpm, explained_bpm_per_bpm } = model.movement;
  const rise = bpm - typical.value;
  // The resting heart rate of an unknown person may exceed the typical one by up to `population_sd_bpm`.
  const from = exertion_from_bpm + (1 - typical.known) * model.heart_rate.population_sd_bpm;
  return Math.max(0, Math.min(rise, explained_bpm_per_bpm * (rise - from)));
}
