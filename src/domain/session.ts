import type { SignalCategory } from '../contract.js';
import type { Usual } from './baseline.js';
import { reasonOf } from './reason.js';
import { categoriesOf, mergeSignals, type Reading, type Signals, signalNames } from './signals.js';
import { publishScore } from './states.js';
import { fuseEvidence } from './stress.js';

/** What a session remembers between readings; plain JSON. */
export interface Session {
  /** Absent until a reading names the subject. */
  readonly subjectId?: string;
  readonly signals: Signals;
  /** Published score as of the last instant before the newest reading's; absent in a session of one instant. */
  readonly heldScore?: number;
  /** The state as of the newest reading. */
  readonly latest: Answer;
}

/** The computed part of a state reading; the rest follows from it. */
export interface Answer {
  /** Instant of the newest reading, epoch ms. */
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
  readonly received: readonly SignalCategory[];
  readonly reason: string;
  /** Published score of the session's previous reading; absent on the first. */
  readonly previousScore?: number;
}

/** One point of the history. */
export interface Point {
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
  /** bpm; null where the reading carried none. */
  readonly heartRate: number | null;
}

export interface Step {
  readonly session: Session;
  readonly answer: Answer;
  readonly point: Point;
}

/** Takes a session one reading further; `session` is undefined for its first. */
export function advanceSession(session: Session | undefined, reading: Reading, usual: Usual): Step {
  const signals = mergeSignals(session?.signals ?? {}, reading);
  if (session && isSuperseded(session, signals, reading)) return joinHistory(session, reading, usual);
  const timestampMs = Math.max(session?.latest.timestampMs ?? reading.atMs, reading.atMs);
  const heldScore = heldScoreAt(session, timestampMs);
  const { value, confidence, drivers } = fuseEvidence(signals, timestampMs, usual);
  const score = publishScore(value, heldScore);
  const answer: Answer = {
    timestampMs,
    score,
    confidence,
    received: categoriesOf(reading),
    reason: reasonOf(drivers, signals, usual),
    ...(session && { previousScore: session.latest.score }),
  };
  return {
    answer,
    point: pointOf(reading, score, confidence),
    session: {
      ...subjectOf(session, reading),
      signals,
      ...(heldScore !== undefined && { heldScore }),
      latest: { ...answer, received: receivedAt(session, reading) },
    },
  };
}

/** True for a reading that came late and is newest for none of its signals. */
function isSuperseded(session: Session, merged: Signals, reading: Reading): boolean {
  const isUnchanged = signalNames.every((name) => merged[name] === session.signals[name]);
  return isUnchanged && reading.atMs < session.latest.timestampMs;
}

/** Such a reading moves nothing; its point is scored from its own signals. */
function joinHistory(session: Session, reading: Reading, usual: Usual): Step {
  const { value, confidence } = fuseEvidence(mergeSignals({}, reading), reading.atMs, usual);
  const answer = { ...session.latest, received: categoriesOf(reading) };
  const point = pointOf(reading, publishScore(value, undefined), confidence);
  return { session: { ...session, ...subjectOf(session, reading) }, answer, point };
}

/** True when a reading names another subject than the one that its session is bound to. */
export function isOtherSubject(session: Session | undefined, { subjectId }: Reading): boolean {
  return session?.subjectId !== undefined && subjectId !== undefined && subjectId !== session.subjectId;
}

/** The first subject that is named binds the session; later readings inherit it. */
function subjectOf(session: Session | undefined, reading: Reading): { subjectId?: string } {
  const subjectId = session?.subjectId ?? reading.subjectId;
  return subjectId === undefined ? {} : { subjectId };
}

/** Readings of one instant are all held against the score before it, so their order of arrival does not matter. */
function heldScoreAt(session: Session | undefined, timestampMs: number): number | undefined {
  if (!session) return undefined;
  return timestampMs > session.latest.timestampMs ? session.latest.score : session.heldScore;
}

/** The categories of the newest reading; readings of one instant count as one. */
function receivedAt(session: Session | undefined, reading: Reading): readonly SignalCategory[] {
  if (!session || reading.atMs > session.latest.timestampMs) return categoriesOf(reading);
  if (reading.atMs < session.latest.timestampMs) return session.latest.received;
  const both = new Set([...session.latest.received, ...categoriesOf(reading)]);
  return [...both];
}

function pointOf({ atMs, heart_rate }: Reading, score: number, confidence: number): Point {
  return { timestampMs: atMs, score, confidence, heartRate: heart_rate ?? null };
}
