import { isFresh } from './evidence.js';
import { stressModel } from './model.js';
import { isPersonal, isRaised } from './movement.js';
import type { CourseRate, HeartCourse } from './rows/person.js';
import { type Movements, round3 } from './rows/values.js';
import { signalNames } from './signals.js';
import type { RaisedHeart, ScoreInput, TypicalHeartRate } from './situation.js';

/*
 * What a raised heart rate can mean while nothing else tells. `followCourse` stores the course of the person's day,
 * `beforeReading` returns it as of strictly earlier readings, and `findCause` compares a heart rate with it.
 */

const { raised: model, movement } = stressModel;
const hourMs = 3_600_000;
const halfHourMs = model.half_hour_seconds * 1000;

/** The course before a reading. */
type Course = Partial<HeartCourse>;
type Moved = Pick<Movements, 'stated'>;

/** Returns the course from readings strictly before `atMs`. Lists the fields: objects of one shape are faster. */
export function beforeReading(course: HeartCourse | undefined, atMs: number, typical: TypicalHeartRate): Course {
  if (!course || atMs <= course.newest.atMs) return course ?? {};
  const { newest } = course;
  const seconds = Math.min(stressModel.baseline.reading_seconds_max, (atMs - newest.atMs) / 1000);
  const { low, wokeMs, levels, days, shiftBpm, raisedHours } = passHalfHour(course, newest, typical);
  const isOver = course.raisedMs === undefined || newest.atMs - course.raisedMs > model.pause_seconds * 1000;
  return {
    days,
    levels,
    raisedHours,
    low,
    wokeMs,
    shiftBpm,
    sinceMs: newest.isRaised && isOver ? newest.atMs : isOver ? undefined : course.sinceMs,
    raisedMs: newest.isRaised ? newest.atMs : isOver ? undefined : course.raisedMs,
    exertion: passExertion(course.exertion, newest, seconds),
    halfHour: addToHalfHour(course.halfHour, newest, seconds),
  };
}

/** Returns the course with the heart rate of a reading at `atMs`. */
export function followCourse(
  held: HeartCourse | undefined,
  before: Course,
  { heart, typical: all }: Pick<ScoreInput, 'heart' | 'typical'>,
  moved: Moved,
  isCalm: boolean,
  atMs: number,
): HeartCourse | undefined {
  if (!heart || (held && atMs < held.newest.atMs)) return held;
  const typical = all.heart_rate;
  const stated = findStated(moved, atMs);
  const riseBpm = heart.fastBpm - typical.value;
  const isExertion = riseBpm > 0 && (stated ?? 0) >= movement.activity_rise_bpm.moderate;
  const newest: CourseRate = {
    atMs,
    bpm: round3(heart.bpm),
    isRaised: (isPersonal(typical) && isRaised({ heart, typical: all })) || undefined,
    exertionBpm:
      isExertion || (stated === undefined && !isCalm && riseBpm >= model.exertion_bpm) ? round3(riseBpm) : undefined,
    isMoving: (stated ?? 0) > 0 || undefined,
  };
  const { days, levels, raisedHours, low, wokeMs, shiftBpm, sinceMs, raisedMs, exertion, halfHour } = before;
  // What few readings change comes first in stored rows.
  return { days, levels, raisedHours, low, wokeMs, shiftBpm, sinceMs, raisedMs, exertion, halfHour, newest };
}

/** Returns the start of the rise that a heart rate at `atMs` belongs to, in epoch ms. Undefined without one. */
export function findRiseStart(before: Course, course: HeartCourse | undefined, atMs: number): number | undefined {
  return before.sinceMs ?? (course?.newest.atMs === atMs && course.newest.isRaised ? atMs : undefined);
}

/**
 * Returns the likely cause of a heart rate above the typical one. Undefined if another signal tells more. `isCalm` is true
 * while a device counts no steps.
 */
export function findCause(
  before: Course,
  { signals, heart, typical: { heart_rate: typical } }: ScoreInput,
  moved: Moved,
  isCalm: boolean,
  atMs: number,
): RaisedHeart | undefined {
  const riseBpm = heart ? heart.bpm - typical.value : 0;
  if (!heart || !isPersonal(typical) || findStated(moved, atMs) !== undefined) return undefined;
  if (signalNames.some((name) => name !== 'heart_rate' && signals[name] && isFresh(signals[name], atMs)))
    return undefined;
  const unlikelyBpm = Math.max(0, riseBpm - model.keep_share * typical.stressedRiseBpm);
  const recoveringBpm = computeRecovery(before.exertion, atMs);
  if (!isCalm && heart.fastBpm - typical.value >= model.exertion_bpm && isExerting(before, atMs))
    return { likely: 'exertion', explainedBpm: unlikelyBpm };
  if (recoveringBpm >= model.recovery_bpm_min && recoveringBpm >= model.recovery_share * riseBpm)
    return { likely: 'recovery', explainedBpm: Math.max(0, Math.min(riseBpm, recoveringBpm)) };
  if (isWaking(before, atMs) && riseBpm <= model.waking_bpm_max) return { likely: 'waking', explainedBpm: unlikelyBpm };
  const { shiftBpm = 0 } = before;
  if (shiftBpm > 0 && riseBpm - shiftBpm < stressModel.confidence.unlike_rise_share * typical.stressedRiseBpm)
    return { likely: 'all_day', explainedBpm: Math.min(riseBpm, shiftBpm) };
  return { likely: isCalm ? 'stress' : 'unknown', explainedBpm: Math.max(0, Math.min(riseBpm, shiftBpm)) };
}

