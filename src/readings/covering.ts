import { enums, facts as factSettings } from '../../generated/spec.js';
import { keepAllowed, keepAllowedLive, readAllowed, removeLiveValues } from '../contract/consent.js';
import type { Sharing } from '../../packages/score/live.js';
import type { Baseline, ConsentCategory } from '../../packages/score/rows/person.js';
import type { ComputedState, Covering, ReadingPart, Session, Undisputed } from '../../packages/score/rows/session.js';
import { addDerivedVariability } from '../../packages/score/rr-intervals.js';
import { advanceSession, replaceReading, type SessionStep } from '../../packages/score/session.js';
import { type Reading, type ReadingContent, toPoint } from '../../packages/score/signals.js';
import type { StoredFact } from '../store/facts.js';
import type { AllowedReading } from './consent.js';
import type { PreparedReading } from './prepared-reading.js';
import type { GroupProgress } from './progress.js';

/*
 * What counts at a time is a join: what the person states of it, otherwise what the reading itself states, otherwise the facts
 * that cover it, otherwise its steps. A row has what its reading states, and in `covered` what the facts of that time say. A
 * change of the facts scores it again.
 */

const { disputes } = factSettings;
const minuteMs = 60_000;
const levels = enums.ActivityLevel;
const allCategories: ReadonlySet<ConsentCategory> = new Set(enums.ConsentCategory);
/** The categories that remain evidence. */
const left: Readonly<Record<'no_heart' | 'nothing', ReadonlySet<ConsentCategory>>> = {
  no_heart: new Set([...allCategories].filter((it) => it !== 'cardiovascular')),
  nothing: new Set(['movement']),
};

/** Returns true for a minute of the history, which sources and imports send. It is scored from its own values alone. */
export function isMinute({ isBackfill, sample }: Partial<Record<'isBackfill' | 'sample', unknown>>): boolean {
  return isBackfill === true && sample !== undefined;
}

/** What facts say of a reading. `covering` is absent if none counts. */
export interface Coverage {
  readonly covering?: Covering | undefined;
  /** True if the person disputes its state. */
  readonly isDisputed: boolean;
}

/**
 * Returns what facts say of a reading at a time, or of the minute from there. The person's own facts precede what the reading
 * states of its movement, and this precedes other facts.
 */
export function findCoverage(
  facts: readonly StoredFact[],
  atMs: number,
  isWholeMinute: boolean,
  signals: ReadingContent,
): Coverage {
  const untilMs = atMs + (isWholeMinute ? minuteMs : 1);
  const all = facts.filter((it) => it.startMs < untilMs && it.untilMs > atMs);
  const own = all.filter(({ source }) => source === disputes.source);
  const isDisputed = own.length > 0;
  const covering = joinFacts(isDisputed ? own : all);
  const isOfMovement = covering !== 'no_heart' && covering !== 'nothing';
  const isStated = isOfMovement && !isDisputed && signals.activity_level !== undefined;
  return { isDisputed, ...(!isStated && { covering }) };
}

/** Returns what facts of one time say together. Undefined without facts. */
function joinFacts(covering: readonly StoredFact[]): Covering | undefined {
  const has = (...kinds: readonly StoredFact['kind'][]) => covering.some(({ kind }) => kinds.includes(kind));
  if (has('other_person', 'invalid')) return 'nothing';
  if (has('not_worn')) return 'no_heart';
  // An exercise of unknown level explains any heart rate.
  const ranks = covering.map(({ kind, level = 'vigorous' }) => (kind === 'exercise' ? levels.indexOf(level) : -1));
  return levels[Math.max(-1, ...ranks)] ?? (has('rest', 'sleep') ? 'resting' : undefined);
}

/** Returns what a reading that facts cover counts as. */
function coverSignals(signals: ReadingContent, covering: Covering): ReadingContent {
  if (covering === 'no_heart' || covering === 'nothing') return keepAllowed(signals, left[covering]).kept;
  const { steps_last_minute: _, ...others } = signals;
  return { ...others, activity_level: covering };
}

/** A reading as it is scored. */
export interface CoveredReading {
  readonly reading: Reading;
  /** What the reading states. Absent if no fact counts. */
  readonly measured?: ReadingContent;
  readonly covering?: Covering | undefined;
  readonly baseline: Baseline | undefined;
  readonly isMinute: boolean;
}

/** Returns what the facts of the person say of a reading. Undefined if none counts. */
export function findCoveringOf(
  { facts, subjects, nowMs }: GroupProgress,
  session: Session | undefined,
  submitted: PreparedReading,
): Covering | undefined {
  const subjectId = session?.subjectId ?? submitted.subjectId;
  const own = facts && subjectId !== undefined ? facts.get(subjectId) : undefined;
  if (!own || subjectId === undefined) return undefined;
  const { consent, signals, timestampMs } = submitted;
  const given = subjects.get(subjectId)?.consent;
  if (consent && !(given && readAllowed(given, consent.hasPurpose, nowMs).has('movement'))) return undefined;
  return findCoverage(own, timestampMs, isMinute(submitted), signals).covering;
}

