import { enums, modelVersion } from '../../generated/spec.js';
import type { Schema, SignalCategory } from '../contract/contract.js';
import { advanceHeart, lessonOf } from './advance-heart.js';
import { type Baseline, learn, learnedProgress, type Lesson, typicalOf } from './baseline.js';
import type { RecentHeartRates } from './heart-rate.js';
import { type Point, pointOf } from './history.js';
import type { Talk } from './attribution.js';
import type { Movements } from './movement.js';
import { afterDeviceChange, type Device, followDevice } from './device.js';
import { countAgreeingTones } from './evidence.js';
import { isSuperseded, joinHistory, ofReading } from './late-reading.js';
import { reasonOf } from './reason.js';
import { type IntervalBatch, rememberIntervals, withDerived } from './rr-intervals.js';
import { identityOf } from './session-subject.js';
import { categoriesOf, mergeSignals, type Reading, type Signals } from './signals.js';
import { type Hold, passPublished, publishScore, type Published } from './states.js';
import { type Assessment, fuseEvidence } from './stress.js';
import type { Subject } from './subject.js';
import type { TopicEvidence } from './topic-evidence.js';
import type { TopicName } from '../../packages/text/vocabulary.js';

/** State of a session between readings. Plain JSON. */
export interface Session extends Movements {
  /** Absent until a reading contains a subject_id. */
  readonly subjectId?: string | undefined;
  /** Baseline of this session. Used until a subject is known. */
  readonly baseline?: Baseline | undefined;
  /** Timestamp of the first reading, epoch ms. */
  readonly firstAtMs: number;
  readonly signals: Signals;
  /** Heart rates before the newest one. Absent until the session has two heart rates. */
  readonly recent?: RecentHeartRates | undefined;
  /** Beat-to-beat intervals of the last five minutes. Absent until a reading contains intervals. */
  readonly intervals?: readonly IntervalBatch[] | undefined;
  /** Number of tones before the newest one that agree with a stressful tone, 0–4. Absent for 0. */
  readonly agreeingTones?: number | undefined;
  /** Device of the newest heart data. A new session starts with the device of the person. */
  readonly device?: Device | undefined;
  /** Published state before the timestamp of the newest reading. Absent if all readings have the same timestamp. */
  readonly held?: Published | undefined;
  /** Data that holds the score of `latest` in its band. */
  readonly published: Hold;
  /** The state as of the newest reading. */
  readonly latest: ComputedState;
  /** Topic evidence of the conversation so far, as numbers. Absent if there was no conversation. */
  readonly topicEvidence?: TopicEvidence | undefined;
  /** Topics that were sighted in this session, in order of their first sighting. */
  readonly sightedTopics?: readonly TopicName[] | undefined;
  /** The latest turns with topics, and the heart rate since. Absent if no turn of the last minutes named a topic. */
  readonly talk?: Talk | undefined;
  /** Number of the latest event. Absent before the first event. */
  readonly eventSeq?: number | undefined;
  /** True while all readings of the session are backfilled. The session then has no current state. */
  readonly isBackfilled?: true | undefined;
  /** State of the backfilled readings. Absent if there are none, or if `isBackfilled`. */
  readonly past?: Session | undefined;
}

/** The computed fields of a state reading. All other fields are derived from them. */
export interface ComputedState {
  /** Timestamp of the newest reading, epoch ms. */
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
  /** Version of the model that computed the score. */
  readonly model: number;
  readonly received: readonly SignalCategory[];
  readonly reason: string;
  /** Progress of the baseline before the reading, 0–1. */
  readonly learned: number;
  /** Quality of the reading's intervals. Absent without intervals, and in the latest state of a session. */
  readonly rrQuality?: Schema<'RrQuality'>;
  /** Estimates from the reading's text. Absent without them, and in the latest state of a session. */
  readonly derived?: Schema<'DerivedValues'>;
  /** Fields of the reading without consent. Absent without them, and in the latest state of a session. */
  readonly dropped?: readonly string[];
  /** Published score of the session's previous reading. Absent for the first reading. */
  readonly previousScore?: number | undefined;
  /** Topics of this reading's conversation turn. Absent if the reading has no turn. */
  readonly topics?: readonly TopicName[];
  /** The subject's topics by status after this reading. Absent if the session has no subject. */
  readonly triggers?: Pick<Subject, 'active' | 'resolved'>;
}

