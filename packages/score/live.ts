import { isFresh, staleAfterMs } from './evidence.js';
import { addStatedMovement, chooseNewerStatement, chooseStrongerMovement, explainRise } from './movement.js';
import type { LiveSignals } from './rows/person.js';
import type { Session, SharedSignal } from './rows/session.js';
import { type Movements, round3, type Sample, type Signals } from './rows/values.js';
import { mergeSignals, type Reading, signalNames } from './signals.js';
import type { HeartRateLevel, ScoreInput } from './situation.js';

/** The live signals of the person of a session, and how a reading of the session uses them. */
export interface Sharing {
  /** Undefined if no other session of the person shares signals. */
  readonly live: LiveSignals | undefined;
  readonly sessionId: string;
  /** False for a reading whose sender must not learn anything about other sessions. */
  readonly isRead: boolean;
}

/** The signals of a person without any reading. */
export const noLiveSignals: LiveSignals = { signals: {} };

/**
 * Returns the signals of a session with the newer ones of the person's other sessions. Of equal timestamps, the
 * session's own value counts. Returns the same object if no other session has a newer value.
 */
export function addOtherSessions(own: Signals, sharing: Sharing, atMs: number): Signals {
  if (!sharing.isRead || !sharing.live) return own;
  const { live } = sharing;
  // A value of the session itself is never newer than its own.
  const newer = signalNames.filter((name) => {
    const shared = live.signals[name];
    return shared && isFresh(shared, atMs) && shared.atMs > (own[name]?.atMs ?? -Infinity);
  });
  if (newer.length === 0) return own;
  return { ...own, ...Object.fromEntries(newer.map((name) => [name, live.signals[name]])) };
}

/**
 * Returns the movements of a session with those that other sessions of the person state. Returns the same object if none
 * of them counts.
 */
export function addOtherMovements(own: Movements, sharing: Sharing): Movements {
  if (!sharing.isRead || !sharing.live) return own;
  const { movement, stated } = sharing.live;
  const isOther = (shared: Sample<number> | undefined) => shared && shared.sessionId !== sharing.sessionId;
  const stronger = isOther(movement) ? chooseStrongerMovement(own.movement, movement) : own.movement;
  const newer = isOther(stated) ? chooseNewerStatement(own.stated, stated) : own.stated;
  if (stronger === own.movement && newer === own.stated) return own;
  return { movement: stronger, implied: own.implied, stated: newer };
}

/**
 * Returns the heart rate level that counts: that of another session if its heart rate is newer. `movements` are those of
 * the person. The movement that the heart rate implies is that of the other session.
 */
export function chooseHeart(
  { heart: ownHeart, explainedBpm: ownExplainedBpm }: ScoreInput,
  { heart_rate: newest }: Signals,
  { heart, implied }: LiveSignals,
  movements: Movements,
  typical: ScoreInput['typical'],
): Pick<ScoreInput, 'heart' | 'explainedBpm'> {
  if (newest?.sessionId === undefined || !heart) return { heart: ownHeart, explainedBpm: ownExplainedBpm };
  const level = { ...heart, isConfirmed: true };
  const explainedBpm = explainRise({ ...movements, implied }, level, newest.atMs, typical.heart_rate);
  return { heart: level, explainedBpm };
}

/** Returns the values of other sessions that count at a time. Undefined if there are none. */
export function listSharedSignals(
  signals: Signals,
  { stated }: Movements,
  atMs: number,
): readonly SharedSignal[] | undefined {
  const samples = [...signalNames.map((name) => [name, signals[name]] as const), ['activity_level', stated] as const];
  const shared = samples.flatMap(([signal, sample]) => {
    if (sample?.sessionId === undefined || !isFresh(sample, atMs)) return [];
    return { signal, session_id: sample.sessionId, timestamp: new Date(sample.atMs).toISOString() };
  });
  return shared.length > 0 ? shared : undefined;
}

/**
 * Returns the live signals of the person after a reading of the session `after`. A value replaces another one if it is
 * newer, or as old and more stressful. An unconfirmed heart rate is not shared. Stale values are removed.
 */
export function shareReading(
  live: LiveSignals,
  sessionId: string,
  reading: Reading,
  after: Pick<Session, 'signals' | 'implied'>,
  heart: HeartRateLevel | undefined,
): LiveSignals {
  const { heart_rate: _, ...withoutHeartRate } = reading;
  const merged = mergeSignals(live.signals, heart?.isConfirmed === false ? withoutHeartRate : reading);
  const signals: Record<string, unknown> = {};
  for (const name of signalNames) {
    const sample = merged[name];
    if (!sample || !isFresh(sample, reading.atMs)) continue;
    signals[name] = sample === live.signals[name] ? sample : { ...sample, sessionId };
  }
  const isNewHeart = merged.heart_rate !== live.signals.heart_rate && heart !== undefined;
  const { movement, stated } = addStatedMovement(live, reading);
  const mark = (held: Sample<number> | undefined, now: Sample<number> | undefined) =>
    now === held || !now ? now : { ...now, sessionId };
  return {
    signals: signals as Signals,
    ...(signals['heart_rate'] !== undefined && {
      heart: isNewHeart ? toShared(heart) : live.heart,
      implied: isNewHeart ? after.implied : live.implied,
    }),
    movement: keepFresh(mark(live.movement, movement), reading.atMs),
    stated: keepFresh(mark(live.stated, stated), reading.atMs),
  };
}

/** Returns the part of a heart rate level that other sessions use. */
export function toShared({ bpm, fastBpm, suddenBpm }: HeartRateLevel): LiveSignals['heart'] {
  const sudden = suddenBpm === undefined ? {} : { suddenBpm: round3(suddenBpm) };
  return { bpm: round3(bpm), fastBpm: round3(fastBpm), ...sudden };
}

function keepFresh<S extends Sample<unknown> | undefined>(sample: S, atMs: number): S | undefined {
  return sample && isFresh(sample, atMs) ? sample : undefined;
}

/** Returns the time in epoch ms from which on all live signals are stale. Undefined if there are none. */
export function findLiveUntil({ signals, movement, stated }: LiveSignals): number | undefined {
  const samples = [...signalNames.map((name) => signals[name]), movement, stated];
  const times = samples.flatMap((sample) => (sample ? [sample.atMs + staleAfterMs] : []));
  return times.length > 0 ? Math.max(...times) : undefined;
}
