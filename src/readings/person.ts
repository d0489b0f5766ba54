import { noLiveSignals, type Sharing } from '../score/live.js';
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
  { sessionId, subjectId: named, sharesSignals, grant }: PreparedReading,
): Sharing | undefined {
  const subjectId = session?.subjectId ?? named;
  if (subjectId === undefined || sharesSignals === false) return undefined;
  const isRead = !grant || grant.subjectId === subjectId;
  return { live: subjects.get(subjectId)?.live ?? noLiveSignals, sessionId, isRead };
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
): void {
  if (session.subjectId === undefined) return;
  const known = subjects.get(session.subjectId) ?? unknownSubject;
  const newest = findNewest(known.newest, submitted, session);
  const subject = { ...known, baseline, newest, ...(live && { live }) };
  subjects.set(session.subjectId, subject);
  changedSubjects.set(session.subjectId, subject);
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
  const isRaised = credit?.before !== undefined;
  const before = isRaised && subject.turns ? raiseOpenTurn(subject.turns, credit, sessionId) : subject.turns;
  const observed = { atMs, sessionId, heartRate: signals.heart_rate, fused, isShared };
  const stress = (isRaised ? calm : (credit ?? calm))?.stress ?? point.score;
  const { turns, finished } = followTurns(before, observed, turn && { topics, calmTopics, stress });
  if (!turns.level && !turns.all) return finished;
  const followed = { ...subject, turns };
  subjects.set(subjectId, followed);
  changedSubjects.set(subjectId, followed);
  return finished;
}
