import type { Area, TopicName } from '../../text/vocabulary.js';
import type { StressSums } from './trigger.js';
import type { Device, Movements, SignalCategory, Signals } from './values.js';

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
  /** First start and last end of the person's facts, in epoch ms. Absent if there are none: readings then ask for none. */
  readonly facts?: { readonly fromMs: number; readonly untilMs: number } | undefined;
  /** When alert rules concern the person. Absent before the first live reading in an account with rules. */
  readonly alert?: AlertPlan | undefined;
}

/** When the alert rules of the account are evaluated for a person: at a time, or after a reading. */
export interface AlertPlan {
  /** Number of the rules and receivers of the account. The next live reading ends a plan with another number. */
  readonly epoch: number;
  /** Time of the next evaluation in epoch ms. Absent: only a reading causes one. */
  readonly dueMs?: number | undefined;
  /** Score from which on a reading causes an evaluation. Absent: none does. */
  readonly level?: number | undefined;
  /** Time in epoch ms from which on any reading causes one. */
  readonly untilMs?: number | undefined;
  /** Shortest time from such a reading to an alert, in ms. */
  readonly afterMs?: number | undefined;
  /** Start of the high scores that the plan follows, in epoch ms. An earlier reading may extend them. */
  readonly sinceMs?: number | undefined;
}

/** A conversation turn whose heart rate response is not complete yet. */
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
}

/** Stress of a person's conversation turns, to compare topics with. Plain JSON. */
export interface PersonTurns {
  readonly open?: readonly OpenTurn[] | undefined;
  /** Timestamp of the newest heart rate since the oldest open turn, in epoch ms. Absent without one. */
  readonly heartAtMs?: number | undefined;
  /** All turns, with and without topics. Absent before the first one. */
  readonly all?: StressSums | undefined;
  /** The turns that no rise of the heart rate followed. Absent before the first one. */
  readonly calm?: StressSums | undefined;
  /** The latest turn that a rise followed, and the heart rate before the rise. Absent before the first one. */
  readonly rise?: { readonly atMs: number; readonly fromBpm: number } | undefined;
  /** The calm turns in a row about each area, up to the newest turn about it. Absent before the first one. */
  readonly calmInRow?: Readonly<Partial<Record<Area, CalmInRow>>> | undefined;
}

export interface CalmInRow {
  /** Number of turns, up to the number that resolves topics. */
  readonly turns: number;
  /** Timestamp of the first one in epoch ms. */
  readonly sinceMs: number;
}

/** A category of signals that a person can allow. */
export type ConsentCategory = SignalCategory | 'movement';

/** What a person allows, in the form that is stored with the subject. Plain JSON. */
export interface Consent {
  /** Number of the version, from 1. */
  readonly version: number;
  readonly categories: readonly ConsentCategory[];
  readonly context: 'personal' | 'care' | 'work' | 'education' | 'research';
  /** Epoch ms. Absent for a consent without an end. */
  readonly expiresAtMs?: number | undefined;
  /** True if the recorded consent has no valid code, or is another one. It then allows nothing. */
  readonly isUnverified?: true | undefined;
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

/**
 * Baseline of one person. Each field is absent if its signal was never measured. Plain JSON of at most 12,800 bytes:
 * seven histograms of 96 bins are 10,000 of them. The rows that contain it have up to 65,535 bytes on MySQL.
 */
export interface Baseline extends VariabilityByDevice {
  readonly heart_rate?: HeartRateHistograms | undefined;
  /** Device of the newest heart data that was not backfilled. */
  readonly device?: Device | undefined;
  /** Absent for a session without a person, and in rows of releases without it, which also remove it. */
  readonly course?: HeartCourse | undefined;
}

/**
 * The course of a person's heart rate over the day, without backfilled readings. The newest rate is stored separately, so
 * that readings with the same timestamp may arrive in any order. At most 1,000 bytes of JSON.
 */
export interface HeartCourse {
  readonly newest: CourseRate;
  /** Start and newest time of the present rise, in epoch ms. Absent without one. */
  readonly sinceMs?: number | undefined;
  readonly raisedMs?: number | undefined;
  /** The newest exertion: its end in epoch ms, its duration, and its highest rise. */
  readonly exertion?: { readonly untilMs: number; readonly seconds: number; readonly riseBpm: number } | undefined;
  /** The present half hour: its start in epoch ms, and its mean without movement. */
  readonly halfHour?: { readonly fromMs: number; readonly seconds: number; readonly bpm: number } | undefined;
  /** Number of half hours as low as in sleep, up to now. Absent for 0. */
  readonly low?: number | undefined;
  /** End of the last sleep in epoch ms. Absent until one is known. */
  readonly wokeMs?: number | undefined;
  /** Levels of the half hours since the last sleep or long pause, in bpm. */
  readonly levels?: readonly number[] | undefined;
  /** Medians of the last days, in bpm. Each day ends with a sleep or a long pause. */
  readonly days?: readonly number[] | undefined;
  /** How far the present day is raised as a whole, in bpm. Absent for an ordinary day. */
  readonly shiftBpm?: number | undefined;
  /** Hours of the last days that were raised as a whole: the first ones in which this was known, in hours since 1970. */
  readonly raisedHours?: readonly number[] | undefined;
}

/** A smoothed heart rate of a course. */
export interface CourseRate {
  readonly atMs: number;
  readonly bpm: number;
  readonly isRaised?: true | undefined;
  /** Distance to the typical heart rate in bpm, for a rate of exertion. */
  readonly exertionBpm?: number | undefined;
  /** True if a movement is stated. */
  readonly isMoving?: true | undefined;
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
  /** True if the newest rate is backfilled. */
  readonly isPast?: true | undefined;
  /** First hours of the phases with backfilled rates. Absent without any. */
  readonly pastPhases?: readonly number[] | undefined;
  /**
   * The seconds of readings that were not backfilled, and their bins. Present while only a part of the day has backfilled
   * rates: they do not tell what is typical of other hours.
   */
  readonly live?: { readonly seconds: number; readonly secondsByBpm: Histogram } | undefined;
}

/** Seconds per bin. The key is the lower edge of the bin, in bpm. */
export type Histogram = Readonly<Record<string, number>>;
