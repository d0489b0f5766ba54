import { enums } from '../../generated/spec.js';
import type { SignalCategory } from '../contract.js';
import { advanceHeart, lessonOf } from './advance-heart.js';
import { type Baseline, learn, typicalOf } from './baseline.js';
import type { RecentHeartRates } from './heart-rate.js';
import type { Movement } from './movement.js';
import { reasonOf } from './reason.js';
import { categoriesOf, mergeSignals, type Reading, type Signals, signalNames } from './signals.js';
import { type Hold, passPublished, publishScore, type Published } from './states.js';
import { fuseEvidence } from './stress.js';
import type { Subject } from './subject.js';
import type { TopicEvidence } from './topics/topic-evidence.js';
import type { Extraction } from './topics/gather.js';
import type { TopicName } from './topics/vocabulary.js';

/** State of a session between readings. Plain JSON. */
export interface Session {
  /** Absent until a reading names the subject. */
  readonly subjectId?: string | undefined;
  /** Baseline of this session, used until a subject is known. */
  readonly baseline?: Baseline | undefined;
  /** Instant of the first reading, epoch ms. */
  readonly firstAtMs: number;
  readonly signals: Signals;
  /** Heart rates before the newest one. Absent until there are two. */
  readonly recent?: RecentHeartRates | undefined;
  /** Heart rate rise that movement explains. Absent until the first movement. */
  readonly movement?: Movement | undefined;
  /** Published state before the time of the newest reading. Absent if all readings have the same time. */
  readonly held?: Published | undefined;
  /** Data that keeps the score of `latest` in its band. */
  readonly published: Hold;
  /** The state as of the newest reading. */
  readonly latest: Answer;
  /** Topic evidence of the conversation so far, in numbers. Absent without a conversation. */
  readonly topicEvidence?: TopicEvidence | undefined;
  /** Topics that were sighted in this session, in order of their first sighting. */
  readonly sightedTopics?: readonly TopicName[] | undefined;
  /** Number of the latest event. Absent before the first one. */
  readonly eventSeq?: number | undefined;
}

/** The computed fields of a state reading. All other fields follow from them. */
export interface Answer {
  /** Instant of the newest reading, epoch ms. */
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
  readonly received: readonly SignalCategory[];
  readonly reason: string;
  /** Published score of the session's previous reading. Absent for the first reading. */
  readonly previousScore?: number | undefined;
  /** Topics of this reading's conversation turn. Absent without a turn. */
  readonly topics?: readonly TopicName[];
  /** The subject's topics by status after this reading. Absent without a subject. */
  readonly triggers?: Pick<Subject, 'active' | 'resolved'>;
}

/** One point of the history. */
export interface Point {
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
  /** bpm. Null for a reading without a heart rate. */
  readonly heartRate: number | null;
  /** Breaths per minute; null where the reading carried none. */
  readonly respiratoryRate: number | null;
  /** Label of the device; null where the reading carried none. */
  readonly sourceDevice: string | null;
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
  const typical = typicalOf(known, timestampMs, signals);
  const { recent, movement, heart, explainedBpm } = advanceHeart(session, reading, signals, typical.heart_rate);
  const situation = { signals, typical, heart, explainedBpm };
  const fused = fuseEvidence(situation, timestampMs);
  const { confidence } = fused;
  const held = heldAt(session, timestampMs);
  const firstAtMs = session?.firstAtMs ?? timestampMs;
  const { score, hold: published } = publishScore(fused, held, timestampMs, firstAtMs);
  const received = categoriesOf(reading);
  const reason = reasonOf(fused.drivers, situation);
  const answer = { timestampMs, score, confidence, received, reason, previousScore: session?.latest.score };
  const baseline = learn(known, lessonOf(reading.atMs, situation));
  const latest = { ...answer, received: receivedAt(session, reading.atMs, received) };
  const { subjectId, baseline: own } = identityOf(session, reading, baseline);
  return {
    answer,
    baseline,
    point: pointOf(reading, score, confidence),
    // Lists the fields, because spreading an object of this size costs more than the score.
    session: {
      subjectId,
      baseline: own,
      firstAtMs,
      signals,
      recent,
      movement,
      held,
      published,
      latest,
      topicEvidence: session?.topicEvidence,
      sightedTopics: session?.sightedTopics,
      eventSeq: session?.eventSeq,
    },
  };
}

/** Returns the session after a conversation turn. Topics do not affect the score or the signals. */
export function addTurn(session: Session, { topics, evidence }: Pick<Extraction, 'topics' | 'evidence'>): Session {
  const { sightedTopics: before = [] } = session;
  const isNothingNew = topics.every((topic) => before.includes(topic));
  const sightedTopics = isNothingNew ? before : [...new Set([...before, ...topics])];
  return { ...session, topicEvidence: evidence, sightedTopics };
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
  const { heart, explainedBpm } = advanceHeart(undefined, reading, signals, typical.heart_rate);
  const { confidence, ...fused } = fuseEvidence({ signals, typical, heart, explainedBpm }, reading.atMs);
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
    session: { ...session, ...identityOf(session, reading, baseline) },
  };
}

/** Returns true if the reading names another subject than the one that the session is bound to. */
export function isOtherSubject(session: Session | undefined, { subjectId }: Reading): boolean {
  return session?.subjectId !== undefined && subjectId !== undefined && subjectId !== session.subjectId;
}

/**
 * Binds the session to the first named subject and adopts its baseline. Until then, the session has its own baseline.
 */
function identityOf(
  session: Session | undefined,
  reading: Reading,
  baseline: Baseline,
): Pick<Session, 'subjectId' | 'baseline'> {
  const subjectId = session?.subjectId ?? reading.subjectId;
  return { subjectId, baseline: subjectId === undefined ? baseline : undefined };
}

/**
 * Returns the published state before the time of the reading. All readings with the same timestamp use it, so that
 * their order of arrival does not matter.
 */
function heldAt(session: Session | undefined, timestampMs: number): Published | undefined {
  if (!session) return undefined;
  const { latest, published: hold, held } = session;
  if (timestampMs === latest.timestampMs) return held;
  return passPublished({ score: latest.score, hold }, held, latest.timestampMs);
}

/** Returns the signal categories of the newest time. Readings with the same time count as one. */
function receivedAt(
  session: Session | undefined,
  atMs: number,
  received: readonly SignalCategory[],
): readonly SignalCategory[] {
  if (!session || atMs > session.latest.timestampMs) return received;
  if (atMs < session.latest.timestampMs) return session.latest.received;
  const both = new Set([...session.latest.received, ...received]);
  return enums.SignalCategory.filter((category) => both.has(category));
}

function pointOf(reading: Reading, score: number, confidence: number): Point {
  const { atMs, heart_rate = null, respiratory_rate = null, source_device = null } = reading;
  const recorded = { respiratoryRate: respiratory_rate, sourceDevice: source_device };
  return { timestampMs: atMs, score, confidence, heartRate: heart_rate, ...recorded };
}
