import { isBeforeErasure } from '../contract/grant.js';
import { createFault, ProblemError } from '../contract/problem.js';
import { ageAccepted } from '../contract/state-reading.js';
import { closeTurns, type Credited, creditTopics, type TurnTopics } from '../../packages/score/attribution.js';
import { gatherTopics } from '../../packages/text/gather.js';
import type { TopicName } from '../../packages/text/vocabulary.js';
import type { Sharing } from '../../packages/score/live.js';
import type { Baseline } from '../../packages/score/rows/person.js';
import type { ComputedState, Session } from '../../packages/score/rows/session.js';
import {
  advanceSession,
  backfillSession,
  isOtherSubject,
  startLiveState,
  type SessionStep,
} from '../../packages/score/session.js';
import type { Reading } from '../../packages/score/signals.js';
import { findChange, computeNextSeq, type SessionEvent } from '../../packages/score/states.js';
import type { StoredSession } from '../store/sessions.js';
import { isHidden, mayName } from '../view/grant.js';
import { applyConsent, type AllowedReading } from './consent.js';
import {
  coverReading,
  coverSharing,
  coverStored,
  findCoveringOf,
  isMinute,
  keepStated,
  listMeasured,
  scoreMinute,
} from './covering.js';
import { findContinued, findEndedDevice } from './device.js';
import { mergeMinute } from './merge.js';
import { createPerson, type Person } from './person.js';
import type { PreparedReading } from './prepared-reading.js';
import type { AcceptedReading, GroupProgress, ProcessedReading, ReplacingReading, SampledReading } from './progress.js';
import { findSample, keepSample, rememberSample } from './samples.js';

/** Returns the progress of a group before its first reading. Copies the subjects, because processing changes them. */
export function beginProgress(
  found: Omit<GroupProgress, 'taken' | 'changedSessions' | 'changedSubjects'>,
): GroupProgress {
  const changes = { taken: new Map(), changedSessions: new Map(), changedSubjects: new Map() };
  return { ...found, ...changes, subjects: new Map(found.subjects) };
}

/** Processes a reading, and remembers what the later readings of the group need. */
export function processReading(progress: GroupProgress, submitted: PreparedReading): ProcessedReading {
  const stored = requireSession(progress.sessions, submitted.sessionId);
  // Checked first, because the response to a resend contains the triggers of the session's subject.
  const refusal = checkGate(progress, stored.session, submitted);
  if (refusal) return { kind: 'refused', refusal };
  const key = toReadingKey(submitted);
  const computed = progress.alreadyStored.get(key);
  if (computed) return { kind: 'stored', computed };
  // Two bodies of other samples may be equal.
  const same = submitted.samples ? undefined : progress.taken.get(key);
  if (same) return { kind: 'same', as: same };
  return hasSample(submitted) ? processSample(progress, submitted, stored) : processNew(progress, submitted, stored);
}

/**
 * Returns why the reading may not be stored for its session and person, if so. `isGranted` has checked the names of the
 * request, but only the locked session tells whose it is.
 */
function checkGate(
  progress: GroupProgress,
  session: Session | undefined,
  submitted: PreparedReading,
): ProblemError | undefined {
  if (isOutsideGrant(progress, session, submitted)) return new ProblemError('invalid_token');
  const isForeign = session !== undefined && isHidden(submitted.grant, session.subjectId);
  if (isForeign || isOtherSubject(session, submitted)) return subjectMismatch();
  if (isOfErased(progress, session, submitted)) return new ProblemError('subject_erased');
  return submitted.device && findEndedDevice(progress, submitted);
}

const hasSample = (reading: PreparedReading): reading is SampledReading => reading.sample !== undefined;

/** Processes a reading with a sample: the first one of its sample, or one that replaces the stored one or changes nothing. */
function processSample(progress: GroupProgress, submitted: SampledReading, stored: StoredSession): ProcessedReading {
  const { incarnation, session } = stored;
  const sample = findSample(progress, submitted);
  if (!sample) {
    const processed = processNew(progress, submitted, stored);
    if (processed.kind === 'taken') rememberSample(progress, submitted, incarnation, processed);
    return processed;
  }
  const { samples } = sample;
  const content = { measured: sample.signals, ...(samples && { samples }) };
  const merged = submitted.samples ? mergeMinute(content, submitted) : submitted;
  if (!merged) return { kind: 'kept', of: sample.reading };
  const kept = keepSample(progress, sample, merged, session?.subjectId);
  if (kept) return kept;
  const allowed = keepAllowedPart(progress, session, merged);
  if (allowed instanceof ProblemError) return { kind: 'refused', refusal: allowed };
  rememberSample(progress, merged, incarnation, sample.reading);
  return replaceReading(progress, allowed, incarnation, sample.reading);
}

