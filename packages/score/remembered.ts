import type { signals as contract } from '../../generated/spec.js';
import type { Area, TopicName } from '../text/vocabulary.js';
import type { Schema, SignalCategory, Submission } from '../../src/contract/contract.js';

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

/** The computed fields of a state reading. All other fields are derived from them. */
export interface ComputedState {
  /** Timestamp of the newest reading in epoch ms. */
  readonly timestampMs: number;
  readonly score: number;
  /** Timestamp of the first reading of the present state, in epoch ms. Absent if the score is that of `alone`. */
  readonly sinceMs?: number;
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
  /** True if the session has never had evidence. The score is then the neutral prior. */
  readonly isPrior?: true;
  /** Values of other sessions of the person that count in the score. Absent if there are none. */
  readonly shared?: ReadonlyArray<Schema<'SharedSignal'>> | undefined;
  /** The score from the evidence of the session alone. Present if the evidence of other sessions changes it. */
  readonly alone?: AloneScore;
  /** Topics of this reading's conversation turn. Absent if the reading has no turn. */
  readonly topics?: readonly TopicName[];
  /** The subject's topics by status after this reading. Absent if the session has no subject. */
  readonly triggers?: Pick<Subject, 'active' | 'resolved'>;
}

/** A score from the evidence of one session. Nothing holds it in its band. */
export type AloneScore = Pick<ComputedState, 'score' | 'confidence' | 'reason' | 'previousScore'>;

/** Data about a person across sessions, without the triggers. Plain JSON. */
export interface Subject {
  readonly baseline?: Baseline | undefined;
  /**
   * Signals of the last minutes, which count in all sessions of the person. Absent if one session sent all of them (see
   * `newest`), and if the account shares none.
   */
  readonly live?: LiveSignals | undefined;
  /** The newest version of the consent. Absent if none is recorded. */
  readonly consent?: Consent | undefined;
  /**
   * The session of the person's newest reading that was not backfilled, and the timestamp of this reading in epoch ms.
   * Absent without such a reading. If only this session shares signals, they are those that it has from `sharedFromMs` on.
   */
  readonly newest?: { readonly sessionId: string; readonly atMs: number; readonly sharedFromMs?: number } | undefined;
  /**
   * Topic names by status, in the order of `compareRecency`. Absent if there are none. Every response for the person
   * contains these names.
   */
  readonly active?: readonly string[] | undefined;
  readonly resolved?: readonly string[] | undefined;
  /** Absent before the first conversation turn. */
  readonly turns?: PersonTurns | undefined;
}

/** Weighted sums over conversation turns. Plain JSON. */
export interface StressSums {
  /** Number of turns. A turn during movement counts less than one. */
  readonly turns: number;
  /** Sum of the stress of the turns, and of its square. */
  readonly sum: number;
  readonly squares: number;
}

/** A conversation turn whose response of the heart is not complete. */
export interface OpenTurn {
  /** Timestamp of the reading in epoch ms. */
  readonly atMs: number;
  readonly sessionId: string;
  readonly topics: readonly TopicName[];
  /** Topics that count only if they are a concern of the person. */
  readonly calmTopics: readonly TopicName[];
  /** Evidence of voice, face and words at the turn, in log-odds. */
  readonly expressed: number;
  /** Stress that counts for the sightings of the turn so far, 0–100. */
  readonly stress: number;
  /** Heart rate before the response, in bpm. */
  readonly levelBpm: number;
  /** Absent before the first heart rate of the response. */
  readonly response?: HeartResponse | undefined;
}

/** The heart rates that follow a turn. */
export interface HeartResponse {
  /** Time that the readings represent, in seconds, the part without movement, and its bpm × seconds. */
  readonly seconds: number;
  readonly stillSeconds: number;
  readonly bpmSeconds: number;
  /** True if another session of the person measured a part of them. */
  readonly isElsewhere?: true | undefined;
}

