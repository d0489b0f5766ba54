import { modelVersion } from '../../generated/spec.js';
import { advanceHeart } from './advance-heart.js';
import { type Baseline, typicalOf } from './baseline.js';
import { pointOf } from './history.js';
import { addStated } from './movement.js';
import { rememberIntervals } from './rr-intervals.js';
import type { ComputedState, Session, Step } from './session.js';
import { identityOf } from './session-subject.js';
import { categoriesOf, derivedFromText, mergeSignals, type Reading, type Signals, signalNames } from './signals.js';
import { publishScore } from './states.js';
import { fuseEvidence } from './stress.js';

/** Returns true for a late reading that is the newest for none of its signals and states no stronger movement. */
export function isSuperseded(session: Session, merged: Signals, reading: Reading): boolean {
  if (reading.atMs >= session.latest.timestampMs) return false;
  if (addStated(session, reading) !== session) return false;
  return signalNames.every((name) => merged[name] === session.signals[name]);
}

/** Scores a late reading from its own signals, for the history only. Does not change the session. */
export function joinHistory(session: Session, reading: Reading, known: Baseline | undefined): Step {
  const signals = mergeSignals({}, reading);
  const typical = typicalOf(known, reading.atMs);
  const { heart, explainedBpm } = advanceHeart(undefined, reading, signals, typical.heart_rate);
  const { confidence, ...fused } = fuseEvidence({ signals, typical, heart, explainedBpm }, reading.atMs);
  const baseline = known ?? {};
  return {
    computed: {
      ...session.latest,
      model: modelVersion.number,
      received: categoriesOf(reading),
      // `latest` is always present, because the session already has a reading.
      previousScore: session.latest.previousScore ?? session.latest.score,
      ...ofReading(reading),
    },
    baseline,
    point: pointOf(reading, publishScore(fused, undefined, reading.atMs).score, confidence),
    session: {
      ...session,
      intervals: rememberIntervals(session.intervals, reading),
      ...identityOf(session, reading, baseline),
    },
  };
}

/** Returns the computed fields that belong to one reading only, not to the latest state of its session. */
export function ofReading(reading: Reading): Pick<ComputedState, 'rrQuality' | 'derived'> {
  const { rrQuality } = reading;
  const derived = derivedFromText(reading);
  return { ...(rrQuality && { rrQuality }), ...(derived && { derived }) };
}
