import type { TopicName } from '../text/vocabulary.js';
import {
  assess,
  type Assessed,
  findLevel,
  findOtherHeartRate,
  findPreviousScore,
  scoreAlone,
  type Sensed,
} from './assess.js';
import {
  computeTypicalValues,
  type SampleDurations,
  updateBaseline,
  computeProgress,
  backfillBaseline,
  type BaselineSample,
} from './baseline.js';
import { rateConfidence } from './confidence.js';
import { countAgreeingTones } from './evidence.js';
import { modelVersion, signalCategories } from './generated/contract.js';
import { processHeartRate, toBaselineSample } from './heart.js';
import { shareReading, type Sharing } from './live.js';
import { stressModel as model } from './model.js';
import { addStatedMovement, countSteps, isStill, reduceAfterDeviceChange, updateDevice } from './movement.js';
import { beforeReading, findCause, findRiseStart, followCourse } from './raised.js';
import { explainScore } from './reason.js';
import type { HeartLevel } from './response.js';
import type { Baseline, HeartCourse, LiveSignals } from './rows/person.js';
import type { BandHold, ComputedState, PublishedState, Raised, Session } from './rows/session.js';
import { type Device, round3, type Sample, type SignalCategory, type Signals } from './rows/values.js';
import { storeIntervals, addDerivedVariability } from './rr-intervals.js';
import {
  listTextValues,
  listCategories,
  mergeSignals,
  type HistoryPoint,
  type Reading,
  signalNames,
  toPoint,
} from './signals.js';
import { computePoints, computePublishedBefore, isSameState, type PublishedScore, publishScore } from './states.js';
import type { RaisedHeart } from './situation.js';
import { type FusedStress, fuseEvidence } from './stress.js';
import { findLowestScore } from './usual.js';

const stressedFrom = findLowestScore('stressed');

/** The evidence of a reading, with its heart rate or that of another session of the person, in bpm. */
interface Evidence extends Pick<FusedStress, 'expressed' | 'heart' | 'explained'> {
  readonly heartRate: number | undefined;
  /** The smoothed heart rate. Undefined if it is stale. */
  readonly level: HeartLevel | undefined;
}

export interface SessionStep {
  readonly session: Session;
  /** Baseline of the subject, updated with this reading. */
  readonly baseline: Baseline;
  readonly computed: ComputedState;
  readonly point: HistoryPoint;
  /** The evidence of the reading. Absent for a late reading, which does not change the session. */
  readonly fused?: Evidence;
  /** The live signals of the person after the reading. Absent if no other session shares any, and for a late reading. */
  readonly live?: LiveSignals | undefined;
}

export interface StepOptions {
  /** Returns the baseline updated with a sample. Default: `updateBaseline`. */
  readonly learnFrom?: (baseline: Baseline | undefined, lesson: BaselineSample) => Baseline;
  /** Absent if the session shares no signals: its person is unknown, the reading is backfilled, or the account forbids it. */
  readonly sharing?: Sharing | undefined;
  /** True for a backfilled reading. */
  readonly isPast?: boolean;
}

/**
 * Advances a session by one reading. `session` is undefined for the first reading. `known` is the baseline of the
 * subject before this reading. The reading is scored against this baseline and then updates it.
 */
export function advanceSession(
  session: Session | undefined,
  submitted: Reading,
  known: Baseline | undefined,
  { learnFrom = updateBaseline, sharing, isPast = false }: StepOptions = {},
): SessionStep {
  const reading = submitted.rr_intervals_ms ? addDerivedVariability(submitted, session?.intervals ?? []) : submitted;
  const signals = mergeSignals(session?.signals ?? {}, reading);
  if (session && isSuperseded(session, signals, reading)) return joinHistory(session, reading, known, isPast);
  const sensed = sense(session, reading, signals, known, isPast);
  const plain = assess(sensed, sharing);
  const cause = findHeartCause(sensed, plain);
  const assessed = cause?.raised ? addCause(plain, cause.raised) : plain;
  const fused = fuseEvidence(assessed.situation, sensed.timestampMs);
  const device = updateDevice(session?.device ?? known?.device, reading);
  const published = publish(sensed, fused, sharing);
  const computed = computeState(sensed, { assessed, cause, fused, device, published, sharing });
  const baseline = learnFrom(known, toBaselineSample(reading, assessed.ownSituation, device, cause?.course));
  const own = ofReading(reading);
  return {
    computed: own ? { ...computed, ...own } : computed,
    baseline,
    point: toPoint(reading, computed.score, computed.confidence, computed.isWeak),
    fused: {
      expressed: fused.expressed,
      heart: fused.heart,
      explained: fused.explained,
      heartRate: submitted.heart_rate ?? findOtherHeartRate(assessed.situation.signals),
      level: findLevel(assessed.situation, sensed.timestampMs),
    },
    live: shareLive(sensed, assessed, sharing),
    session: remember(sensed, { assessed, device, published, computed, baseline }),
  };
}

