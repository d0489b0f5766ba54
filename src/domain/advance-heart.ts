import type { Lesson, TypicalHeartRate } from './baseline.js';
import { heartLevel, passHeartRate } from './heart-rate.js';
import { addStated, impliedMovement, impliedRise, riseAt, strongerMovement } from './movement.js';
import type { Session } from './session.js';
import type { Reading, Sample, Signals } from './signals.js';
import { isExertion, type Situation } from './stress.js';

/**
 * The result of one reading: the smoothed heart rate, the part of it that movement explains, and the heart data that the
 * session stores.
 */
type AdvancedHeart = Pick<Session, 'recent' | 'movement'> & Pick<Situation, 'heart' | 'explainedBpm'>;

/** Smooths the heart rate and determines the part that movement explains. */
export function advanceHeart(
  session: Session | undefined,
  reading: Reading,
  { heart_rate: newest }: Signals,
  typical: TypicalHeartRate,
): AdvancedHeart {
  const { recent, movement } = passHeart(session, newest, typical);
  const moved = addStated(movement, reading);
  if (!newest) return { recent, movement: moved, explainedBpm: 0 };
  const heart = heartLevel(recent, newest, typical.value);
  const explained = Math.max(riseAt(moved, newest.atMs), impliedRise(heart.fastBpm, typical));
  const rise = Math.max(0, heart.bpm - typical.value);
  return { recent, movement: moved, heart, explainedBpm: Math.min(rise, explained) };
}

/** Adds the previous heart rate to the smoothing window, and adds the movement that it implies. */
function passHeart(
  session: Session | undefined,
  newest: Signals['heart_rate'],
  typical: TypicalHeartRate,
): Pick<Session, 'recent' | 'movement'> {
  const before = session?.signals.heart_rate;
  if (!before || !newest || newest.atMs <= before.atMs) return { recent: session?.recent, movement: session?.movement };
  const level = heartLevel(session.recent, before, typical.value);
  const implied = impliedMovement(level.fastBpm, before.atMs, typical);
  return { recent: passHeartRate(before, level), movement: strongerMovement(session.movement, implied) };
}

/**
 * Returns the input for the baseline: the signals measured at the time of the reading, with the smoothed heart rate.
 * The baseline does not learn from a heart rate that movement explains.
 */
export function lessonOf(atMs: number, { signals, heart, typical, explainedBpm }: Situation): Lesson {
  const valueAt = (sample: Sample<number> | undefined) => (sample?.atMs === atMs ? sample.value : undefined);
  return {
    atMs,
    sdnn: valueAt(signals.sdnn),
    rmssd: valueAt(signals.rmssd),
    heart_rate: signals.heart_rate?.atMs === atMs ? heart?.bpm : undefined,
    isSkipped: isExertion({ heart, typical, explainedBpm }),
  };
}
