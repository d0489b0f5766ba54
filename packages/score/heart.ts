import type { BaselineSample } from './baseline.js';
import { addOtherMovements, type Sharing } from './live.js';
import { stressModel as model } from './model.js';
import {
  addStatedMovement,
  countSteps,
  explainRise,
  hasMoved,
  inferMovement,
  isRaised,
  isStill,
  chooseStrongerMovement,
} from './movement.js';
import type { HeartCourse } from './rows/person.js';
import type { QuietHeartRate, RecentHeartRates, Session, HeartRateSlot } from './rows/session.js';
import { type Device, type Movements, round3, type Sample, type Signals } from './rows/values.js';
import type { Reading } from './signals.js';
import type { HeartRateLevel, ScoreInput, TypicalHeartRate } from './situation.js';
import { isExertion } from './stress.js';

type Slots = Pick<RecentHeartRates, 'slots' | 'slotFromMs'>;

/** A level with the slots that it was computed from. */
interface Measured extends HeartRateLevel, Pick<RecentHeartRates, 'backSinceMs'> {
  readonly counted: Slots;
  readonly quiet: QuietHeartRate;
}

/**
 * Returns the heart rate level over the last window. Each reading is weighted by its duration, so that dense and sparse
 * streams give the same level. The highest and lowest rates are trimmed.
 */
export function computeHeartRateLevel(
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
  const quiet = updateQuietHeartRate(recent?.quiet, fastBpm, secondsSince(recent, newest.atMs));
  return { bpm, backSinceMs, fastBpm, isConfirmed, counted, quiet };
}

/** Moves a heart rate into the window. Called when a later heart rate has arrived. */
export function addToWindow(
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
  const { steady_seconds, steady_within_bpm, silence_seconds } = model.smoothing;
  const { back_seconds, back_gaps, back_from_bpm, back_to_bpm } = model.smoothing;
  const seconds = secondsSince(recent, atMs);
  if (!recent || seconds >= silence_seconds) return { bpm };
  const isBack = recent.steadyBpm - bpm >= back_from_bpm && bpm - typicalBpm <= back_to_bpm;
  const backSinceMs = isBack ? (recent.backSinceMs ?? atMs) : undefined;
  const lasting = Math.max(back_seconds, back_gaps * seconds);
  if (backSinceMs !== undefined && atMs - backSinceMs >= lasting * 1000) return { bpm };
  const followed = bpm + (recent.steadyBpm - bpm) * Math.exp(-seconds / steady_seconds);
  return { bpm: Math.min(Math.max(followed, bpm - steady_within_bpm), bpm + steady_within_bpm), backSinceMs };
}

