import { stressModel as model } from '../../generated/spec.js';
import type { TypicalHeartRate } from './baseline.js';
import { round3 } from './rounding.js';
import type { Sample } from './signals.js';
import { followQuiet, type QuietRate } from './sudden-rise.js';

/**
 * Heart rates of a session in the last minute. Plain JSON of bounded size. The newest heart rate is stored separately
 * (`Signals.heart_rate`), so that readings with the same timestamp may arrive in any order.
 */
export interface RecentHeartRates {
  /** Plausible readings, oldest first. Only the last one may be older than the smoothing window. */
  readonly slots: readonly Slot[];
  /** Timestamp of the first reading of the last slot, epoch ms. Absent if the slot has one reading. */
  readonly slotFromMs?: number | undefined;
  /** A jump to a very different heart rate. The newest reading confirms or refutes it. */
  readonly unconfirmed?: Sample<number> | undefined;
  /** The level before the newest reading, bpm. */
  readonly steadyBpm: number;
  /**
   * Time since which the mean is back at the typical heart rate while `steadyBpm` is higher, epoch ms. Absent
   * otherwise.
   */
  readonly backSinceMs?: number | undefined;
  /** The last quiet minutes. Absent in rows of releases without them. */
  readonly quiet?: QuietRate | undefined;
}

type Slots = Pick<RecentHeartRates, 'slots' | 'slotFromMs'>;

/** Mean of neighboring readings. */
interface Slot {
  /** Timestamp of the slot's last reading, epoch ms. */
  readonly atMs: number;
  readonly bpm: number;
  /** Duration that the slot's readings represent, s. */
  readonly seconds: number;
}

/** The heart rate as of the newest reading. */
export interface HeartLevel {
  /** Smoothed heart rate, bpm, which follows small changes slowly. */
  readonly bpm: number;
  /** Trimmed mean of the smoothing window, bpm. */
  readonly fastBpm: number;
  /** False while a jump to the newest reading is unconfirmed. `bpm` is then the level before the jump. */
  readonly isConfirmed: boolean;
  /** Rise above the last quiet minutes, bpm. Absent without a sudden rise. */
  readonly suddenBpm?: number | undefined;
}

/** A level with the slots that it was computed from. */
interface Measured extends HeartLevel, Pick<RecentHeartRates, 'backSinceMs'> {
  readonly counted: Slots;
  readonly quiet: QuietRate;
}

/**
 * Returns the heart rate level over the last window. Each reading is weighted by its duration, so that dense and sparse
 * streams give the same level. The highest and lowest rates are trimmed.
 */
export function heartLevel(
  recent: RecentHeartRates | undefined,
  newest: Sample<number>,
  typical: TypicalHeartRate,
): Measured {
  const settled = settle(recent, newest);
  const last = settled.slots.at(-1);
  const isConfirmed = isPlausible(last, newest, typical.restingBpm);
  const counted = isConfirmed ? append(settled, newest) : settled;
  const fastBpm = trimmedMean(counted.slots, newest.atMs) ?? last?.bpm ?? newest.value;
  const { bpm, backSinceMs } = follow(recent, { value: fastBpm, atMs: newest.atMs }, typical.value);
  const quiet = followQuiet(recent?.quiet, fastBpm, secondsSince(recent, newest.atMs));
  return { bpm, backSinceMs, fastBpm, isConfirmed, counted, quiet };
}

/** Moves a heart rate into the window. Called when a later heart rate has arrived. */
export function passHeartRate(
  newest: Sample<number>,
  { bpm, isConfirmed, counted, backSinceMs, quiet }: Measured,
): RecentHeartRates {
  const { slots, slotFromMs } = counted;
  const unconfirmed = isConfirmed ? undefined : newest;
  return { slots, slotFromMs, unconfirmed, steadyBpm: round3(bpm), backSinceMs, quiet };
}

/**
 * Returns the smoothed level. It follows small changes slowly and stays within a maximum distance of `bpm`. After a
 * lasting return to the typical heart rate, it is `bpm`.
 */