/** Processes a reading that is not stored. */
function processNew(
  progress: GroupProgress,
  submitted: PreparedReading,
  { incarnation, session: stored }: StoredSession,
): ProcessedReading {
  const session = stored ?? (submitted.device && findContinued(progress, submitted));
  const person = findPerson(progress, session, submitted);
  person?.addOnlySession(submitted);
  const allowed = keepAllowedPart(progress, session, submitted);
  if (allowed instanceof ProblemError) return { kind: 'refused', refusal: allowed };
  const taken = takeReading(progress, allowed, incarnation, person);
  progress.taken.set(toReadingKey(submitted), taken);
  return taken;
}

/** Applies the consent of the person, if the account enforces it. */
function keepAllowedPart(
  progress: GroupProgress,
  session: Session | undefined,
  reading: PreparedReading,
): AllowedReading | ProblemError {
  const { consent } = reading;
  return consent ? applyConsent(progress, session, reading, consent) : { reading, session };
}

/** Returns the person of the session, otherwise the one that its reading names. Undefined without a person. */
function findPerson(
  progress: GroupProgress,
  session: Session | undefined,
  { subjectId: named }: PreparedReading,
): Person | undefined {
  const subjectId = session?.subjectId ?? named;
  return subjectId === undefined ? undefined : createPerson(progress, subjectId);
}

/** Replaces the content of a reading by the permitted part of another one with the same sample. */
function replaceReading(
  progress: GroupProgress,
  { reading: submitted, session, dropped }: AllowedReading,
  incarnation: string,
  of: ReplacingReading['of'],
): ReplacingReading {
  const baseline = findPerson(progress, session, submitted)?.findBaseline() ?? session?.baseline;
  const stated = toReading(submitted);
  const covering = progress.facts && findCoveringOf(progress, session, submitted);
  const covered = covering
    ? { ...coverStored(listMeasured(stated, undefined), stated.atMs, covering) }
    : { reading: stated };
  const scored = { ...covered, baseline, isMinute: isMinute(submitted) };
  return { kind: 'replaced', submitted, incarnation, of, scored, dropped };
}

/** Without a turn. */
const noTopics = { topics: [], certainTopics: [], calmTopics: [], evidence: undefined };
/** Without a turn, and without one in the last minutes. */
const noCredit = { talk: undefined, credit: undefined, calm: undefined };

/** Advances the session by the permitted part of a reading. */
function takeReading(
  progress: GroupProgress,
  allowed: AllowedReading,
  incarnation: string,
  person: Person | undefined,
): AcceptedReading {
  const covering = progress.facts && findCoveringOf(progress, allowed.session, allowed.reading);
  const { reading: submitted, session, dropped } = covering ? coverReading(allowed, covering) : allowed;
  const { sessionId, turn, isBackfill } = submitted;
  const shared = person?.findSharing(submitted);
  const sharing = covering ? coverSharing(shared, covering) : shared;
  const known = person?.findBaseline() ?? allowed.session?.baseline;
  const alone = stepSession(session, toReading(submitted), known, submitted, sharing);
  const step = covering ? keepStated(alone, toReading(allowed.reading), covering, allowed.session) : alone;
  const { evidence, ...said } = turn ? gatherTopics(session?.topicEvidence, turn) : noTopics;
  const event = isBackfill ? undefined : detectChange(progress, sessionId, session, step.session);
  const { talk, ...credited } = creditTurn(session, submitted, step, said);
  person?.remember(submitted, step, sharing);
  const isShared = sharing?.isRead === true;
  const finished = person?.follow(submitted, step, { ...said, ...credited, isShared }) ?? [];
  const measured = finished.filter((it) => it.sessionId === sessionId);
  const numbered = { ...step.session, talk: talk && closeTurns(talk, measured), ...(event && { eventSeq: event.seq }) };
  const advanced = { incarnation, session: evidence ? { ...numbered, topicEvidence: evidence } : numbered };
  progress.sessions.set(sessionId, advanced);
  progress.changedSessions.set(sessionId, advanced);
  const stepped = dropped ? { ...step, computed: { ...step.computed, dropped } } : step;
  return { kind: 'taken', submitted, incarnation, step: stepped, topics: said.topics, ...credited, finished, event };
}