/** Stress of a person's conversation turns, to compare topics with. Plain JSON. */
export interface PersonTurns {
  readonly open?: readonly OpenTurn[] | undefined;
  /** Timestamp of the newest heart rate since the oldest open turn, in epoch ms. Absent without one. */
  readonly heartAtMs?: number | undefined;
  /** All turns, with and without topics. Absent before the first one. */
  readonly all?: StressSums | undefined;
}

export type ConsentCategory = Schema<'ConsentCategory'>;

/** What a person allows, in the form that is stored with the subject. Plain JSON. */
export interface Consent {
  /** Number of the version, from 1. */
  readonly version: number;
  readonly categories: readonly ConsentCategory[];
  readonly context: Schema<'ConsentContext'>;
  /** Epoch ms. Absent for a consent without an end. */
  readonly expiresAtMs?: number | undefined;
}

export type SignalContract = typeof contract;

/** The signals of the contract (`x-signal`) with a use. */
export type SignalsUsedAs<Use> = {
  [N in keyof SignalContract]: SignalContract[N]['use'] extends Use ? N : never;
}[keyof SignalContract];

/** A signal that changes the score. */
export type SignalName = SignalsUsedAs<'evidence'>;

/** Signals of one reading, within the bounds of the contract. An absent signal was not measured. */
export type SignalValues = Pick<Submission, SignalName>;

export type SignalValue<N extends SignalName> = NonNullable<SignalValues[N]>;

/** A value with the time of its measurement, in epoch ms. */
export interface Sample<T> {
  readonly value: T;
  readonly atMs: number;
  /** Device that measured the heart rate variability. Absent for other signals and without a name. */
  readonly device?: string | undefined;
  /** Session that sent the value, for a value that all sessions of a person share. */
  readonly sessionId?: string | undefined;
}

/** Newest value of each signal of a session. A signal is absent if it was never measured. */
export type Signals = { readonly [N in SignalName]?: NewestSample<N> };

export type NewestSample<N extends SignalName> = Sample<SignalValue<N>> | undefined;

/**
 * Heart rate rise that movement explains at a time, in bpm above rest. The explained rise decays as the heart recovers.
 */
export type Movement = Sample<number>;

/** Movement of a session. Each field is absent until its first value. */
export interface Movements {
  /** The strongest stated movement. */
  readonly movement?: Movement | undefined;
  /** The strongest movement that a heart rate implied. */
  readonly implied?: Movement | undefined;
  /** Rise above the resting heart rate that the newest stated activity explains, in bpm. 0 if the client stated rest. */
  readonly stated?: Sample<number> | undefined;
}

/** What counts in all sessions of a person. Each value has its session, and `implied` is of that of the heart rate. */
export interface LiveSignals extends Movements {
  /** Newest confirmed value of each signal. */
  readonly signals: Signals;
  /** The smoothed heart rate at the time of `signals.heart_rate`. */
  readonly heart?: SharedHeart | undefined;
}

/** A confirmed heart rate level in bpm. See `HeartRateLevel`. */
export interface SharedHeart {
  readonly bpm: number;
  readonly fastBpm: number;
  readonly suddenBpm?: number | undefined;
}

/** The device that measured the newest heart data of a session or a person. */
export interface Device {
  readonly name: string;
  /** Timestamp of its newest heart data, in epoch ms. */
  readonly atMs: number;
  /** Time of the last change of the device, in epoch ms. Absent before the first change. */
  readonly changedMs?: number | undefined;
}

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

/**
 * Topic evidence of a session, as stored between turns: numbers by topic and area name. Plain JSON, two decimals,
 * without zeros.
 */
export interface TopicEvidence {
  /** Version of the model that analyzed the turns. */
  readonly model: number;
  /** Number of turns about each area. Older turns have decayed. */
  readonly areas: Partial<Readonly<Record<Area, number>>>;
  /** Phrase points of each topic. The points of older turns have decayed. */
  readonly topics: Partial<Readonly<Record<TopicName, number>>>;
}

/**
 * Baseline of one person. Each field is absent if its signal was never measured. Plain JSON of at most 12,800 bytes:
 * seven histograms of 96 bins are 10,000 of them. The rows that contain it have up to 65,535 bytes on MySQL.
 */
