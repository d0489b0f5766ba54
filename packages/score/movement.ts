import { stressModel as model } from './model.js';
import type { Steps } from './rows/session.js';
import { type Device, type Movement, type Movements, round3 } from './rows/values.js';
import { listCategories, type MovementContext, type Reading } from './signals.js';
import type { HeartRateLevel, ScoreInput, TypicalHeartRate } from './situation.js';

/**
 * Returns the movement after a reading that reports an activity or steps. Zero steps do not mean rest, because cycling
 * has no steps.
 */
export function addStatedMovement(held: Movements, reading: MovementContext & { readonly atMs: number }): Movements {
  const value = statedRise(reading);
  if (value === 0 && reading.activity_level !== 'resting') return held;
  const { stated, movement, implied } = held;
  const { atMs } = reading;
  const statement = chooseNewerStatement(stated, { value, atMs });
  const moved = value > 0 ? chooseStrongerMovement(movement, { value, atMs }) : movement;
  if (statement === stated && moved === movement) return held;
  return { movement: moved, implied, stated: statement };
}

/** Returns the newer statement. Of two with the same timestamp, the stronger movement counts. */
export function chooseNewerStatement(held: Movements['stated'], other: Movements['stated']): Movements['stated'] {
  if (!held || !other) return held ?? other;
  return other.atMs > held.atMs || (other.atMs === held.atMs && other.value > held.value) ? other : held;
}

/**
 * Returns the part of the heart rate's rise that movement explains, in bpm. Stated rest excludes implied movement.
 * Without a statement, implied movement explains only a share of the rise, and nothing while a device counts no steps.
 */
export function explainRise(
  { movement, implied, stated }: Movements,
  { bpm, fastBpm }: Pick<HeartRateLevel, 'bpm' | 'fastBpm'>,
  atMs: number,
  typical: TypicalHeartRate,
  isStill = false,
): number {
  const rise = Math.max(0, bpm - typical.value);
  const isStated = stated && Math.abs(atMs - stated.atMs) < model.movement.statement_seconds * 1000;
  const impliedBpm = Math.max(computeExplainedRise(implied, atMs), inferExplainedRise(fastBpm, typical));
  const share = isStated ? Number(stated.value > 0) : isStill ? 0 : model.movement.implied_share_max;
  // A client states a workout once, so the statement does not fade while it applies.
  const statedBpm = Math.max(isStated ? stated.value : 0, computeExplainedRise(movement, atMs));
  return Math.min(rise, Math.max(statedBpm, Math.min(impliedBpm, share * rise)));
}

/**
 * Returns the heart rate rise that the activity or the steps of a reading explain in bpm, or 0. If both are present, the
 * larger rise counts.
 */
function statedRise({ activity_level, steps_last_minute }: MovementContext): number {
  const rises = model.movement.activity_rise_bpm;
  return Math.max(rises[activity_level ?? 'resting'], rises[classifySteps(steps_last_minute ?? 0)]);
}

function classifySteps(steps: number): keyof typeof model.movement.activity_rise_bpm {
  const { light_steps, moderate_steps, vigorous_steps } = model.movement;
  if (steps >= vigorous_steps) return 'vigorous';
  if (steps >= moderate_steps) return 'moderate';
  return steps >= light_steps ? 'light' : 'resting';
}

/** Returns what the device says of steps after a reading. */
export function countSteps(held: Steps | undefined, reading: MovementContext & { readonly atMs: number }) {
  const { steps_last_minute: steps, atMs } = reading;
  if (steps === undefined) return held;
  const movedMs = steps > 0 ? Math.max(held?.movedMs ?? 0, atMs) : held?.movedMs;
  return { fromMs: Math.min(held?.fromMs ?? atMs, atMs), atMs: Math.max(held?.atMs ?? atMs, atMs), movedMs };
}

/** Returns true if a device that counts steps has counted none for a while. */
export function isStill(steps: Steps | undefined, atMs: number): boolean {
  if (!steps || atMs - steps.atMs > model.movement.still_fresh_seconds * 1000) return false;
  return atMs - Math.max(steps.fromMs, steps.movedMs ?? 0) >= model.movement.still_seconds * 1000;
}

/** Returns true if a stated movement explains a part of a heart rate from `fromMs` on. */
export function hasMoved({ movement }: Movements, fromMs: number): boolean {
  return movement !== undefined && fromMs - movement.atMs < model.age.stale_after_seconds * 1000;
}

