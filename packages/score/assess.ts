import { computeTypicalValues } from './baseline.js';
import { rateConfidence } from './confidence.js';
import { isFresh } from './evidence.js';
import { processHeartRate } from './heart.js';
import { addOtherSessions, chooseHeart, listSharedSignals, type Sharing } from './live.js';
import { reduceAfterDeviceChange } from './movement.js';
import { explainScore } from './reason.js';
import type { HeartLevel } from './response.js';
import type { Baseline } from './rows/person.js';
import type { OwnScore, ComputedState, Session } from './rows/session.js';
import type { Device, Movements, Signals } from './rows/values.js';
import type { Reading } from './signals.js';
import type { ScoreInput } from './situation.js';
import { computePoints, publishScore } from './states.js';
import { fuseEvidence } from './stress.js';

/** A reading with the session before it and the signals after it. */
export interface Sensed extends Pick<ScoreInput, 'signals' | 'agreeingTones'> {
  readonly session: Session | undefined;
  readonly reading: Reading;
  readonly known: Baseline | undefined;
  readonly timestampMs: number;
  /** True for a backfilled reading. */
  readonly isPast: boolean;
}

/** The input of the score after a reading. */
export interface Assessed extends Pick<Session, 'recent'> {
  /** From the signals of the session, with the movement of the person. The baseline learns from it. */
  readonly ownSituation: ScoreInput;
  /** With the newer signals of the person's other sessions. The same object as `ownSituation` if nothing of them counts. */
  readonly situation: ScoreInput;
  readonly movements: Movements;
  /** `movements` with those that other sessions of the person state. */
  readonly allMovements: Movements;
  readonly shared: ComputedState['shared'];
}

/** Returns the input of the score, alone and with the signals of the person's other sessions. */
export function assess(
  { session, reading, signals, known, timestampMs, agreeingTones, isPast }: Sensed,
  sharing?: Sharing,
): Assessed {
  const all = sharing?.live ? addOtherSessions(signals, sharing, timestampMs) : signals;
  const typical = computeTypicalValues(known, timestampMs, all, isPast);
  const { recent, movements, allMovements, heart, explainedBpm } = processHeartRate(
    session,
    reading,
    signals,
    typical.heart_rate,
    sharing,
  );
  const ownSituation = { signals, typical, heart, explainedBpm, agreeingTones, raised: undefined };
  if (!sharing?.live || (all === signals && allMovements === movements))
    return { ownSituation, situation: ownSituation, recent, movements, allMovements, shared: undefined };
  const situation = {
    ...{ signals: all, typical, agreeingTones: all.tone === signals.tone ? agreeingTones : undefined },
    ...chooseHeart(ownSituation, all, sharing.live, allMovements, typical),
  };
  return {
    ownSituation,
    situation,
    recent,
    movements,
    allMovements,
    shared: listSharedSignals(all, allMovements, timestampMs),
  };
}

/** Returns the heart rate in bpm, if it is that of another session. */
export function findOtherHeartRate({ heart_rate }: Signals): number | undefined {
  return heart_rate?.sessionId === undefined ? undefined : heart_rate.value;
}

/** Returns the smoothed heart rate that counts at a time. Undefined if it is stale. */
export function findLevel({ signals: { heart_rate }, heart }: ScoreInput, atMs: number): HeartLevel | undefined {
  return heart && heart_rate && isFresh(heart_rate, atMs) ? { bpm: heart.fastBpm, atMs: heart_rate.atMs } : undefined;
}

/** Scores a reading from the evidence of its session alone, for senders and readers that must not see other sessions. */
export function scoreAlone(sensed: Sensed, device: Device | undefined): OwnScore {
  const { session, reading, timestampMs } = sensed;
  const { situation } = assess(sensed);
  const fused = fuseEvidence(situation, timestampMs);
  const { score } = publishScore(fused, undefined, timestampMs);
  const confidence = reduceAfterDeviceChange(rateConfidence(fused, situation, score), device, timestampMs);
  return {
    score,
    confidence,
    ...(fused.isWeak && { isWeak: true }),
    reason: explainScore(fused, situation, score, { unread: reading.unreadText, device }),
    previousScore: findAloneScore(session),
    points: computePoints(fused, situation.signals, score),
  };
}

/** Returns the score that the next one is compared with. One without evidence is no score of the person. */
export function findPreviousScore(session: Session | undefined, sharing: Sharing | undefined): number | undefined {
  return sharing?.isRead === false ? findAloneScore(session) : readScore(session?.latest);
}

function findAloneScore(session: Session | undefined): number | undefined {
  return readScore(session?.latest.alone ?? session?.latest);
}

function readScore(scored: OwnScore | undefined): number | undefined {
  return scored && scored.confidence > 0 ? scored.score : undefined;
}
