import { enums } from '../../generated/spec.js';
import type { SignalCategory } from '../contract.js';
import { type Baseline, learn, type Lesson, type Typical, typicalOf } from './baseline.js';
import { type HeartLevel, heartLevel, passHeartRate, type RecentHeartRates } from './heart-rate.js';
import { impliedRise, type Movement, riseAt, statedRise, strongerMovement } from './movement.js';
import { reasonOf } from './reason.js';
import { categoriesOf, mergeSignals, type Reading, type Signals, signalNames } from './signals.js';
import { publishScore, type Published } from './states.js';
import { fuseEvidence, type Situation } from './stress.js';
import type { Subject } from './subject.js';
import type { TopicEvidence } from './topics/topic-evidence.js';
import type { Extraction } from './topics/gather.js';
import type { TopicName } from './topics/vocabulary.js';

/** State of a session between readings. Plain JSON. */
export interface Session {
  /** Absent until a reading names the subject. */
  readonly subjectId?: string;
  /** Baseline of this session, used until a subject is known. */
  readonly baseline?: Baseline;
  readonly signals: Signals;
  /** Heart rates before the newest one. Absent until there are two. */
  readonly recent?: RecentHeartRates;
  /** Heart rate rise that movement explains. Absent until the first movement. */
  readonly movement?: Movement;
  /** Published state before the time of the newest reading. Absent if all readings have the same time. */
  readonly held?: Published;
  /** Published state as of the newest reading. */
  readonly published: Published;
  /** The state as of the newest reading. */
  readonly latest: Answer;
  /** Topic evidence of the conversation so far, in numbers. Absent without a conversation. */
  readonly topicEvidence?: TopicEvidence;
  /** Topics that were sighted in this session, in order of their first sighting. */
  readonly sightedTopics?: readonly TopicName[];
  /** Number of its latest event; absent before the first one. */
  readonly eventSeq?: number;
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
  /** Topics of this reading's conversation turn; absent where it found none. */
  readonly topics?: readonly TopicName[];
  /** The subject's topics by status after this reading; absent while no subject is known. */
  readonly triggers?: Pick<Subject, 'active' | 'resolved'>;
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
  /** Baseline of the subject, this reading included. */
  readonly baseline: Baseline;
  readonly answer: Answer;
  readonly point: Point;
}

/**
 * Advances a session by one reading. `session` is undefined for the first reading. `known` is the baseline of the
 * subject before this reading. The reading is scored against it first and then updates it.
 */
export function advanceSession(session: Session | undefined, reading: Reading, known: Baseline | undefined): Step {
  const signals = mergeSignals(session?.signals ?? {}, reading);
  if (session && isSuperseded(session, signals, reading)) return joinHistory(session, reading, known);
  const timestampMs = Math.max(session?.latest.timestampMs ?? reading.atMs, reading.atMs);
  const typical = typicalFor(signals, timestampMs, known);
  const heart = advanceHeart(session, reading, signals, typical);
  const situation = { signals, typical, ...heart.situation };
  const { confidence, drivers, ...fused } = fuseEvidence(situation, timestampMs);
  const held = heldAt(session, timestampMs);
  const published = publishScore(fused, held, timestampMs);
  const answer: Answer = {
    timestampMs,
    score: published.score,
    confidence,
    received: categoriesOf(reading),
    reason: reasonOf(drivers, situation),
    ...(session && { previousScore: session.latest.score }),
  };
  const latest = { ...answer, received: receivedAt(session, reading) };
  const baseline = learn(known, lessonOf(reading, signals, heart.situation.heart));
  return {
    answer,
    baseline,
    point: pointOf(reading, published.score, confidence),
    session: {
      ...keptOf(session),
      ...subjectOf(session, reading, baseline),
      signals,
      ...heart.kept,
      ...(held && { held }),
      published,
      latest,
    },
  };
}

interface AdvancedHeart {
  readonly kept: Pick<Session, 'recent' | 'movement'>;
  readonly situation: Pick<Situation, 'heart' | 'explainedBpm'>;
}

/** Smooths the heart rate and finds what movement explains of it. */
function advanceHeart(
  session: Session | undefined,
  reading: Reading,
  { heart_rate: newest }: Signals,
  { heart_rate: typical }: Typical,
): AdvancedHeart {
  const before = session?.signals.heart_rate;
  const isLater = before !== undefined && newest !== undefined && newest.atMs > before.atMs;
  const recent = isLater ? passHeartRate(session?.recent, before, typical.value) : session?.recent;
  const passed = isLater
    ? impliedBy(heartLevel(session?.recent, before, typical.value), before.atMs, typical)
    : undefined;
  const stated = statedRise(reading);
  const movement = strongerMovement(
    strongerMovement(session?.movement, passed),
    stated === undefined ? undefined : { value: stated, atMs: reading.atMs },
  );
  const kept = { ...(recent && { recent }), ...(movement && { movement }) };
  if (!newest) return { kept, situation: { explainedBpm: 0 } };
  const heart = heartLevel(recent, newest, typical.value);
  const explained = Math.max(riseAt(movement, newest.atMs), impliedRise(heart.fastBpm, typical));
  const rise = Math.max(0, heart.bpm - typical.value);
  return { kept, situation: { heart, explainedBpm: Math.min(rise, explained) } };
}