/** Returns a reading and its session as facts let them count, before it is scored. */
export function coverReading({ reading, session, ...allowed }: AllowedReading, covering: Covering): AllowedReading {
  const signals = coverSignals(reading.signals, covering);
  const isVoid = covering === 'no_heart' || covering === 'nothing';
  return {
    ...allowed,
    reading: { ...reading, signals },
    session: session && isVoid ? removeLiveValues(session, left[covering]) : session,
  };
}

/** Returns what other sessions share, without what is no evidence. */
export function coverSharing(sharing: Sharing | undefined, covering: Covering): Sharing | undefined {
  if (!sharing?.live || (covering !== 'no_heart' && covering !== 'nothing')) return sharing;
  return { ...sharing, live: keepAllowedLive(sharing.live, left[covering]) };
}

/** Returns a step whose row has what the reading states. `stated` is the reading without the facts. */
export function keepStated(
  step: SessionStep,
  stated: Reading,
  covering: Covering,
  session: Session | undefined,
): SessionStep {
  const measured = listMeasured(stated, session);
  return { ...step, point: { ...step.point, measured }, computed: { ...step.computed, covered: covering } };
}

/** Returns what a row of a reading contains. */
export function listMeasured(stated: Reading, session: Session | undefined): ReadingContent {
  return toPoint(addDerivedVariability(stated, session?.intervals ?? []), 0, 0).measured;
}

/** Returns the step of a minute of the history, with the score of its own values. */
export function scoreMinute(step: SessionStep, reading: Reading, known: Baseline | undefined): SessionStep {
  const { computed, point } = advanceSession(undefined, reading, known, { isPast: true });
  return { ...step, computed, point };
}

/** Returns the computed state and the point of a stored reading with another content. `before` is its computed state. */
export function scoreAgain(
  before: ComputedState,
  { reading, measured, covering, baseline, ...it }: CoveredReading,
): Pick<SessionStep, 'computed' | 'point'> {
  const { covered: _, undisputed, topics, triggers, ...rest } = before;
  const again = it.isMinute
    ? advanceSession(undefined, reading, baseline, { isPast: true })
    : replaceReading(rest, reading, baseline);
  const { computed, point } = again;
  const { previousScore } = before;
  const kept = {
    ...(topics && { topics }),
    ...(triggers && { triggers }),
    ...(covering && { covered: covering }),
    ...(undisputed && { undisputed: { ...undisputed, computed: undefined } }),
    // The row of a replaced reading keeps it.
    ...(previousScore !== undefined && { previousScore }),
  };
  return { point: measured ? { ...point, measured } : point, computed: { ...computed, ...kept } };
}

type Scored = Pick<SessionStep, 'computed' | 'point'>;

/** Returns what was published of a reading before the person disputed it. */
export function findUndisputed({ point, computed }: Scored): Undisputed {
  const { score, confidence, isWeak } = point;
  return computed.undisputed ?? { score, confidence, isWeak, computed: splitComputed(computed).scored };
}

/** Returns a reading as it was before a dispute that has ended. Undefined if other facts or samples count now. */
export function restoreUndisputed(
  { point, computed: { undisputed, ...now } }: Scored,
  covering: Covering | undefined,
): Scored | undefined {
  if (!undisputed?.computed || undisputed.computed.covered !== covering) return undefined;
  const { computed, ...published } = undisputed;
  return { point: { ...point, ...published }, computed: { ...splitComputed(now).ofReading, ...computed } };
}

const readingParts = ['previousScore', 'topics', 'triggers', 'rrQuality', 'derived', 'dropped', 'samples'];

/** Splits a computed state into the parts that do not depend on what facts say, and the others. */
export function splitComputed(computed: ComputedState) {
  const pick = (isOfReading: boolean): object =>
    Object.fromEntries(Object.entries(computed).filter(([name]) => readingParts.includes(name) === isOfReading));
  return {
    ofReading: pick(true) as Pick<ComputedState, ReadingPart>,
    scored: pick(false) as Omit<ComputedState, ReadingPart>,
  };
}

/**
 * Returns a stored reading as facts let it count now, for `scoreAgain`. Values that were derived stay as they are: earlier
 * intervals of the session are gone.
 */
export function coverStored(
  measured: ReadingContent,
  atMs: number,
  covering: Covering | undefined,
): Pick<CoveredReading, 'reading' | 'measured' | 'covering'> {
  const { rr_intervals_ms: _, ...values } = measured;
  const signals = covering ? coverSignals(values, covering) : values;
  return { reading: { ...signals, atMs }, measured, ...(covering && { covering }) };
}