/** Returns the time since the previous heart rate in seconds. */
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
function isPlausible(last: HeartRateSlot | undefined, { value, atMs }: Sample<number>, restingBpm: number): boolean {
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
function trimmedMean(slots: readonly HeartRateSlot[], atMs: number): number | undefined {
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

/**
 * The result of one reading: the smoothed heart rate, the part of it that movement explains, and the heart data that the
 * session stores.
 */
interface AdvancedHeart extends Pick<Session, 'recent'>, Pick<ScoreInput, 'heart' | 'explainedBpm'> {
  readonly movements: Movements;
  /** `movements` with those that other sessions of the person state. */
  readonly allMovements: Movements;
}

/** Smooths the heart rate and determines the part that movement explains. */
export function processHeartRate(
  session: Session | undefined,
  reading: Reading,
  { heart_rate: newest }: Signals,
  typical: TypicalHeartRate,
  sharing?: Sharing,
): AdvancedHeart {
  const { recent, implied } = passHeart(session, newest, typical);
  const movements = addStatedMovement({ movement: session?.movement, implied, stated: session?.stated }, reading);
  const allMovements = sharing?.live ? addOtherMovements(movements, sharing) : movements;
  if (!newest) return { recent, movements, allMovements, explainedBpm: 0 };
  const { bpm, fastBpm, isConfirmed, quiet } = computeHeartRateLevel(recent, newest, typical);
  const riseMs = newest.atMs - (quiet.raisedSeconds ?? 0) * 1000;
  const suddenBpm = hasMoved(allMovements, riseMs) ? undefined : detectSuddenRise(quiet, fastBpm, typical);
  const heart = { bpm, fastBpm, isConfirmed, suddenBpm };
  const isQuiet = isStill(countSteps(session?.steps, reading), newest.atMs);
  const explainedBpm = explainRise(allMovements, heart, newest.atMs, typical, isQuiet);
  return { recent, movements, allMovements, heart, explainedBpm };
}

/** Adds the previous heart rate to the smoothing window, and adds the movement that it implies. */
function passHeart(
  session: Session | undefined,
  newest: Signals['heart_rate'],
  typical: TypicalHeartRate,
): Pick<Session, 'recent' | 'implied'> {
  const before = session?.signals.heart_rate;
  if (!before || !newest || newest.atMs <= before.atMs) return { recent: session?.recent, implied: session?.implied };
  const level = computeHeartRateLevel(session.recent, before, typical);
  const implied = inferMovement(level.fastBpm, before.atMs, typical);
  return { recent: addToWindow(before, level), implied: chooseStrongerMovement(session.implied, implied) };
}

/**
 * Returns the input for the baseline: the smoothed heart rate, SDNN and RMSSD of the reading. Omits a value if the
 * session has a newer one. The baseline does not learn from a heart rate that movement explains.
 */
export function toBaselineSample(
  { atMs, sdnn, rmssd, source_device }: Reading,
  { signals, heart, typical, explainedBpm }: ScoreInput,
  device: Device | undefined,
  course?: HeartCourse,
): BaselineSample {
  return {
    atMs,
    course,
    source_device,
    device,
    sdnn: signals.sdnn?.atMs === atMs ? sdnn : undefined,
    rmssd: signals.rmssd?.atMs === atMs ? rmssd : undefined,
    heart_rate: signals.heart_rate?.atMs === atMs ? heart?.bpm : undefined,
    isSkipped: isExertion({ heart, typical, explainedBpm }),
    isRaised: isRaised({ heart, typical }),
  };
}

/**
 * Adds a heart rate to the mean of the quiet time. `gapSeconds` is the time since the previous rate. Starts a new mean
 * after a pause, or after a rise that has lasted long.
 */
export function updateQuietHeartRate(
  held: QuietHeartRate | undefined,
  bpm: number,
  gapSeconds: number,
): QuietHeartRate {
  const { pause_seconds, rise_seconds_max } = model.sudden_rise;
  const start = { bpm: round3(bpm), variance: 0, seconds: 0 };
  if (!held || gapSeconds > pause_seconds) return start;
  if (!isAboveQuiet(held, bpm, gapSeconds)) return include(held, bpm, gapSeconds);
  const raisedSeconds = held.raisedSeconds === undefined ? 0 : round3(held.raisedSeconds + gapSeconds);
  return raisedSeconds > rise_seconds_max ? start : { ...held, raisedSeconds };
}

/**
 * Returns how far a heart rate is above the quiet minutes in bpm, once the rise has lasted. Undefined otherwise, and for a
 * person who wakes up: in hours of sleep, the rise must be as large above the typical heart rate of the day.
 */
export function detectSuddenRise(
  { bpm: mean, raisedSeconds = -1 }: QuietHeartRate,
  bpm: number,
  { isSleepTime, value }: Pick<TypicalHeartRate, 'isSleepTime' | 'value'>,
): number | undefined {
  const { rise_seconds, from_bpm } = model.sudden_rise;
  if (isSleepTime && mean < value && bpm - value < from_bpm) return undefined;
  return raisedSeconds >= rise_seconds ? bpm - mean : undefined;
}

function isAboveQuiet(
  { bpm: mean, variance, seconds, raisedSeconds }: QuietHeartRate,
  bpm: number,
  gapSeconds: number,
): boolean {
  const { quiet_seconds, sd_bpm_max, from_bpm, until_bpm } = model.sudden_rise;
  if (raisedSeconds !== undefined) return bpm - mean >= until_bpm;
  const isQuiet = seconds + gapSeconds >= quiet_seconds && variance <= sd_bpm_max ** 2;
  return isQuiet && bpm - mean >= from_bpm;
}

function include(held: QuietHeartRate, bpm: number, gapSeconds: number): QuietHeartRate {
  const { quiet_seconds, mean_seconds } = model.sudden_rise;
  const seconds = held.seconds + gapSeconds;
  const share = Math.max(gapSeconds / seconds, 1 - Math.exp(-gapSeconds / mean_seconds));
  const difference = bpm - held.bpm;
  return {
    bpm: round3(held.bpm + share * difference),
    variance: round3((1 - share) * (held.variance + share * difference ** 2)),
    seconds: Math.min(quiet_seconds, round3(seconds)),
  };
}