function follow(
  recent: RecentHeartRates | undefined,
  { value: bpm, atMs }: Sample<number>,
  typicalBpm: number,
): Pick<Measured, 'bpm' | 'backSinceMs'> {
  const { steady_seconds, steady_within_bpm, silence_seconds, back_seconds, back_from_bpm, back_to_bpm } =
    model.smoothing;
  const seconds = secondsSince(recent, atMs);
  if (!recent || seconds >= silence_seconds) return { bpm };
  const isBack = recent.steadyBpm - bpm >= back_from_bpm && bpm <= typicalBpm + back_to_bpm;
  const backSinceMs = isBack ? (recent.backSinceMs ?? atMs) : undefined;
  if (backSinceMs !== undefined && atMs - backSinceMs >= back_seconds * 1000) return { bpm };
  const followed = bpm + (recent.steadyBpm - bpm) * Math.exp(-seconds / steady_seconds);
  return { bpm: Math.min(Math.max(followed, bpm - steady_within_bpm), bpm + steady_within_bpm), backSinceMs };
}

/** Returns the time since the previous heart rate, s. */
function secondsSince(recent: RecentHeartRates | undefined, atMs: number): number {
  const previous = recent?.unconfirmed ?? recent?.slots.at(-1);
  return previous ? (atMs - previous.atMs) / 1000 : Infinity;
}

/**
 * Resolves an unconfirmed jump. The jump is confirmed if the newest reading is closer to it than to the level before.
 */
function settle(recent: RecentHeartRates | undefined, newest: Sample<number>): Slots {
  if (!recent) return { slots: [] };
  const last = recent.slots.at(-1);
  const { unconfirmed } = recent;
  if (!unconfirmed || !last) return recent;
  const isConfirmed = Math.abs(newest.value - unconfirmed.value) < Math.abs(newest.value - last.bpm);
  return isConfirmed ? append(recent, unconfirmed) : recent;
}

/** Returns false for a jump that is too large for the time between two readings. */
function isPlausible(last: Slot | undefined, { value, atMs }: Sample<number>, restingBpm: number): boolean {
  if (!last || atMs - last.atMs >= model.age.stale_after_seconds * 1000) return true;
  const { jump_bpm, jump_bpm_per_second, below_rest_bpm } = model.plausibility;
  // For a rate far below rest, a longer pause does not allow a larger jump.
  const seconds = value < restingBpm - below_rest_bpm ? 0 : (atMs - last.atMs) / 1000;
  return Math.abs(value - last.bpm) <= jump_bpm + jump_bpm_per_second * seconds;
}

/**
 * Adds a reading to the last slot if that slot is short, otherwise as a new slot. Drops the slots that are older than
 * the window.
 */
function append({ slots, slotFromMs }: Slots, { value, atMs }: Sample<number>): Slots {
  const { window_seconds, slot_seconds } = model.smoothing;
  const last = slots.at(-1);
  const seconds = last ? Math.min((atMs - last.atMs) / 1000, window_seconds) : window_seconds;
  const fromMs = slotFromMs ?? last?.atMs ?? atMs;
  if (last && atMs - fromMs < slot_seconds * 1000) {
    const bpm = round3(last.bpm + ((value - last.bpm) * seconds) / (last.seconds + seconds));
    const longer = { atMs, bpm, seconds: round3(last.seconds + seconds) };
    return { slots: slots.with(-1, longer), slotFromMs: fromMs };
  }
  const within = slots.filter((slot) => slot.atMs > atMs - window_seconds * 1000);
  within.push({ atMs, bpm: round3(value), seconds });
  return { slots: within };
}

/** Returns the trimmed mean of the window, weighted by duration. Undefined without slots. */
function trimmedMean(slots: readonly Slot[], atMs: number): number | undefined {
  const startMs = atMs - model.smoothing.window_seconds * 1000;
  const ascending = slots.filter((slot) => slot.atMs > startMs).sort((a, b) => a.bpm - b.bpm);
  if (ascending.length < 2) return ascending[0]?.bpm;
  let total = 0;
  for (const { seconds } of ascending) total += seconds;
  const [low, high] = [total * model.smoothing.trimmed_share, total * (1 - model.smoothing.trimmed_share)];
  let [passed, sum, weight] = [0, 0, 0];
  for (const { bpm, seconds } of ascending) {
    const inside = Math.max(0, Math.min(passed + seconds, high) - Math.max(passed, low));
    sum += bpm * inside;
    weight += inside;
    passed += seconds;
  }
  return sum / weight;
}