export interface Baseline extends VariabilityByDevice {
  readonly heart_rate?: HeartRateHistograms | undefined;
  /** Device of the newest heart data that was not backfilled. */
  readonly device?: Device | undefined;
}

/** Baseline of heart rate variability. Each field is absent if it was never measured. */
export interface VariabilityBaseline {
  /** Mean of ln SDNN, in ln ms. */
  readonly sdnn?: RunningMean | undefined;
  /** Mean of ln RMSSD, in ln ms. */
  readonly rmssd?: RunningMean | undefined;
}

/** Baseline of the heart rate variability that one device measured. */
export interface DeviceVariabilityBaseline extends VariabilityBaseline {
  readonly device: string;
}

/**
 * Variability per device, because devices measure different values of the same person. `sdnn` and `rmssd` contain the
 * readings without a device, and those of releases without `devices`.
 */
export interface VariabilityByDevice extends VariabilityBaseline {
  /** The last used devices, newest first. Absent until a reading with variability names a device. */
  readonly devices?: readonly DeviceVariabilityBaseline[] | undefined;
}

/**
 * A running, time-weighted mean of ln SDNN or ln RMSSD. The newest value is stored separately, so that readings with
 * the same timestamp may arrive in any order.
 */
export interface RunningMean {
  /**
   * Timestamp of the first reading in epoch ms. Absent once `reading_seconds_max` have passed since then, because it is
   * no longer used.
   */
  readonly firstAtMs?: number | undefined;
  /** Timestamp of the newest reading in epoch ms. */
  readonly atMs: number;
  /** The newest value and its duration, in seconds. The mean does not include it yet. */
  readonly value: number;
  readonly seconds: number;
  /** True if the newest value is not learned, because movement explains the heart rate. */
  readonly isSkipped?: boolean | undefined;
  /** Mean of all earlier values, after decay. Absent if there are none. */
  readonly mean?: number | undefined;
  /** Duration of the earlier values in seconds, after decay. */
  readonly meanSeconds?: number | undefined;
}

/**
 * Histograms of the time that a person spent at each heart rate: one of the whole day, and one per phase of the UTC day.
 * The newest rate is stored separately, so that readings with the same timestamp may arrive in any order.
 */
export interface HeartRateHistograms {
  /**
   * Timestamp of the first reading in epoch ms. Absent once `reading_seconds_max` have passed since then, because it is
   * no longer used.
   */
  readonly firstAtMs?: number | undefined;
  /** Timestamp of the newest reading in epoch ms. */
  readonly atMs: number;
  /** The newest smoothed heart rate and its duration, in seconds. The bins do not include it yet. */
  readonly bpm: number;
  readonly seconds: number;
  /** True if the newest rate is not learned, because movement explains it. */
  readonly isSkipped?: boolean | undefined;
  /** True if the newest rate is raised as under stress. */
  readonly isRaised?: boolean | undefined;
  /** Time with a raised heart rate before the newest rate, minus the later time without one, in seconds. Absent for 0. */
  readonly raisedSeconds?: number | undefined;
  /** Mean of the readings whose duration is still too short for a bin entry. Absent if there are none. */
  readonly blockBpm?: number | undefined;
  /** Total duration of the readings in `blockBpm`, in seconds. */
  readonly blockSeconds?: number | undefined;
  /** Total seconds in the bins, after decay. */
  readonly seenSeconds?: number | undefined;
  /** Seconds per bin, after decay. The key is the lower edge of the bin, in bpm. Absent if all bins are empty. */
  readonly secondsByBpm?: Histogram | undefined;
  /** Seconds per bin in each phase. The key is the first hour of the phase. Absent in rows of releases without phases. */
  readonly phases?: Readonly<Record<string, Histogram>> | undefined;
}

/** Seconds per bin. The key is the lower edge of the bin, in bpm. */
export type Histogram = Readonly<Record<string, number>>;

/** Rounds to three decimals. Sessions and baselines store rounded numbers to keep their rows short and readable. */
export function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Rounds to six decimals. Used for running means, which a reading may change by very little. */
export function round6(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
