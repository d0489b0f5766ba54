import type { Lesson, TypicalHeartRate } from './baseline.js';
import { heartLevel, passHeartRate } from './heart-rate.js';
import { addStated, explainRise, impliedMovement, type Movements, strongerMovement } from './movement.js';
import type { Session } from './session.js';
import type { Reading, Sample, Signals } from './signals.js';
import { isExertion, type Situation } from './stress.js';

/**
 * The result of one reading: the smoothed heart rate, the part of it that movement explains, and the heart data that the
 * session stores.
 */
interface AdvancedHeart extends Pick<Session, 'recent'>, Pick<Situation, 'heart' | 'explainedBpm'> {
  readonly movements: Movements;
}

/** Smooths the heart rate and determines the part that movement explains. */
export function advanceHeart(
  session: Session | undefined,
  reading: Reading,
  { heart_rate: newest }: Signals,
  typical: TypicalHeartRate,
): AdvancedHeart {
  const { recent, implied } = passHeart(session, newest, typical);
  const movements = addStated({ movement: session?.movement, implied, stated: session?.stated }, reading);
  if (!newest) return { recent, movements, explainedBpm: 0 };
  const heart = heartLevel(recent, newest, typical);
  return { recent, movements, heart, explainedBpm: explainRise(movements, heart, newest.atMs, typical) };
}

/** Adds the previous heart rate to the smoothing window, and adds the movement that it implies. */
function passHeart(
  session: Session | undefined,
  newest: Signals['heart_rate'],
  typical: TypicalHeartRate,
): Pick<Session, 'recent' | 'implied'> {
  const before = session?.signals.heart_rate;
  if (!before || !newest || newest.atMs <= before.atMs) return { recent: session?.recent, implied: session?.implied };
  const level = heartLevel(session.recent, before, typical);
  const implied = impliedMovement(level.fastBpm, before.atMs, typical);
  return { recent: passHeartRate(before, level), implied: strongerMovement(session.implied, implied) };
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
