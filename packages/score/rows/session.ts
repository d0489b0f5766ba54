import type { TopicEvidence, TopicName } from '../../text/vocabulary.js';
import type { Baseline, Subject } from './person.js';
import type { Device, Movements, RaisedCause, Sample, SignalCategory, SignalName, Signals } from './values.js';

/** State of a session between readings. Plain JSON. */
export interface Session extends Movements {
  /** Absent until a reading contains a subject_id. */
  readonly subjectId?: string | undefined;
  /** Baseline of this session. Used until a subject is known. */
  readonly baseline?: Baseline | undefined;
  /** Timestamp of the first reading in epoch ms. */
  readonly firstAtMs: number;
  readonly signals: Signals;
  /** Heart rates before the newest one. Absent until the session has two heart rates. */
  readonly recent?: RecentHeartRates | undefined;
  /** Beat-to-beat intervals of the last five minutes. Absent until a reading contains intervals. */
  readonly intervals?: readonly IntervalBatch[] | undefined;
  /** Number of tones before the newest one that agree with a stressful tone, 0–4. Absent for 0. */
  readonly agreeingTones?: number | undefined;
  /** What the device says of steps. Absent until a reading contains steps. */
  readonly steps?: Steps | undefined;
  /** Device of the newest heart data. A new session starts with the device of the person. */
  readonly device?: Device | undefined;
  /** Published state before the timestamp of the newest reading. Absent if all readings have the same timestamp. */
  readonly held?: PublishedState | undefined;
  /** Data that holds the score of `latest` in its band. */
  readonly published: BandHold;
  /** The state as of the newest reading. */
  readonly latest: ComputedState;
  /** Topic evidence of the conversation so far, as numbers. Absent if there was no conversation. */
  readonly topicEvidence?: TopicEvidence | undefined;
  /** Topics that were sighted in this session, in order of their first sighting. */
  readonly sightedTopics?: readonly TopicName[] | undefined;
  /** The latest turns with topics, and the heart rate since. Absent if no turn of the last minutes named a topic. */
  readonly talk?: RecentTurns | undefined;
  /** Number of the latest event. Absent before the first event. */
  readonly eventSeq?: number | undefined;
  /** True while all readings of the session are backfilled. The session then has no current state. */
  readonly isBackfilled?: true | undefined;
  /** State of the backfilled readings. Absent if there are none, or if `isBackfilled`. */
  readonly past?: Session | undefined;
}

/** A raised heart rate that nothing else confirms as stress. */
export interface Raised {
  /** Start of the rise in epoch ms. */
  readonly sinceMs: number;
  readonly likely: RaisedCause;
}

/** Times of a device that counts steps, in epoch ms. */
export interface Steps {
  /** The first count. */
  readonly fromMs: number;
  /** The newest count. */
  readonly atMs: number;
  /** The newest count that was not 0. Absent if all were. */
  readonly movedMs?: number | undefined;
}

/** Whether the intervals of a reading give a variability. */
export type RrQuality = 'usable' | 'unusable';

/** Values that the service estimated from the text of a reading. */
export interface TextValues {
  /** -1 to 1. */
  readonly sentiment: number;
}

/** A value of another session of the person that counts in the score. */
export interface SharedSignal {
  readonly signal: SignalName | 'activity_level';
  readonly session_id: string;
  /** RFC 3339 in UTC, to the millisecond. */
  readonly timestamp: string;
}