/** Returns the rise that the newest statement of the last minutes explains, in bpm. Undefined without a statement. */
function findStated({ stated }: Moved, atMs: number): number | undefined {
  return stated && Math.abs(atMs - stated.atMs) < movement.statement_seconds * 1000 ? stated.value : undefined;
}

/** Returns true if the present rise has been that of exertion for a while. */
function isExerting({ exertion }: Course, atMs: number): boolean {
  const { untilMs = 0, seconds = 0 } = exertion ?? {};
  return seconds >= model.exertion_seconds && atMs - untilMs <= model.pause_seconds * 1000;
}

function isWaking({ low = 0, wokeMs = -Infinity }: Course, atMs: number): boolean {
  return low >= model.sleep_half_hours || atMs - wokeMs < model.waking_seconds * 1000;
}

/** Returns the rise that remains of an exertion, in bpm. Most of a long one fades within minutes, the rest within hours. */
function computeRecovery(exertion: Course['exertion'], atMs: number): number {
  if (!exertion || exertion.seconds < model.exertion_seconds) return 0;
  const { untilMs, seconds, riseBpm } = exertion;
  const age = (atMs - untilMs) / 1000;
  const slow = model.recovery_slow_share * Math.min(1, seconds / model.recovery_slow_after_seconds);
  const left = (timeConstant: number) => Math.exp(-age / timeConstant);
  return riseBpm * (slow * left(model.recovery_slow_seconds) + (1 - slow) * left(model.recovery_fast_seconds));
}

function passExertion(
  held: Course['exertion'],
  { atMs, exertionBpm }: CourseRate,
  seconds: number,
): Course['exertion'] {
  if (exertionBpm === undefined) return held && atMs - held.untilMs < model.recovery_hours * hourMs ? held : undefined;
  const isNew = !held || atMs - held.untilMs > model.pause_seconds * 1000;
  if (isNew) return { untilMs: atMs, seconds, riseBpm: exertionBpm };
  return {
    untilMs: atMs,
    seconds: round3(held.seconds + seconds),
    riseBpm: Math.max(held.riseBpm, exertionBpm),
  };
}

type Day = Pick<Course, 'low' | 'wokeMs' | 'levels' | 'days' | 'shiftBpm' | 'raisedHours'>;

/** Returns the day, with the half hour before a heart rate of the next one. */
function passHalfHour(course: Course, { atMs }: CourseRate, typical: TypicalHeartRate): Day {
  const { halfHour } = course;
  if (!halfHour || atMs < halfHour.fromMs + halfHourMs) return course;
  return closeHalfHour(course, halfHour, atMs, typical);
}

function addToHalfHour(
  held: Course['halfHour'],
  { atMs, bpm, isMoving }: CourseRate,
  seconds: number,
): Course['halfHour'] {
  const fromMs = Math.floor(atMs / halfHourMs) * halfHourMs;
  const before = held?.fromMs === fromMs ? held : { fromMs, seconds: 0, bpm: 0 };
  if (isMoving) return before;
  const together = before.seconds + seconds;
  const share = (bpm > before.bpm && before.seconds > 0 ? model.quiet_share : 1) * (seconds / together);
  return { fromMs, seconds: round3(together), bpm: round3(before.bpm + share * (bpm - before.bpm)) };
}

/** Adds a half hour to its day. A long time as low as in sleep, and a long pause, end the day. */
function closeHalfHour(
  day: Day,
  half: NonNullable<Course['halfHour']>,
  nextMs: number,
  typical: TypicalHeartRate,
): Day {
  const { fromMs, seconds, bpm } = half;
  const isPause = nextMs - fromMs > model.day_pause_hours * hourMs;
  if (seconds < model.half_hour_seconds_min) return isPause ? endDay(day) : day;
  const { restingBpm, value } = typical;
  const isLow = bpm <= restingBpm + model.sleep_share * (value - restingBpm);
  const isAwake = (day.low ?? 0) >= model.sleep_half_hours && !isLow;
  const low = isLow ? Math.min((day.low ?? 0) + 1, model.levels_max) : undefined;
  const levels = [...(day.levels ?? []), Math.round(bpm)].slice(-model.levels_max);
  const next = { ...day, low, levels, ...(isAwake && { wokeMs: fromMs, levels: [Math.round(bpm)] }) };
  if (isPause)
    return endDay({ ...next, low: undefined, ...((low ?? 0) >= model.sleep_half_hours && { levels: undefined }) });
  if (low === model.sleep_half_hours) return endDay({ ...next, levels: levels.slice(0, -low) });
  return rateDay(next, fromMs);
}

/** Ends a day with its median, if it is known well enough. */
function endDay({ levels = [], days = [], ...day }: Day): Day {
  const isKnown = levels.length >= model.day_half_hours;
  const all = isKnown ? [...days, findMedian(levels)].slice(-model.days_max) : days;
  return { ...day, days: all, levels: undefined, shiftBpm: undefined };
}

/** Says how far a day is raised as a whole. */
function rateDay(day: Day, atMs: number): Day {
  const { levels = [], days = [], raisedHours = [], low = 0 } = day;
  if (low >= model.sleep_half_hours || levels.length < model.day_half_hours || days.length < model.days_min)
    return { ...day, shiftBpm: undefined };
  const level = Math.min(findMedian(levels), findMedian(levels.slice(-model.day_half_hours)));
  const shift = level - findMedian(days);
  if (shift < model.day_bpm) return { ...day, shiftBpm: undefined };
  if (day.shiftBpm !== undefined) return { ...day, shiftBpm: shift };
  const hours = [...raisedHours, Math.floor(atMs / hourMs)].slice(-model.days_max);
  return { ...day, shiftBpm: shift, raisedHours: hours };
}

function findMedian(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  return ascending[Math.floor(ascending.length / 2)] ?? 0;
}
