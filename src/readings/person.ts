import { isFresh, noLiveSignals, type Sharing } from '../../packages/score/live.js';
import { collectLive, findOnlySender } from '../../packages/score/only-session.js';
import type { Baseline, Subject } from '../../packages/score/rows/person.js';
import type { Session } from '../../packages/score/rows/session.js';
import {
  endTurns,
  type FinishedTurn,
  type FollowedReading,
  followTurns,
  raiseOpenTurn,
} from '../../packages/score/response.js';
import type { SessionStep } from '../../packages/score/session.js';
import { unknownSubject } from '../../packages/score/triggers.js';
import { knowsPerson } from '../view/grant.js';
import type { Credited, ExtractedTopics, GroupProgress } from './advance.js';
import type { PreparedReading } from './intake.js';

/** The person of a reading, within a group. */
interface Person {
  readonly subjectId: string;
  /** As of the previous reading of the group. Undefined if nothing is stored. */
  readonly subject: Subject | undefined;
}

/** Returns the person of the session, otherwise the one that its reading names. Undefined without a person. */
export function findPerson(
  subjects: ReadonlyMap<string, Subject | undefined>,
  session: Pick<Session, 'subjectId'> | undefined,
  { subjectId: named }: Pick<PreparedReading, 'subjectId'>,
): Person | undefined {
  const subjectId = session?.subjectId ?? named;
  return subjectId === undefined ? undefined : { subjectId, subject: subjects.get(subjectId) };
}

/** Remembers the person after a reading, to be stored with the group. */
function changePerson({ subjects, changedSubjects }: GroupProgress, subjectId: string, subject: Subject): void {
  subjects.set(subjectId, subject);
  changedSubjects.set(subjectId, subject);
}

/**
 * Returns the live signals of the person, for a reading that shares them. A token without the person neither gets the
 * evidence of other sessions nor its traces.
 */
export function findSharing(
  { subjects }: GroupProgress,
  session: Session | undefined,
  reading: PreparedReading,
): Sharing | undefined {
  const { sessionId, timestampMs, sharesSignals, isBackfill, grant } = reading;
  const person = findPerson(subjects, session, reading);
  if (!person || sharesSignals === false || isBackfill) return undefined;
  const isRead = knowsPerson(grant, person.subjectId);
  const { live, newest } = person.subject ?? unknownSubject;
  const isOnly = !newest || newest.sessionId === sessionId || newest.atMs <= timestampMs;
  return { live: live ?? (isOnly ? undefined : noLiveSignals), sessionId, isRead };
}

/**
 * Returns the id of the session whose signals the subject does not contain, because it was the only one. Undefined if
 * the reading needs none, e.g. as it belongs to this session.
 */
export function findOnlySession(
  subject: Subject | undefined,
  { sessionId, timestampMs, sharesSignals, isBackfill }: PreparedReading,
): string | undefined {
  const newest = subject?.newest;
  if (newest?.sharedFromMs === undefined || newest.sessionId === sessionId) return undefined;
  return sharesSignals === false || isBackfill || !isFresh(newest, timestampMs) ? undefined : newest.sessionId;
}

/** Adds the signals of the only session to its person, before the first reading of another session. */
export function addOnlySession(progress: GroupProgress, session: Session | undefined, reading: PreparedReading): void {
  const { subjectId = '', subject } = findPerson(progress.subjects, session, reading) ?? {};
  const onlyId = findOnlySession(subject, reading);
  if (!subject?.newest || onlyId === undefined) return;
  const { sharedFromMs = 0, ...newest } = subject.newest;
  const other = progress.sessions.get(onlyId)?.session ?? progress.others?.get(onlyId);
  // The session may have expired, and started again for another person or with backfilled readings only.
  const isOfPerson = other && other.subjectId === subjectId && !other.isBackfilled;
  const live = isOfPerson ? collectLive(other, onlyId, sharedFromMs, subject.baseline) : noLiveSignals;
  progress.subjects.set(subjectId, { ...subject, newest, live });
}

/** Returns the subject's baseline. Returns the session's own baseline if the subject has none. */
export function findBaseline(
  { subjects }: GroupProgress,
  session: Session | undefined,
  reading: PreparedReading,
): Baseline | undefined {
  return findPerson(subjects, session, reading)?.subject?.baseline ?? session?.baseline;
}

/** Stores what the reading changes for its person: baseline, live signals and newest session. */
export function rememberPerson(
  progress: GroupProgress,
  submitted: PreparedReading,
  { session, baseline, live }: SessionStep,
  sharing: Sharing | undefined,
): void {
  const person = findPerson(progress.subjects, session, {});
  if (!person) return;
  const known = person.subject ?? unknownSubject;
  const newest = findNewest(known.newest, submitted, session);
  const sharedFromMs = newest && sharing && findSharedFrom(known, newest, live, submitted);
  const shared =
    newest && sharedFromMs !== undefined
      ? { newest: { ...newest, sharedFromMs }, live: undefined }
      : { newest, live: live ?? known.live };
  changePerson(progress, person.subjectId, { ...known, baseline, ...shared });
}

/**
 * Returns the time in epoch ms from which on the signals of a session are those of its person. Undefined if another
 * session shares signals too.
 */
function findSharedFrom(
  known: Subject,
  { sessionId }: NonNullable<Subject['newest']>,
  live: SessionStep['live'],
  reading: PreparedReading,
): number | undefined {
  if (sessionId !== reading.sessionId) return undefined;
  if (live) return findOnlySender(live, sessionId);
  if (known.live) return undefined;
  const { sharedFromMs = Infinity } = known.newest?.sessionId === sessionId ? known.newest : {};
  return Math.min(sharedFromMs, reading.timestampMs);
}

/**
 * Returns the session of the person's newest reading. Of equal timestamps, the reading that was accepted last is the
 * newest. A late reading replaces another session only if its own session has a newer reading, e.g. from before it was
 * bound to the person.
 */
function findNewest(
  newest: Subject['newest'],
  { sessionId, timestampMs, isBackfill }: PreparedReading,
  { latest }: Session,
): Subject['newest'] {
  if (isBackfill || (newest && timestampMs < newest.atMs && latest.timestampMs <= newest.atMs)) return newest;
  return { sessionId, atMs: latest.timestampMs };
}

/** Follows the turns of the person. Returns the turns that are complete with this reading. */
export function followPerson(
  progress: GroupProgress,
  { sessionId, timestampMs: atMs, signals, turn, isBackfill, check }: PreparedReading,
  { session, fused, point }: SessionStep,
  {
    topics,
    calmTopics,
    credit,
    calm,
    isShared,
  }: ExtractedTopics & Omit<Credited, 'talk'> & Pick<FollowedReading, 'isShared'>,
): readonly FinishedTurn[] {
  const { subjectId = '', subject } = findPerson(progress.subjects, session, {}) ?? {};
  if (!subject || !fused || isBackfill) return [];
  if (!turn && !subject.turns?.open) return [];
  const isRaised = credit?.before !== undefined;
  const before = isRaised && subject.turns ? raiseOpenTurn(subject.turns, credit, sessionId) : subject.turns;
  const observed = { atMs, sessionId, heartRate: signals.heart_rate, level: fused.level, fused, isShared };
  const stress = (isRaised ? calm : (credit ?? calm))?.stress ?? point.score;
  const said = turn && point.confidence > 0 ? { topics, calmTopics, stress } : undefined;
  // What follows a message about a danger counts for no topic that was said before.
  const { turns, finished } = check?.danger && before ? endTurns(before, atMs) : followTurns(before, observed, said);
  changePerson(progress, subjectId, { ...subject, turns });
  return finished;
}