/** The computed fields of a state reading. All other fields are derived from them. */
export interface ComputedState {
  /** Timestamp of the newest reading in epoch ms. */
  readonly timestampMs: number;
  readonly score: number;
  /** Timestamp of the first reading of the present state, in epoch ms. Absent if the score is that of `alone`. */
  readonly sinceMs?: number;
  readonly confidence: number;
  /** True if all that counted is words in which nothing stands out. Absent otherwise, and in rows of releases without it. */
  readonly isWeak?: true | undefined;
  /** What a raised heart rate can mean. Absent unless the heart alone is raised, and for late, replaced and backfilled readings. */
  readonly raised?: Raised | undefined;
  /** Version of the model that computed the score. */
  readonly model: number;
  readonly received: readonly SignalCategory[];
  readonly reason: string;
  /** Progress of the baseline before the reading, 0–1. */
  readonly learned: number;
  /** Weight of the person's own level of the heart rate in the score, 0–1. Absent in rows of releases without it. */
  readonly known?: number | undefined;
  /** What the score consists of. Only in the latest state of a session. Absent in rows of releases without it. */
  readonly points?: ScorePoints | undefined;
  /** Quality of the reading's intervals. Absent without intervals, and in the latest state of a session. */
  readonly rrQuality?: RrQuality;
  /** Estimates from the text of the reading. Absent without estimates, and in the latest state of a session. */
  readonly derived?: TextValues;
  /** Fields of the reading without consent. Absent without them, and in the latest state of a session. */
  readonly dropped?: readonly string[];
  /** Published score of the session's previous reading. Absent for the first reading. */
  readonly previousScore?: number | undefined;
  /** True if the session has never had evidence. The score is then the neutral prior. */
  readonly isPrior?: true;
  /** Values of other sessions of the person that count in the score. Absent if there are none. */
  readonly shared?: readonly SharedSignal[] | undefined;
  /** The score from the evidence of the session alone. Present if the evidence of other sessions changes it. */
  readonly alone?: OwnScore;
  /** What facts say of the reading. Absent without one that counts, and in the latest state of a session. */
  readonly covered?: Covering;
  /** What was published before the person disputed it. Absent otherwise, and in the latest state of a session. */
  readonly undisputed?: Undisputed | undefined;
  /** Samples of a minute that a source sent, as lists of time and value by field. The score does not use them. */
  readonly samples?: Readonly<Partial<Record<string, readonly (readonly [number, number])[]>>>;
  /** Topics of this reading's conversation turn. Absent if the reading has no turn. */
  readonly topics?: readonly TopicName[];
  /** The subject's topics by status after this reading. Absent if the session has no subject. */
  readonly triggers?: Pick<Subject, 'active' | 'resolved'>;
}

/**
 * What facts say of a reading: how much the person moved, or that its heart data (`no_heart`) or all of it (`nothing`) is no
 * evidence.
 */
export type Covering = 'resting' | 'light' | 'moderate' | 'vigorous' | 'no_heart' | 'nothing';

/** The point of a reading before the person disputed it. */
export interface Undisputed extends Pick<ComputedState, 'score' | 'confidence' | 'isWeak'> {
  /** What the dispute replaced. Absent if the reading has changed since. */
  readonly computed?: Omit<ComputedState, ReadingPart> | undefined;
}

/** The parts of a computed state that do not depend on what facts say. */
export type ReadingPart = 'previousScore' | 'topics' | 'triggers' | 'rrQuality' | 'derived' | 'dropped' | 'samples';

/** A score from the evidence of one session alone. No band hold applies. */
export type OwnScore = Pick<ComputedState, 'score' | 'confidence' | 'isWeak' | 'reason' | 'previousScore' | 'points'>;

/**
 * Integer points of a score by category of its signals, with 0 if they are neutral. The rest of the score is the neutral
 * start.
 */
export type ScorePoints = { readonly [Name in SignalCategory | 'other_session' | 'held']?: number };

/**
 * Heart rates of a session in the last minute. Plain JSON of bounded size. The newest heart rate is stored separately
 * (`Signals.heart_rate`), so that readings with the same timestamp may arrive in any order.
 */
export interface RecentHeartRates {
  /** Plausible readings, oldest first. Only the last one may be older than the smoothing window. */
  readonly slots: readonly HeartRateSlot[];
  /** Timestamp of the first reading of the last slot, in epoch ms. Absent if the slot has one reading. */
  readonly slotFromMs?: number | undefined;
  /** A jump to a very different heart rate. The newest reading confirms or refutes it. */
  readonly unconfirmed?: Sample<number> | undefined;
  /** The level before the newest reading, in bpm. */
  readonly steadyBpm: number;
  /**
   * Time in epoch ms at which the mean returned to the typical heart rate, while `steadyBpm` is still higher. Absent
   * otherwise.
   */
  readonly backSinceMs?: number | undefined;
  /** The last quiet minutes. Absent in rows of releases without them. */
  readonly quiet?: QuietHeartRate | undefined;
}

