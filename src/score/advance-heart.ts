import type { Lesson, TypicalHeartRate } from './baseline.js';
import { type Device, isRaised } from './device.js';
import { heartLevel, passHeartRate } from './heart-rate.js';
import { addStated, explainRise, hasMoved, impliedMovement, type Movements, strongerMovement } from './movement.js';
import type { Session } from './session.js';
import type { Reading, Signals } from './signals.js';
import { suddenRise } from './sudden-rise.js';
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
  const { bpm, fastBpm, isConfirmed, quiet } = heartLevel(recent, newest, typical);
  const riseMs = newest.atMs - (quiet.raisedSeconds ?? 0) * 1000;
  const suddenBpm = hasMoved(movements, riseMs) ? undefined : suddenRise(quiet, fastBpm);
  const heart = { bpm, fastBpm, isConfirmed, suddenBpm };
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
 * Returns the input for the baseline: the smoothed heart rate, SDNN and RMSSD of the reading. Omits a value if the
 * session has a newer one. The baseline does not learn from a heart rate that movement explains.
 */
export function lessonOf(
  { atMs, sdnn, rmssd, source_device }: Reading,
  { signals, heart, typical, explainedBpm }: Situation,
  device: Device | undefined,
): Lesson {
  return {
    atMs,
    source_device,
    device,
    sdnn: signals.sdnn?.atMs === atMs ? sdnn : undefined,
    rmssd: signals.rmssd?.atMs === atMs ? rmssd : undefined,
    heart_rate: signals.heart_rate?.atMs === atMs ? heart?.bpm : undefined,
    isSkipped: isExertion({ heart, typical, explainedBpm }),
    isRaised: isRaised({ heart, typical }),
  };
}
