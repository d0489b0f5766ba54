import type { TopicName } from '../../packages/text/vocabulary.js';
import { isBeforeErasure } from '../contract/grant.js';
import { createFault, ProblemError } from '../contract/problem.js';
import { ageAccepted } from '../contract/state-reading.js';
import {
  attributeStress,
  closeTurns,
  type TopicStress,
  computeStressAtTurn,
} from '../../packages/score/attribution.js';
import { type GatheredTopics, gatherTopics } from '../../packages/text/gather.js';
import type { Sharing } from '../../packages/score/live.js';
import type { FinishedTurn } from '../../packages/score/response.js';
import type { Baseline, Subject } from '../../packages/score/rows/person.js';
import type { ComputedState, Session, RecentTurns } from '../../packages/score/rows/session.js';
import {
  advanceSession,
  backfillSession,
  isOtherSubject,
  findNewestReadingTime,
  startLiveState,
  type SessionStep,
} from '../../packages/score/session.js';
import type { Reading } from '../../packages/score/signals.js';
import { findChange, computeNextSeq, type SessionEvent } from '../../packages/score/states.js';
import type { ErasedId } from '../store/erased-ids.js';
import { createReadingTable, type StoredReading } from '../store/readings.js';
import type { WriteScope } from '../store/scope.js';
import type { StoredSession } from '../store/sessions.js';
import type { TriggersBySubject } from '../store/triggers.js';
import { isHidden, mayName } from '../view/grant.js';
import { applyConsent, type AllowedReading } from './consent.js';
import type { PreparedReading } from './intake.js';
import {
  keepSample,
  type KnownSamples,
  rememberSample,
  type ReplacingReading,
  type SampledReading,
  toSampleKey,
} from './samples.js';
import { addOnlySession, findBaseline, findPerson, findSharing, followPerson, rememberPerson } from './person.js';

type AdvancedSession = StoredSession & { readonly session: Session };

/** Intermediate results for the readings of one account in a group. */
export interface GroupProgress {
  readonly sessions: Map<string, StoredSession>;
  readonly subjects: Map<string, Subject | undefined>;
  /** Other sessions whose signals the readings need. Not locked, because the locks of their subjects protect them. */
  readonly others?: ReadonlyMap<string, Session>;
  /** Responses to readings that are already stored, by reading key. */
  readonly alreadyStored: ReadonlyMap<string, ComputedState>;
  /** Absent if no reading of the group has a sample. */
  readonly samples?: KnownSamples | undefined;
  /** Accepted readings of this group, by reading key. Used to detect duplicates within the group. */
  readonly taken: Map<string, AcceptedReading>;
  readonly changedSessions: Map<string, AdvancedSession>;
  readonly changedSubjects: Map<string, Subject>;
  /** Returns the time of the newest erasure of a session or subject, in epoch ms. 0 if there is none. */
  readonly erasedAtMs: (erased: ErasedId) => number;
  /** Time of processing in epoch ms. The same for the whole group. */
  readonly nowMs: number;
}

/** An accepted reading and its effect on the session. */
export interface AcceptedReading {
  readonly kind: 'taken';
  readonly submitted: PreparedReading;
  readonly incarnation: string;
  readonly step: SessionStep;
  readonly topics: readonly TopicName[];
  /** The topics whose stress this reading determines or raises. Absent if there are none. */
  readonly credit: TopicStress | undefined;
  /** The topics that the turn mentions without a concern. Absent if there are none. */
  readonly calm: TopicStress | undefined;
  /** Turns of the person whose stress is complete with this reading. */
  readonly finished: readonly FinishedTurn[];
  /** Absent if the state did not change. */
  readonly event: SessionEvent | undefined;
}

/**
 * Outcome of a reading: already stored, duplicate within its group, rejected, or accepted. One with a known sample
 * replaces the stored reading (`replaced`), or changes nothing (`kept`).
 */