/**
 * Compares two movements at the time of the newer one. Returns the movement that explains the larger heart rate rise.
 */
export function chooseStrongerMovement(held: Movement | undefined, other: Movement | undefined): Movement | undefined {
  if (!held || !other) return held ?? other;
  const atMs = Math.max(held.atMs, other.atMs);
  return computeExplainedRise(other, atMs) > computeExplainedRise(held, atMs) ? other : held;
}

/** Returns the movement that a heart rate level implies. The movement applies to later readings. */
export function inferMovement(bpm: number, atMs: number, typical: TypicalHeartRate): Movement | undefined {
  const value = round3(inferExplainedRise(bpm, typical));
  return value > 0 ? { value, atMs } : undefined;
}

/** Returns the heart rate rise that movement still explains at a time in bpm above rest. */
export function computeExplainedRise(movement: Movement | undefined, atMs: number): number {
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
export function inferExplainedRise(bpm: number, typical: TypicalHeartRate): number {
  const { exertion_from_bpm, explained_bpm_per_bpm } = model.movement;
  const rise = bpm - typical.value;
  // The resting heart rate of an unknown person may exceed the typical one by up to `population_sd_bpm`.
  const from = exertion_from_bpm + (1 - typical.known) * model.heart_rate.population_sd_bpm;
  return Math.max(0, Math.min(rise, explained_bpm_per_bpm * (rise - from)));
}

/** Returns the device after a reading. Readings with the same timestamp may arrive in any order. */
export function updateDevice(held: Device | undefined, reading: Reading): Device | undefined {
  const { source_device: name, atMs } = reading;
  if (name === undefined || !listCategories(reading).includes('cardiovascular')) return held;
  if (!held) return { name, atMs };
  if (atMs < held.atMs) return held;
  if (name === held.name) return { ...held, atMs };
  return { name: atMs === held.atMs && held.name > name ? held.name : name, atMs, changedMs: atMs };
}

/** Returns the device with the newer heart data. For simultaneous readings, the order of arrival does not matter. */
export function chooseNewerDevice(held: Device | undefined, other: Device | undefined): Device | undefined {
  if (!held || !other) return held ?? other;
  if (other.atMs !== held.atMs) return other.atMs > held.atMs ? other : held;
  if (other.name !== held.name) return other.name > held.name ? other : held;
  return (other.changedMs ?? 0) > (held.changedMs ?? 0) ? other : held;
}

/** Returns the confidence, 0–1. It is lower for some minutes after a change of the device, and only 0 without evidence. */
export function reduceAfterDeviceChange(confidence: number, device: Device | undefined, atMs: number): number {
  const { device_change_seconds, device_change_share } = model.confidence;
  if (device?.changedMs === undefined || atMs - device.changedMs >= device_change_seconds * 1000) return confidence;
  return confidence === 0 ? 0 : Math.max(0.01, Math.floor(confidence * device_change_share * 100) / 100);
}

/** Returns true if the heart rate is raised as under stress. */
export function isRaised({ heart, typical }: Pick<ScoreInput, 'heart' | 'typical'>): boolean {
  const { value, stressedRiseBpm } = typical.heart_rate;
  return heart !== undefined && heart.bpm - value >= model.confidence.unlike_rise_share * stressedRiseBpm;
}

/** Returns true if the person's own level counts almost fully. */
export function isPersonal({ known }: Pick<TypicalHeartRate, 'known'>): boolean {
  return known >= model.baseline.personal_share;
}

/** Returns true if the heart rate has been raised for so long that the device may be worn by another person. */
export function isLikelyAnotherPerson(situation: Pick<ScoreInput, 'heart' | 'typical'>): boolean {
  const { heart_rate } = situation.typical;
  return isPersonal(heart_rate) && heart_rate.raisedSeconds >= model.confidence.unlike_seconds && isRaised(situation);
}

/** Returns true if the heart rate has been raised for at least half of the time since the device changed. */
export function isRaisedSinceChange(
  { typical, signals }: Pick<ScoreInput, 'signals' | 'typical'>,
  device: Device | undefined,
): boolean {
  const { changedMs = -Infinity } = device ?? {};
  const seconds = ((signals.heart_rate?.atMs ?? 0) - changedMs) / 1000;
  return 2 * typical.heart_rate.raisedSeconds >= seconds;
}