/** Returns what is known before a reading is scored. */
function sense(
  session: Session | undefined,
  reading: Reading,
  signals: Signals,
  known: Baseline | undefined,
  isPast: boolean,
): Sensed {
  const timestampMs = Math.max(session?.latest.timestampMs ?? reading.atMs, reading.atMs);
  const agreeingTones = session && countAgreeingTones(session.signals.tone, signals.tone, session.agreeingTones);
  return { session, reading, signals, known, timestampMs, agreeingTones, isPast };
}

/** What the heart rate of a known person can mean, and the course of the day after it. */
interface HeartCause {
  readonly course: HeartCourse | undefined;
  readonly raised: RaisedHeart | undefined;
  /** Start of the present rise in epoch ms. */
  readonly riseMs: number | undefined;
}

/** Compares the heart rate with the course of the person's day. Undefined without a person, and for a backfilled reading. */
function findHeartCause(
  { session, reading, known, timestampMs, isPast }: Sensed,
  { situation, allMovements }: Assessed,
): HeartCause | undefined {
  if (isPast || (session?.subjectId ?? reading.subjectId) === undefined) return undefined;
  const held = known?.course;
  if (!situation.heart) return { course: held, raised: undefined, riseMs: undefined };
  const before = beforeReading(held, timestampMs, situation.typical.heart_rate);
  const isNew = situation.signals.heart_rate?.atMs === timestampMs;
  const isCalm = isStill(countSteps(session?.steps, reading), timestampMs);
  const course = isNew ? followCourse(held, before, situation, allMovements, isCalm, timestampMs) : held;
  const raised = findCause(before, situation, allMovements, isCalm, timestampMs);
  return { course, raised, riseMs: findRiseStart(before, course, timestampMs) };
}

function addCause(assessed: Assessed, raised: RaisedHeart): Assessed {
  const { situation, ownSituation } = assessed;
  const caused = { ...situation, raised };
  return { ...assessed, situation: caused, ownSituation: situation === ownSituation ? caused : ownSituation };
}

/** Returns what a raised heart rate can mean, while it is raised or the state is stressed. */
function toRaised(
  cause: HeartCause | undefined,
  { score, sinceMs }: Published,
  { hasEvidence }: FusedStress,
): Raised | undefined {
  if (!cause?.raised || !hasEvidence || (cause.riseMs === undefined && score < stressedFrom)) return undefined;
  return { sinceMs: cause.riseMs ?? sinceMs, likely: cause.raised.likely };
}

/** A published score with the state that it followed. */
interface Published extends PublishedScore {
  /** The state published before. Undefined for a new session, and where the score rests on the session alone for the first time. */
  readonly held: PublishedState | undefined;
  readonly sinceMs: number;
}

/** Publishes the score of a reading. Without evidence, it is that of the last reading with evidence, or the neutral start. */
function publish({ session, timestampMs }: Sensed, fused: FusedStress, sharing: Sharing | undefined): Published {
  const held = sharing?.isRead === false && session?.latest.alone ? undefined : heldAt(session, timestampMs);
  const { hasEvidence } = fused;
  const { score, hold } =
    hasEvidence || !held
      ? publishScore(fused, held, timestampMs, session?.firstAtMs ?? timestampMs)
      : { score: held.score, hold: keepHold(held) };
  const isSame = held !== undefined && isSameState(held, score, hasEvidence ? timestampMs : held.atMs);
  return { score, hold, held, sinceMs: (isSame && held.sinceMs) || timestampMs };
}

interface Scored {
  readonly assessed: Assessed;
  readonly cause: HeartCause | undefined;
  readonly fused: FusedStress;
  readonly device: Device | undefined;
  readonly published: Published;
  readonly sharing: Sharing | undefined;
}

/** Returns the computed fields of the state after a reading. */
function computeState(sensed: Sensed, { assessed, cause, fused, device, published, sharing }: Scored): ComputedState {
  const { session, reading, timestampMs } = sensed;
  const { situation, ownSituation, shared } = assessed;
  const { score, sinceMs } = published;
  const isPrior = !fused.hasEvidence && (!published.held || published.held.isPrior === true);
  const alone = situation === ownSituation ? undefined : scoreAlone(sensed, device);
  const raised = toRaised(cause, published, fused);
  const computed: ComputedState = {
    // What few readings change comes first in stored rows: a database logs a text from its first difference on.
    model: modelVersion.number,
    received: listCategories(reading),
    sinceMs,
    learned: computeProgress(situation.typical.heart_rate),
    known: round3(situation.typical.heart_rate.known),
    reason: explainScore(fused, situation, score, { unread: reading.unreadText, device, raised }),
    points: computePoints(fused, situation.signals, score),
    timestampMs,
    score,
    confidence: reduceAfterDeviceChange(rateConfidence(fused, situation, score), device, timestampMs),
    previousScore: findPreviousScore(session, sharing),
  };
  const { isWeak } = fused;
  if (!isPrior && !shared && !alone && !isWeak && !raised) return computed;
  return {
    ...computed,
    ...(isWeak && { isWeak }),
    ...(raised && { raised }),
    ...(isPrior && { isPrior }),
    ...(shared && { shared }),
    ...(alone && { alone }),
  };
}