/** Returns what the stress of a reading counts for: its turn, and the turns of the last minutes. */
function creditTurn(
  session: Session | undefined,
  { turn, check, timestampMs: atMs }: PreparedReading,
  { fused, point }: SessionStep,
  said: TurnTopics,
): Credited {
  // What follows a message about a danger counts for no topic that was said before.
  if ((!turn && !session?.talk) || check?.danger) return noCredit;
  // A turn without evidence is no sighting, because it would be a calm one.
  const topics = point.confidence > 0 ? said : noTopics;
  return creditTopics(session?.talk, { atMs, heartRate: fused?.heartRate, fused }, topics, point.score);
}

/** Returns the state with the topics of the turn and the triggers of the subject after the reading. */
export function completeState(
  { subjects, nowMs }: GroupProgress,
  { step: { computed, session }, submitted }: AcceptedReading,
  topics: readonly TopicName[],
): ComputedState {
  const subject = session.subjectId === undefined ? undefined : subjects.get(session.subjectId);
  return {
    ...(submitted.isBackfill ? computed : ageAccepted(computed, nowMs)),
    ...(topics.length > 0 && { topics }),
    ...(subject && { triggers: { active: subject.active, resolved: subject.resolved } }),
  };
}

/**
 * Returns true for a reading that its session token does not allow: it names a person other than the token's and the
 * session's, or the token is from before the erasure of the session or the person.
 */
function isOutsideGrant(
  { erasedAtMs }: GroupProgress,
  session: Session | undefined,
  { grant, sessionId, subjectId }: PreparedReading,
): boolean {
  if (!grant) return false;
  if (!mayName(grant, subjectId, session?.subjectId)) return true;
  const subjects = [subjectId, session?.subjectId].filter((id) => id !== undefined);
  const ids = [
    { kind: 'session', id: sessionId } as const,
    ...subjects.map((id) => ({ kind: 'subject', id }) as const),
  ];
  return ids.some((id) => isBeforeErasure(grant, erasedAtMs(id)));
}

/** Returns true for a live turn that is not newer than the erasure of its person. */
function isOfErased(
  { erasedAtMs }: GroupProgress,
  session: Session | undefined,
  { isLiveTurn, subjectId, timestampMs }: PreparedReading,
): boolean {
  const id = session?.subjectId ?? subjectId;
  return isLiveTurn === true && id !== undefined && timestampMs <= erasedAtMs({ kind: 'subject', id });
}

function stepSession(
  session: Session | undefined,
  reading: Reading,
  known: Baseline | undefined,
  { isBackfill, sample }: PreparedReading,
  sharing: Sharing | undefined,
): SessionStep {
  if (isBackfill) {
    const step = backfillSession(session, reading, known);
    return isMinute({ isBackfill, sample }) ? scoreMinute(step, reading, known) : step;
  }
  if (session?.isBackfilled) return startLiveState(session, reading, known, { sharing });
  return advanceSession(session, reading, known, { sharing });
}

function detectChange(
  { nowMs }: GroupProgress,
  sessionId: string,
  before: Session | undefined,
  after: Session,
): SessionEvent | undefined {
  // The first reading that is not backfilled starts the current state, so it changes none.
  const payload = findChange(sessionId, before?.isBackfilled ? undefined : before, after);
  return payload && { sessionId, seq: computeNextSeq(before, nowMs), subjectId: after.subjectId, payload };
}

function toReading({ signals, subjectId, timestampMs, unreadText }: PreparedReading): Reading {
  const optional = { ...(subjectId !== undefined && { subjectId }), ...(unreadText && { unreadText }) };
  return { ...signals, atMs: timestampMs, ...optional };
}

/** Returns a locked session. Throws if the group did not lock the session. */
export function requireSession(sessions: GroupProgress['sessions'], sessionId: string): StoredSession {
  const stored = sessions.get(sessionId);
  if (!stored) throw new Error('a session of the group was not locked');
  return stored;
}

/** Returns the reading key. It is unambiguous, because ids contain no spaces and the digest covers the timestamp. */
export function toReadingKey({ sessionId, digest }: { readonly sessionId: string; readonly digest: string }): string {
  return `${sessionId} ${digest}`;
}

function subjectMismatch(): ProblemError {
  return new ProblemError('subject_mismatch', {
    faults: [createFault('subject_mismatch', { pointer: '/subject_id' })],
  });
}