function impliedBy({ fastBpm }: HeartLevel, atMs: number, typical: Typical['heart_rate']): Movement | undefined {
  const value = impliedRise(fastBpm, typical);
  return value > 0 ? { value, atMs } : undefined;
}

/** Returns what the baseline learns from a reading. The smoothed heart rate counts only if it is the newest. */
function lessonOf(reading: Reading, signals: Signals, heart: HeartLevel | undefined): Lesson {
  const { atMs, sdnn, rmssd } = reading;
  const isNewest = reading.heart_rate !== undefined && signals.heart_rate?.atMs === atMs;
  return { atMs, sdnn, rmssd, ...(isNewest && heart && { heart_rate: heart.bpm }) };
}

/** Returns the session after a conversation turn. Topics do not affect the score or the signals. */
export function addTurn(session: Session, { topics, evidence }: Pick<Extraction, 'topics' | 'evidence'>): Session {
  const { sightedTopics: before = [] } = session;
  const isNothingNew = topics.every((topic) => before.includes(topic));
  const sightedTopics = isNothingNew ? before : [...new Set([...before, ...topics])];
  return { ...session, topicEvidence: evidence, sightedTopics };
}

/** What no reading changes by itself. */
function keptOf(session: Session | undefined): Pick<Session, 'topicEvidence' | 'sightedTopics' | 'eventSeq'> {
  return {
    ...(session?.topicEvidence && { topicEvidence: session.topicEvidence }),
    ...(session?.sightedTopics && { sightedTopics: session.sightedTopics }),
    ...(session?.eventSeq !== undefined && { eventSeq: session.eventSeq }),
  };
}

/** Returns the typical values before each signal was measured, however late other signals arrive. */
function typicalFor({ heart_rate, sdnn, rmssd }: Signals, timestampMs: number, known: Baseline | undefined): Typical {
  return {
    heart_rate: typicalOf(known, heart_rate?.atMs ?? timestampMs).heart_rate,
    sdnn: typicalOf(known, sdnn?.atMs ?? timestampMs).sdnn,
    rmssd: typicalOf(known, rmssd?.atMs ?? timestampMs).rmssd,
  };
}

/** True for a reading that came late and is newest for none of its signals. */
function isSuperseded(session: Session, merged: Signals, reading: Reading): boolean {
  const isUnchanged = signalNames.every((name) => merged[name] === session.signals[name]);
  return isUnchanged && reading.atMs < session.latest.timestampMs;
}

/** Scores a late reading from its own signals, for the history only. It does not change the session. */
function joinHistory(session: Session, reading: Reading, known: Baseline | undefined): Step {
  const signals = mergeSignals({}, reading);
  const typical = typicalOf(known, reading.atMs);
  const { situation } = advanceHeart(undefined, reading, signals, typical);
  const { confidence, ...fused } = fuseEvidence({ signals, typical, ...situation }, reading.atMs);
  const baseline = known ?? {};
  return {
    answer: {
      ...session.latest,
      received: categoriesOf(reading),
      // Always present, because the session already has a reading.
      previousScore: session.latest.previousScore ?? session.latest.score,
    },
    baseline,
    point: pointOf(reading, publishScore(fused, undefined, reading.atMs).score, confidence),
    session: { ...withoutBaseline(session), ...subjectOf(session, reading, baseline) },
  };
}

function withoutBaseline({ baseline: _, ...session }: Session): Session {
  return session;
}

/** Returns true if the reading names another subject than the one that the session is bound to. */
export function isOtherSubject(session: Session | undefined, { subjectId }: Reading): boolean {
  return session?.subjectId !== undefined && subjectId !== undefined && subjectId !== session.subjectId;
}

/**
 * Binds the session to the first named subject and adopts its baseline. Until then, the session has its own baseline.
 */
function subjectOf(
  session: Session | undefined,
  reading: Reading,
  baseline: Baseline,
): Pick<Session, 'subjectId' | 'baseline'> {
  const subjectId = session?.subjectId ?? reading.subjectId;
  return subjectId === undefined ? { baseline } : { subjectId };
}

/**
 * Returns the published state before the time of the reading. All readings of one time use it, so that their order of
 * arrival does not matter.
 */
function heldAt(session: Session | undefined, timestampMs: number): Published | undefined {
  if (!session) return undefined;
  return timestampMs > session.latest.timestampMs ? session.published : session.held;
}

/** The categories of the newest reading; readings of one instant count as one. */
function receivedAt(session: Session | undefined, reading: Reading): readonly SignalCategory[] {
  if (!session || reading.atMs > session.latest.timestampMs) return categoriesOf(reading);
  if (reading.atMs < session.latest.timestampMs) return session.latest.received;
  const both = new Set([...session.latest.received, ...categoriesOf(reading)]);
  return enums.SignalCategory.filter((category) => both.has(category));
}

function pointOf({ atMs, heart_rate }: Reading, score: number, confidence: number): Point {
  return { timestampMs: atMs, score, confidence, heartRate: heart_rate ?? null };
}