/** Mean of neighboring readings. */
export interface HeartRateSlot {
  /** Timestamp of the slot's last reading, in epoch ms. */
  readonly atMs: number;
  readonly bpm: number;
  /** Duration that the slot's readings represent, in seconds. */
  readonly seconds: number;
}

/**
 * Heart rate of the last quiet minutes. The weights of mean and variance follow time, so the number of readings does not
 * matter.
 */
export interface QuietHeartRate {
  /** Mean in bpm. */
  readonly bpm: number;
  /** Variance in bpm². */
  readonly variance: number;
  /** Quiet time so far in seconds, at most `quiet_seconds`. */
  readonly seconds: number;
  /**
   * Time since the heart rate rose far above the mean, in seconds. The mean does not change meanwhile. Absent without a
   * rise.
   */
  readonly raisedSeconds?: number | undefined;
}

/** Beat-to-beat intervals of one reading in ms, oldest first. The last one ends at `atMs`, in epoch ms. */
export interface IntervalBatch {
  readonly atMs: number;
  readonly intervals: readonly number[];
  readonly device?: string | undefined;
}

/** Data that holds a published score in its band. */
export interface BandHold {
  /**
   * Start of the present band in epoch ms. Absent if the session has had only one band, or if an earlier score started
   * the band.
   */
  readonly bandSinceMs?: number | undefined;
  /** Last score in the previous band. Present and absent together with `bandSinceMs`. */
  readonly scoreBefore?: number | undefined;
  /**
   * Distance of the fused value from its band, integrated over time (points × seconds). Positive above the band,
   * negative below. Absent for 0.
   */
  readonly dwell?: number | undefined;
  /** Evidence of voice, face and words, in log-odds. It rises at once and fades with age. Absent for 0. */
  readonly expressed?: number | undefined;
  /** The part of the words, without earlier evidence. Absent for 0. */
  readonly words?: number | undefined;
  /** Timestamp of the reading that the score is from, in epoch ms. Absent if it is the newest reading. */
  readonly publishedMs?: number | undefined;
}

/** The published state at one time. */
export interface PublishedState extends BandHold {
  readonly score: number;
  /** Time of publication in epoch ms. */
  readonly atMs: number;
  /** See `ComputedState`. */
  readonly sinceMs?: number | undefined;
  readonly isPrior?: true | undefined;
}

/** A conversation turn whose topics may still cause a rise of the heart rate. */
export interface Turn {
  /** Timestamp of the reading in epoch ms. */
  readonly atMs: number;
  readonly topics: readonly TopicName[];
  /** The topics that a first-person phrase names. */
  readonly certain: readonly TopicName[];
  /** Evidence of voice, face and words at the turn, in log-odds. */
  readonly expressed: number;
  /** Stress that counts for the topics so far, 0–100. */
  readonly stress: number;
  /** True after the response of the heart was measured. No later rise counts for the turn. */
  readonly isMeasured?: true | undefined;
}

/** A rise of the heart rate that follows a turn. */
export interface HeartRateRise {
  /** Timestamp of the turn that the rise counts for, in epoch ms. */
  readonly turnMs: number;
  /** Timestamp at which the rise was seen, in epoch ms. */
  readonly sinceMs: number;
  /** Heart rate before the rise in bpm. */
  readonly fromBpm: number;
  /** Highest heart rate of the rise, in bpm. */
  readonly peakBpm: number;
  /** Heart rate in bpm at the conversation turn that followed this one. Absent before that turn. */
  readonly atTurnBpm?: number | undefined;
  /** True once the heart rate no longer climbs. The evidence of the heart rate follows later. */
  readonly isOver?: true | undefined;
}

/** The latest turns of a session and the heart rate since. Plain JSON. */
export interface RecentTurns {
  /** The latest turns that named topics, oldest first. At most two. */
  readonly turns: readonly Turn[];
  /** Timestamp of the newest heart rate or turn, in epoch ms. */
  readonly atMs: number;
  /** Heart rate, smoothed over a few readings, in bpm. Absent without a heart rate. */
  readonly bpm?: number | undefined;
  /** Lowest `bpm` before a rise. */
  readonly lowBpm?: number | undefined;
  /** Evidence of the heart at `lowBpm`, in log-odds. */
  readonly lowEvidence?: number | undefined;
  readonly rise?: HeartRateRise | undefined;
}
