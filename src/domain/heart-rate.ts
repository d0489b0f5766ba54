import { stressModel as model } from '../../generated/spec.js';
import type { Sample } from './signals.js';

/**
 * A session's heart rates of the last minute before its newest one, plain JSON of bounded size.
 * The newest is kept apart (`Signals.heart_rate`), so that readings of one instant may arrive in any order.
 */
export interface RecentHeartRates {
  /** Plausible readings, oldest first; only the last may be older than the smoothing window. */
  readonly slots: readonly Slot[];
  /** A reading that jumps away from the ones before it. The newest one confirms or refutes it. */
  readonly unconfirmed?: Sample<number>;
  /** The steadied level as of the last reading before the newest. */
  readonly steady: Sample<number>;
}

/** The mean of neighboring readings. */
interface Slot {
  /** Instants of its first and last reading, epoch ms. */
  readonly fromMs: number;
  readonly atMs: number;
  readonly bpm: number;
  /** Duration that its readings represent. */
  readonly seconds: number;
}

/** The heart rate as of the newest reading. */
export interface HeartLevel {
  /** Steadied, bpm. */
  readonly bpm: number;
  /** Robust mean of the smoothing window, bpm. */
  readonly fastBpm: number;
  /** False while a jump to the newest reading is unconfirmed; `bpm` is then the level before the jump. */
  readonly isConfirmed: boolean;
}

/** Moves the newest heart rate into the window once a later one has arrived; `restingBpm` is the resting level. */
export function passHeartRate(
  recent: RecentHeartRates | undefined,
  newest: Sample<number>,
  restingBpm: number,
): RecentHeartRates {
  const slots = settle(recent, newest);
  const steady = { value: heartLevel(recent, newest, restingBpm).bpm, atMs: newest.atMs };
  if (!isPlausible(slots.at(-1), newest, restingBpm)) return { slots, unconfirmed: newest, steady };
  return { slots: append(slots, newest), steady };
}

/**
 * Returns the level over the last window. Each reading is weighted by its duration, so that dense and sparse streams
 * give the same level. Extremes are trimmed.
 */
export function heartLevel(
  recent: RecentHeartRates | undefined,
  newest: Sample<number>,
  restingBpm: number,
): HeartLevel {
  const slots = settle(recent, newest);
  const last = slots.at(-1);
  const isConfirmed = isPlausible(last, newest, restingBpm);
  const counted = isConfirmed ? append(slots, newest) : slots;
  const startMs = newest.atMs - model.smoothing.window_seconds * 1000;
  const within = counted.filter(({ atMs }) => atMs > startMs);
  const fastBpm = within.length > 0 ? trimmedMean(within) : (last?.bpm ?? newest.value);
  return { bpm: steadied(recent?.steady, fastBpm, newest.atMs), fastBpm, isConfirmed };
}

/** Follows small changes of the level slowly. Stays within a maximum distance of it at large changes. */
function steadied(steady: Sample<number> | undefined, bpm: number, atMs: number): number {
  const { steady_seconds, steady_within_bpm, silence_seconds } = model.smoothing;
  if (!steady || atMs - steady.atMs >= silence_seconds * 1000) return bpm;
  const followed = bpm + (steady.value - bpm) * Math.exp(-(atMs - steady.atMs) / 1000 / steady_seconds);
  return Math.min(Math.max(followed, bpm - steady_within_bpm), bpm + steady_within_bpm);
}

/** Resolves an unconfirmed jump. It is confirmed if the newest reading is closer to it than to the level before. */
function settle(recent: RecentHeartRates | undefined, newest: Sample<number>): readonly Slot[] {
  if (!recent) return [];
  const { slots, unconfirmed } = recent;
  const last = slots.at(-1);
  if (!unconfirmed || !last) return slots;
  const isConfirmed = Math.abs(newest.value - unconfirmed.value) < Math.abs(newest.value - last.bpm);
  return isConfirmed ? append(slots, unconfirmed) : slots;
}

/** Returns false for a jump that is too large for the time between two readings. */
function isPlausible(last: Slot | undefined, { value, atMs }: Sample<number>, restingBpm: number): boolean {
  if (!last || atMs - last.atMs >= model.age.stale_after_seconds * 1000) return true;
  const { jump_bpm, jump_bpm_per_second, below_rest_bpm } = model.plausibility;
  // A longer pause allows no larger jump to a rate below rest.
  const seconds = value < restingBpm - below_rest_bpm ? 0 : (atMs - last.atMs) / 1000;
  return Math.abs(value - last.bpm) <= jump_bpm + jump_bpm_per_second * seconds;
}

/** Adds a reading behind the last slot, or to it while it is short; drops what has left the window. */
function append(slots: readonly Slot[], { value, atMs }: Sample<number>): readonly Slot[] {
  const last = slots.at(-1);
  const seconds = Math.min(
    last ? (atMs - last.atMs) / 1000 : model.smoothing.window_seconds,
    model.smoothing.window_seconds,
  );
  if (last && atMs - last.fromMs < model.smoothing.slot_seconds * 1000) {
    const bpm = last.bpm + ((value - last.bpm) * seconds) / (last.seconds + seconds);
    return [...slots.slice(0, -1), { fromMs: last.fromMs, atMs, bpm, seconds: last.seconds + seconds }];
  }
  const startMs = atMs - model.smoothing.window_seconds * 1000;
  return [...slots.filter((slot) => slot.atMs > startMs), { fromMs: atMs, atMs, bpm: value, seconds }];
}

/** Weighted mean without the lowest and the highest share of the weight. */
function trimmedMean(slots: readonly Slot[]): number {
  const ascending = [...slots].sort((a, b) => a.bpm - b.bpm);
  const total = ascending.reduce((sum, { seconds }) => sum + seconds, 0);
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
