import { isFresh, noLiveSignals, type Sharing } from '../score/live.js';
import { collectLive, findOnlySender } from '../score/only-session.js';
import type { Baseline, Session, Subject } from '../score/remembered.js';
import { type FinishedTurn, type FollowedReading, followTurns, raiseOpenTurn } from '../score/response.js';
import type { SessionStep } from '../score/session.js';
import type { Reading } from '../score/signals.js';
import { unknownSubject } from '../score/triggers.js';
import type { Credited, ExtractedTopics, GroupProgress } from './advance.js';
import type { PreparedReading } from './intake.js';

/**
 * Returns the live signals of the person, for a reading that shares them. A token without the person neither gets the
 * evidence of other sessions nor its traces.
 */
export function findSharing(
  { subjects }: GroupProgress,
  session: Session | undefined,
  { sessionId, subjectId: named, timestampMs, sharesSignals, isBackfill, grant }: PreparedReading,
): Sharing | undefined {
  const subjectId = session?.subjectId ?? named;
  if (subjectId === undefined || sharesSignals === false || isBackfill) return undefined;
  const isRead = !grant || grant.subjectId === subjectId;
  const { live, newest } = subjects.get(subjectId) ?? unknownSubject;
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
  const subjectId = session?.subjectId ?? reading.subjectId;
  const subject = subjectId === undefined ? undefined : progress.subjects.get(subjectId);
  const sessionId = findOnlySession(subject, reading);
  if (subjectId === undefined || !subject?.newest || sessionId === undefined) return;
  const { sharedFromMs = 0, ...newest } = subject.newest;
  const other = progress.sessions.get(sessionId)?.session ?? progress.others?.get(sessionId);
  // The session may have expired, and started again for another person or with backfilled readings only.
  const isOfPerson = other && other.subjectId === subjectId && !other.isBackfilled;
  const live = isOfPerson ? collectLive(other, sessionId, sharedFromMs, subject.baseline) : noLiveSignals;
  progress.subjects.set(subjectId, { ...subject, newest, live });
}

/** Returns the subject's baseline. Returns the session's own baseline if the subject has none. */
export function findBaseline(
  { subjects }: GroupProgress,
  session: Session | undefined,
  reading: Reading,
): Baseline | undefined {
  const subjectId = session?.subjectId ?? reading.subjectId;
  return (subjectId === undefined ? undefined : subjects.get(subjectId)?.baseline) ?? session?.baseline;
}

/** Stores what the reading changes for its person: baseline, live signals and newest session. */
export function rememberPerson(
  { subjects, changedSubjects }: GroupProgress,
  submitted: PreparedReading,
  { session, baseline, live }: SessionStep,
  sharing: Sharing | undefined,
): void {
  if (session.subjectId === undefined) return;
  const known = subjects.get(session.subjectId) ?? unknownSubject;
  const newest = findNewest(known.newest, submitted, session);
  const sharedFromMs = newest && sharing && findSharedFrom(known, newest, live, submitted);
  const shared =
    newest && sharedFromMs !== undefined
      ? { newest: { ...newest, sharedFromMs }, live: undefined }
      : { newest, live: live ?? known.live };
  const subject = { ...known, baseline, ...shared };
  subjects.set(session.subjectId, subject);
  changedSubjects.set(session.subjectId, subject);
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
  { subjects, changedSubjects }: GroupProgress,
  { sessionId, timestampMs: atMs, signals, turn, isBackfill }: PreparedReading,
  { session: { subjectId }, fused, point }: SessionStep,
  {
    topics,
    calmTopics,
    credit,
    calm,
    isShared,
  }: ExtractedTopics & Omit<Credited, 'talk'> & Pick<FollowedReading, 'isShared'>,
): readonly FinishedTurn[] {
  const subject = subjectId === undefined ? undefined : subjects.get(subjectId);
  if (subjectId === undefined || !subject || !fused || isBackfill) return [];
  if (!turn && !subject.turns?.open) return [];
  const isRaised = credit?.before !== undefined;
  const before = isRaised && subject.turns ? raiseOpenTurn(subject.turns, credit, sessionId) : subject.turns;
  const observed = { atMs, sessionId, heartRate: signals.heart_rate, level: fused.level, fused, isShared };
  const stress = (isRaised ? calm : (credit ?? calm))?.stress ?? point.score;
  const { turns, finished } = followTurns(before, observed, turn && { topics, calmTopics, stress });
  const followed = { ...subject, turns };
  subjects.set(subjectId, followed);
  changedSubjects.set(subjectId, followed);
  return finished;
}