export interface Step {
  readonly session: Session;
  /** Baseline of the subject, updated with this reading. */
  readonly baseline: Baseline;
  readonly computed: ComputedState;
  readonly point: Point;
  /** The evidence of the reading. Absent for a late reading, which does not change the session. */
  readonly fused?: Pick<Assessment, 'expressed' | 'heart' | 'explained'>;
}

/** Returns the baseline updated with a sample. */
type Learn = (baseline: Baseline | undefined, lesson: Lesson) => Baseline;

/**
 * Advances a session by one reading. `session` is undefined for the first reading. `known` is the baseline of the
 * subject before this reading. The reading is scored against this baseline and then updates it with `learnFrom`.
 */
export function advanceSession(
  session: Session | undefined,
  submitted: Reading,
  known: Baseline | undefined,
  learnFrom: Learn = learn,
): Step {
  const reading = withDerived(submitted, session?.intervals ?? []);
  const signals = mergeSignals(session?.signals ?? {}, reading);
  if (session && isSuperseded(session, signals, reading)) return joinHistory(session, reading, known);
  const timestampMs = Math.max(session?.latest.timestampMs ?? reading.atMs, reading.atMs);
  const typical = typicalOf(known, timestampMs, signals);
  const { recent, movements, heart, explainedBpm } = advanceHeart(session, reading, signals, typical.heart_rate);
  const agreeingTones = session && countAgreeingTones(session.signals.tone, signals.tone, session.agreeingTones);
  const situation = { signals, typical, heart, explainedBpm, agreeingTones };
  const fused = fuseEvidence(situation, timestampMs);
  const device = followDevice(session?.device ?? known?.device, reading);
  const confidence = afterDeviceChange(fused.confidence, device, timestampMs);
  const held = heldAt(session, timestampMs);
  const firstAtMs = session?.firstAtMs ?? timestampMs;
  const { score, hold: published } = publishScore(fused, held, timestampMs, firstAtMs);
  const received = categoriesOf(reading);
  const reason = reasonOf(fused, situation, score);
  const previousScore = session?.latest.score;
  const learned = learnedProgress(typical.heart_rate);
  const model = modelVersion.number;
  const computed = { timestampMs, score, confidence, model, learned, received, reason, previousScore };
  const baseline = learnFrom(known, lessonOf(reading, situation, device));
  const latest = { ...computed, received: receivedAt(session, reading.atMs, received) };
  const { subjectId, baseline: own } = identityOf(session, reading, baseline);
  return {
    computed: { ...computed, ...ofReading(reading) },
    baseline,
    point: pointOf(reading, score, confidence),
    fused,
    // Lists the fields, because spreading an object of this size costs more than the score.
    session: {
      subjectId,
      baseline: own,
      firstAtMs,
      signals,
      recent,
      intervals: rememberIntervals(session?.intervals, reading),
      movement: movements.movement,
      implied: movements.implied,
      stated: movements.stated,
      agreeingTones,
      device,
      held,
      published,
      latest,
      topicEvidence: session?.topicEvidence,
      sightedTopics: session?.sightedTopics,
      talk: session?.talk,
      eventSeq: session?.eventSeq,
      past: session?.past,
    },
  };
}

/** Adds the topics of a turn to the sighted topics of the session. Returns the same object if all are known. */
export function addTopics(session: Session, topics: readonly TopicName[]): Session {
  const { sightedTopics: before = [] } = session;
  if (topics.every((topic) => before.includes(topic))) return session;
  return { ...session, sightedTopics: [...new Set([...before, ...topics])] };
}

/**
 * Returns the published state before the time of the reading. All readings with the same timestamp start from this
 * state, so that their order of arrival does not matter.
 */
function heldAt(session: Session | undefined, timestampMs: number): Published | undefined {
  if (!session) return undefined;
  const { latest, published: hold, held } = session;
  if (timestampMs === latest.timestampMs) return held;
  return passPublished({ score: latest.score, hold }, held, latest.timestampMs);
}

/** Returns the signal categories of the readings with the newest timestamp. Together, they count as one reading. */
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