export type ProcessedReading =
  | { readonly kind: 'stored'; readonly computed: ComputedState }
  | { readonly kind: 'same'; readonly as: AcceptedReading }
  | { readonly kind: 'refused'; readonly refusal: ProblemError }
  | { readonly kind: 'kept'; readonly of: ReplacingReading['of'] }
  | ReplacingReading
  | AcceptedReading;

/** Returns the progress of a group before its first reading. Copies the subjects, because processing changes them. */
export function beginProgress(
  found: Omit<GroupProgress, 'taken' | 'changedSessions' | 'changedSubjects'>,
): GroupProgress {
  const changes = { taken: new Map(), changedSessions: new Map(), changedSubjects: new Map() };
  return { ...found, ...changes, subjects: new Map(found.subjects) };
}

export function processReading(progress: GroupProgress, submitted: PreparedReading): ProcessedReading {
  const { incarnation, session } = requireSession(progress.sessions, submitted.sessionId);
  // Checked first, because the response to a resend contains the triggers of the session's subject.
  if (isOutsideGrant(progress, session, submitted))
    return { kind: 'refused', refusal: new ProblemError('invalid_token') };
  const isForeign = session !== undefined && isHidden(submitted.grant, session.subjectId);
  if (isForeign || isOtherSubject(session, submitted)) return { kind: 'refused', refusal: subjectMismatch() };
  if (isOfErased(progress, session, submitted)) return { kind: 'refused', refusal: new ProblemError('subject_erased') };
  const key = toReadingKey(submitted);
  const computed = progress.alreadyStored.get(key);
  if (computed) return { kind: 'stored', computed };
  const same = progress.taken.get(key);
  if (same) return { kind: 'same', as: same };
  const sample = submitted.sample && progress.samples?.known.get(toSampleKey(submitted as SampledReading));
  const kept = sample && keepSample(progress, sample, submitted as SampledReading, session?.subjectId);
  if (kept) return kept;
  if (!sample) addOnlySession(progress, session, submitted);
  const { consent } = submitted;
  const permitted = consent ? applyConsent(progress, session, submitted, consent) : { reading: submitted, session };
  if (permitted instanceof ProblemError) return { kind: 'refused', refusal: permitted };
  if (sample) return replaceSample(progress, permitted, incarnation, sample.reading);
  const taken = takeReading(progress, permitted, incarnation);
  progress.taken.set(key, taken);
  if (submitted.sample) rememberSample(progress, submitted as SampledReading, incarnation, taken);
  return taken;
}

/** Replaces the content of a reading by the permitted part of another one with the same sample. */
function replaceSample(
  progress: GroupProgress,
  { reading: submitted, session, dropped }: AllowedReading,
  incarnation: string,
  of: ReplacingReading['of'],
): ReplacingReading {
  rememberSample(progress, submitted as SampledReading, incarnation, of);
  const baseline = findBaseline(progress, session, submitted);
  return { kind: 'replaced', submitted, incarnation, of, reading: toReading(submitted), baseline, dropped };
}

/** Advances the session by the permitted part of a reading. */
function takeReading(
  progress: GroupProgress,
  { reading: submitted, session, dropped }: AllowedReading,
  incarnation: string,
): AcceptedReading {
  const reading = toReading(submitted);
  const sharing = findSharing(progress, session, submitted);
  const step = stepSession(session, reading, findBaseline(progress, session, submitted), submitted, sharing);
  const { evidence, ...extracted } = extractTopics(session, submitted);
  const event = submitted.isBackfill ? undefined : detectChange(progress, submitted.sessionId, session, step.session);
  const { talk, credit, calm } =
    // What follows a message about a danger counts for no topic that was said before.
    (submitted.turn || session?.talk) && !submitted.check?.danger
      ? creditTopics(session, reading, step, extracted)
      : noCredit;
  rememberPerson(progress, submitted, step, sharing);
  const isShared = sharing?.isRead === true;
  const finished = followPerson(progress, submitted, step, { ...extracted, credit, calm, isShared });
  const measured = finished.filter((it) => it.sessionId === submitted.sessionId);
  const numbered = { ...step.session, talk: closeTurns(talk, measured), ...(event && { eventSeq: event.seq }) };
  const advanced = { incarnation, session: evidence ? { ...numbered, topicEvidence: evidence } : numbered };
  progress.sessions.set(submitted.sessionId, advanced);
  progress.changedSessions.set(submitted.sessionId, advanced);
  const { topics } = extracted;
  const stepped = dropped ? { ...step, computed: { ...step.computed, dropped } } : step;
  return { kind: 'taken', submitted, incarnation, step: stepped, topics, credit, calm, finished, event };
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
  { erasedAtMs, subjects }: GroupProgress,
  session: Session | undefined,
  reading: PreparedReading,
): boolean {
  const person = findPerson(subjects, session, reading);
  const isTurn = person && reading.isLiveTurn === true;
  return isTurn === true && reading.timestampMs <= erasedAtMs({ kind: 'subject', id: person.subjectId });
}

