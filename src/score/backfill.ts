import { stressModel as model } from '../../generated/spec.js';
import { type Baseline, type Durations, learnPast } from './baseline.js';
import { advanceSession, type Session, type Step } from './session.js';
import type { Reading, Sample } from './signals.js';

/**
 * Advances a session by a backfilled reading. Backfilled readings have their own smoothing and their own state, so that
 * the current state depends only on the other readings. If a session has only backfilled readings, its scores are the
 * same as if they had arrived in time.
 */
export function backfillSession(session: Session | undefined, reading: Reading, known: Baseline | undefined): Step {
  const isLive = session !== undefined && !session.isBackfilled;
  const past = isLive ? session.past : session;
  const bound = past && { ...past, subjectId: session?.subjectId };
  const durations = durationsOf(bound, reading);
  const step = advanceSession(bound, withSubject(session, reading), known, (baseline, lesson) =>
    learnPast(baseline, lesson, durations),
  );
  const { subjectId, baseline, ...state } = step.session;
  if (!isLive) return { ...step, session: { ...step.session, isBackfilled: true } };
  return { ...step, session: { ...session, subjectId, baseline, past: state } };
}

/** Advances a session by its first reading that is not backfilled. The current state starts with this reading. */
export function startLive(session: Session, reading: Reading, known: Baseline | undefined): Step {
  const step = advanceSession(undefined, withSubject(session, reading), known);
  const { subjectId: _, baseline: __, isBackfilled: ___, ...past } = session;
  return { ...step, session: { ...step.session, past } };
}

/** Returns the timestamp of the newest reading of a session, epoch ms. Undefined for a new session. */
export function newestAtMs(session: Session | undefined): number | undefined {
  return session && Math.max(session.latest.timestampMs, session.past?.latest.timestampMs ?? 0);
}

/** Adds the subject of the session to a reading without one. */
function withSubject(session: Session | undefined, reading: Reading): Reading {
  return session?.subjectId === undefined ? reading : { ...reading, subjectId: session.subjectId };
}

/** Returns the seconds since the previous sample of each signal, within the bound of the baseline. */
function durationsOf(past: Session | undefined, { atMs }: Reading): Durations {
  const secondsMax = model.baseline.reading_seconds_max;
  const since = (previous: Sample<number> | undefined) =>
    previous ? Math.min(secondsMax, Math.max(0, (atMs - previous.atMs) / 1000)) : secondsMax;
  const { heart_rate, sdnn, rmssd } = past?.signals ?? {};
  return { heart_rate: since(heart_rate), sdnn: since(sdnn), rmssd: since(rmssd) };
}