/** Returns the live signals of the person after a reading. Undefined if no other session shares any. */
function shareLive(
  { reading, signals }: Sensed,
  { movements, ownSituation }: Assessed,
  sharing: Sharing | undefined,
): LiveSignals | undefined {
  if (!sharing?.live) return undefined;
  const after = { signals, implied: movements.implied };
  return shareReading(sharing.live, sharing.sessionId, reading, after, ownSituation.heart);
}

type Remembered = Pick<Scored, 'assessed' | 'device' | 'published'> & Pick<SessionStep, 'computed' | 'baseline'>;

/** Returns the session after a reading. Lists the fields, because spreading an object of this size costs more than the score. */
function remember(sensed: Sensed, { assessed, device, published, computed, baseline }: Remembered): Session {
  const { session, reading, signals, timestampMs, agreeingTones } = sensed;
  const { recent, movements } = assessed;
  const { subjectId, baseline: own } = identify(session, reading, baseline);
  const received = receivedAt(session, reading.atMs, computed.received);
  return {
    subjectId,
    baseline: own,
    firstAtMs: session?.firstAtMs ?? timestampMs,
    eventSeq: session?.eventSeq,
    topicEvidence: session?.topicEvidence,
    sightedTopics: session?.sightedTopics,
    latest: received === computed.received ? computed : { ...computed, received },
    signals,
    recent,
    intervals: reading.rr_intervals_ms ? storeIntervals(session?.intervals, reading) : session?.intervals,
    movement: movements.movement,
    implied: movements.implied,
    stated: movements.stated,
    agreeingTones,
    steps: countSteps(session?.steps, reading),
    device,
    held: published.held,
    published: published.hold,
    talk: session?.talk,
    past: session?.past,
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
function heldAt(session: Session | undefined, timestampMs: number): PublishedState | undefined {
  if (!session) return undefined;
  const { latest, published: hold, held } = session;
  if (timestampMs === latest.timestampMs) return held;
  const { score, sinceMs, isPrior } = latest;
  const atMs = hold.publishedMs ?? latest.timestampMs;
  const { bandSinceMs, scoreBefore, dwell, expressed, words } = computePublishedBefore({ score, hold }, held, atMs);
  return { score, atMs, bandSinceMs, scoreBefore, dwell, expressed, words, sinceMs, isPrior };
}

/** Returns the hold after a reading without evidence. The score stays that of the last reading with evidence. */
function keepHold({ score: _, sinceMs: __, isPrior: ___, atMs, ...hold }: PublishedState): BandHold {
  return { ...hold, publishedMs: atMs };
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
  return signalCategories.filter((category) => both.has(category));
}

/** Returns true for a late reading that is the newest for none of its signals and states no stronger movement. */
function isSuperseded(session: Session, merged: Signals, reading: Reading): boolean {
  if (reading.atMs >= session.latest.timestampMs) return false;
  if (addStatedMovement(session, reading) !== session) return false;
  return signalNames.every((name) => merged[name] === session.signals[name]);
}

/** Scores a late reading from its own signals, for the history only. Does not change the session. */
function joinHistory(session: Session, reading: Reading, known: Baseline | undefined, isPast: boolean): SessionStep {
  const baseline = known ?? {};
  const { raised: _, ...latest } = session.latest;
  return {
    computed: {
      ...latest,
      model: modelVersion.number,
      received: listCategories(reading),
      // `latest` is always present, because the session already has a reading.
      previousScore: session.latest.previousScore ?? session.latest.score,
      ...ofReading(reading),
    },
    baseline,
    point: scoreOwnSignals(reading, known, isPast),
    session: {
      ...session,
      intervals: reading.rr_intervals_ms ? storeIntervals(session.intervals, reading) : session.intervals,
      ...identify(session, reading, baseline),
    },
  };
}

/** Returns the point of a reading with the score of its own signals. */
function scoreOwnSignals(reading: Reading, known: Baseline | undefined, isPast = false): HistoryPoint {
  const signals = mergeSignals({}, reading);
  const typical = computeTypicalValues(known, reading.atMs, {}, isPast);
  const { heart, explainedBpm } = processHeartRate(undefined, reading, signals, typical.heart_rate);
  const situation = { signals, typical, heart, explainedBpm };
  const fused = fuseEvidence(situation, reading.atMs);
  const { score } = publishScore(fused, undefined, reading.atMs);
  return toPoint(reading, score, rateConfidence(fused, situation, score), fused.isWeak);
}

/**
 * Returns the computed state and the point of a stored reading whose content is replaced. The state remains the one that
 * its session had after the stored reading. `computed` is that of the stored reading.
 */
export function replaceReading(
  computed: ComputedState,
  submitted: Reading,
  known: Baseline | undefined,
): Pick<SessionStep, 'computed' | 'point'> {
  const reading = submitted.rr_intervals_ms ? addDerivedVariability(submitted, []) : submitted;
  const point = scoreOwnSignals(reading, known);
  const { rrQuality: _, derived: __, dropped: ___, raised: ____, alone, ...state } = computed;
  // Viewers who must not know the evidence of other sessions see this score, which has none.
  const { score, confidence, isWeak } = point;
  const own = alone && { alone: { ...alone, score, confidence, isWeak } };
  return { point, computed: { ...state, received: listCategories(reading), ...ofReading(reading), ...own } };
}

/** Returns the computed fields that belong to one reading only, not to the latest state of its session. Undefined without any. */
function ofReading(reading: Reading): Pick<ComputedState, 'rrQuality' | 'derived'> | undefined {
  const { rrQuality } = reading;
  const derived = listTextValues(reading);
  return rrQuality || derived ? { ...(rrQuality && { rrQuality }), ...(derived && { derived }) } : undefined;
}

/** Returns true if the reading names a different subject than the one that the session is bound to. */
export function isOtherSubject(session: Session | undefined, { subjectId }: Pick<Reading, 'subjectId'>): boolean {
  return session?.subjectId !== undefined && subjectId !== undefined && subjectId !== session.subjectId;
}

/**
 * Binds the session to the first named subject and uses the subject's baseline. Before that, the session has its own
 * baseline.
 */
function identify(
  session: Session | undefined,
  reading: Reading,
  baseline: Baseline,
): Pick<Session, 'subjectId' | 'baseline'> {
  const subjectId = session?.subjectId ?? reading.subjectId;
  return { subjectId, baseline: subjectId === undefined ? baseline : undefined };
}

/**
 * Advances a session by a backfilled reading. Backfilled readings have their own smoothing and their own state, so that
 * the current state depends only on the other readings. If a session has only backfilled readings, its scores are the
 * same as if they had arrived in time.
 */
export function backfillSession(
  session: Session | undefined,
  reading: Reading,
  known: Baseline | undefined,
): SessionStep {
  const isLive = session !== undefined && !session.isBackfilled;
  const past = isLive ? session.past : session;
  const bound = past && { ...past, subjectId: session?.subjectId };
  const durations = measureDurations(bound, reading);
  const step = advanceSession(bound, withSubject(session, reading), known, {
    learnFrom: (baseline, lesson) => backfillBaseline(baseline, lesson, durations),
    isPast: true,
  });
  const { subjectId, baseline, ...state } = step.session;
  if (!isLive) return { ...step, session: { ...step.session, isBackfilled: true } };
  return { ...step, session: { ...session, subjectId, baseline, past: state } };
}

/** Advances a session by its first reading that is not backfilled. The current state starts with this reading. */
export function startLiveState(
  session: Session,
  reading: Reading,
  known: Baseline | undefined,
  options?: StepOptions,
): SessionStep {
  const step = advanceSession(undefined, withSubject(session, reading), known, options);
  const { subjectId: _, baseline: __, isBackfilled: ___, ...past } = session;
  return { ...step, session: { ...step.session, past } };
}

/** Returns the timestamp of the newest reading of a session, in epoch ms. Undefined for a new session. */
export function findNewestReadingTime(session: Session | undefined): number | undefined {
  return session && Math.max(session.latest.timestampMs, session.past?.latest.timestampMs ?? 0);
}

/** Adds the subject of the session to a reading without one. */
function withSubject(session: Session | undefined, reading: Reading): Reading {
  return session?.subjectId === undefined ? reading : { ...reading, subjectId: session.subjectId };
}

/** Returns the seconds since the previous sample of each signal, within the bound of the baseline. */
function measureDurations(past: Session | undefined, { atMs }: Reading): SampleDurations {
  const secondsMax = model.baseline.reading_seconds_max;
  const since = (previous: Sample<number> | undefined) =>
    previous ? Math.min(secondsMax, Math.max(0, (atMs - previous.atMs) / 1000)) : secondsMax;
  const { heart_rate, sdnn, rmssd } = past?.signals ?? {};
  return { heart_rate: since(heart_rate), sdnn: since(sdnn), rmssd: since(rmssd) };
}