function stepSession(
  session: Session | undefined,
  reading: Reading,
  known: Baseline | undefined,
  { isBackfill }: PreparedReading,
  sharing: Sharing | undefined,
): SessionStep {
  if (isBackfill) return backfillSession(session, reading, known);
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

/** Returns the ids of the subjects that the readings contain or their sessions are bound to. */
export function listSubjects(
  readings: readonly PreparedReading[],
  sessions: ReadonlyMap<string, Pick<StoredSession, 'session'>>,
): string[] {
  const named = readings.map(({ subjectId }) => subjectId);
  const bound = [...sessions.values()].map(({ session }) => session?.subjectId);
  return [...new Set([...named, ...bound].filter((id) => id !== undefined))];
}

/**
 * Returns the responses to readings without a sample that are already stored. Skips readings that are newer than their session, because
 * they cannot be stored yet.
 */
export async function findAlreadyStored(
  scope: WriteScope,
  readings: readonly PreparedReading[],
  sessions: GroupProgress['sessions'],
): Promise<Map<string, ComputedState>> {
  const submittedKeys = new Map<string, string>();
  const candidates = readings.flatMap((reading) => {
    const { sessionId, timestampMs, digest, sample, earlierDigests = [] } = reading;
    if (sample) return [];
    const { incarnation, session } = requireSession(sessions, sessionId);
    const newestMs = findNewestReadingTime(session);
    if (newestMs === undefined || timestampMs > newestMs) return [];
    for (const earlier of earlierDigests)
      submittedKeys.set(toReadingKey({ sessionId, digest: earlier }), toReadingKey(reading));
    return [digest, ...earlierDigests].map((it) => ({ sessionId, incarnation, timestampMs, digest: it }));
  });
  const found = await createReadingTable(scope).find(candidates);
  return new Map(
    found.map((reading) => [submittedKeys.get(toReadingKey(reading)) ?? toReadingKey(reading), reading.computed]),
  );
}

function toReading({ signals, subjectId, timestampMs, unreadText }: PreparedReading): Reading {
  const optional = { ...(subjectId !== undefined && { subjectId }), ...(unreadText && { unreadText }) };
  return { ...signals, atMs: timestampMs, ...optional };
}

export type ExtractedTopics = Omit<GatheredTopics, 'evidence'>;
/** Without a turn, and without one in the last minutes. */
const noCredit = { talk: undefined, credit: undefined, calm: undefined };

const noTopics: ExtractedTopics = { topics: [], certainTopics: [], calmTopics: [] };

function extractTopics(
  session: Session | undefined,
  { turn }: PreparedReading,
): ExtractedTopics & Partial<GatheredTopics> {
  return turn ? gatherTopics(session?.topicEvidence, turn) : noTopics;
}

/** What the stress of a reading counts for. */
export interface Credited {
  readonly talk: RecentTurns | undefined;
  readonly credit: TopicStress | undefined;
  readonly calm: TopicStress | undefined;
}

/**
 * Returns the topics that the stress of the reading counts for, and the topics that its turn mentions without a
 * concern. A late reading counts only for its own topics. A turn without evidence is no sighting, because it would be
 * a calm one.
 */
function creditTopics(
  session: Session | undefined,
  { atMs }: Reading,
  { fused, point }: SessionStep,
  extracted: ExtractedTopics,
): Credited {
  const { topics, certainTopics, calmTopics } = point.confidence > 0 ? extracted : noTopics;
  const said = { topics, certain: certainTopics };
  const before = session?.talk;
  const toCalm = (stress: number) =>
    calmTopics.length > 0 ? { topics: calmTopics, certain: [], atMs, stress } : undefined;
  if (fused && !(before && atMs < before.atMs)) {
    const attributed = attributeStress(before, { atMs, heartRate: fused.heartRate, fused }, said);
    return { ...attributed, calm: toCalm(computeStressAtTurn(attributed.talk, fused)) };
  }
  const credit = topics.length > 0 ? { ...said, atMs, stress: point.score } : undefined;
  return { talk: before, credit, calm: toCalm(point.score) };
}

/** The computed state after each accepted reading, in the order of the group. */
export type ComputedStates = ReadonlyMap<AcceptedReading, ComputedState>;

/** The states after the readings of a group, and the triggers that the group changed, by subject and topic. */
export interface CompletedGroup {
  readonly computed: ComputedStates;
  readonly triggers: TriggersBySubject;
}

/** Returns the subjects whose triggers the group may change. */
export function listTriggerSubjects(advances: readonly ProcessedReading[]): string[] {
  const subjectIds = new Set<string>();
  for (const { step, credit, calm, finished } of listAccepted(advances))
    if ((credit ?? calm ?? finished.find(namesTopics)) && step.session.subjectId !== undefined)
      subjectIds.add(step.session.subjectId);
  return [...subjectIds];
}

export const namesTopics = ({ topics, calmTopics }: FinishedTurn): boolean => topics.length + calmTopics.length > 0;

/** Completes the states of a group that changes no triggers. */
export function completeStates(progress: GroupProgress, advances: readonly ProcessedReading[]): CompletedGroup {
  const computed = listAccepted(advances).map((it) => [it, completeState(progress, it, it.topics)] as const);
  return { computed: new Map(computed), triggers: new Map() };
}

/** Returns the state with the topics of the turn and the triggers of the subject after the reading. */
export function completeState(
  { subjects, nowMs }: GroupProgress,
  { step, submitted }: AcceptedReading,
  topics: readonly TopicName[],
): ComputedState {
  const { subject } = findPerson(subjects, step.session, {}) ?? {};
  return {
    ...(submitted.isBackfill ? step.computed : ageAccepted(step.computed, nowMs)),
    ...(topics.length > 0 && { topics }),
    ...(subject && { triggers: { active: subject.active, resolved: subject.resolved } }),
  };
}

export function toStored(
  { submitted, incarnation, step, event }: AcceptedReading,
  computed: ComputedState,
): StoredReading {
  const { sessionId, timestampMs, digest, isBackfill: isSilent = false } = submitted;
  const key = { sessionId, incarnation, timestampMs, digest };
  return { ...key, point: step.point, computed, stateChange: event?.payload, isSilent };
}

/** Returns the accepted readings. */
export function listAccepted(advances: readonly ProcessedReading[]): AcceptedReading[] {
  return advances.filter((advance) => advance.kind === 'taken');
}

/** Returns a locked session. Throws if the group did not lock the session. */
function requireSession(sessions: GroupProgress['sessions'], sessionId: string): StoredSession {
  const stored = sessions.get(sessionId);
  if (!stored) throw new Error('a session of the group was not locked');
  return stored;
}

/** Returns the reading key. It is unambiguous, because ids contain no spaces and the digest covers the timestamp. */
function toReadingKey({ sessionId, digest }: { readonly sessionId: string; readonly digest: string }): string {
  return `${sessionId} ${digest}`;
}

function subjectMismatch(): ProblemError {
  return new ProblemError('subject_mismatch', {
    faults: [createFault('subject_mismatch', { pointer: '/subject_id' })],
  });
}
