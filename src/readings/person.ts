import type { Credited, TurnTopics } from '../../packages/score/attribution.js';
import { isFresh } from '../../packages/score/evidence.js';
import { noLiveSignals, type Sharing } from '../../packages/score/live.js';
import { collectLive, findOnlySender } from '../../packages/score/only-session.js';
import type { Subject } from '../../packages/score/rows/person.js';
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
import type { PreparedReading } from './prepared-reading.js';
import type { GroupProgress } from './progress.js';

/** Who a reading is about, within a group: what it reads of the person, and changes. A reading without a person has none. */
export type Person = ReturnType<typeof createPerson>;

export function createPerson(progress: GroupProgress, subjectId: string) {
  /** Returns the person as of the previous reading of the group. Undefined if nothing is stored. */
  const find = () => progress.subjects.get(subjectId);
  /** Remembers the person, to be stored with the group. */
  const change = (subject: Subject) => {
    progress.subjects.set(subjectId, subject);
    progress.changedSubjects.set(subjectId, subject);
  };
  return {
    findBaseline: () => find()?.baseline,

    /** Adds the signals of the only session to the person, before the first reading of another session. */
    addOnlySession(reading: PreparedReading): void {
      const subject = find();
      const onlyId = findOnlySession(subject, reading);
      if (!subject?.newest || onlyId === undefined) return;
      const { sharedFromMs = 0, ...newest } = subject.newest;
      const other = progress.sessions.get(onlyId)?.session ?? progress.others?.get(onlyId);
      // The session may have expired, and started again for another person or with backfilled readings only.
      const isOfPerson = other && other.subjectId === subjectId && !other.isBackfilled;
      const live = isOfPerson ? collectLive(other, onlyId, sharedFromMs, subject.baseline) : noLiveSignals;
      progress.subjects.set(subjectId, { ...subject, newest, live });
    },

    /**
     * Returns the live signals of the person, for a reading that shares them. A token without the person neither gets the
     * evidence of other sessions nor its traces.
     */
    findSharing({ sessionId, timestampMs, sharesSignals, isBackfill, grant }: PreparedReading): Sharing | undefined {
      if (sharesSignals === false || isBackfill) return undefined;
      const isRead = knowsPerson(grant, subjectId);
      const { live, newest } = find() ?? unknownSubject;
      const isOnly = !newest || newest.sessionId === sessionId || newest.atMs <= timestampMs;
      return { live: live ?? (isOnly ? undefined : noLiveSignals), sessionId, isRead };
    },

    /** Remembers what the reading changes: baseline, live signals and newest session. */
    remember(submitted: PreparedReading, { session, baseline, live }: SessionStep, sharing: Sharing | undefined): void {
      const known = find() ?? unknownSubject;
      const newest = findNewest(known.newest, submitted, session);
      const sharedFromMs = newest && sharing && findSharedFrom(known, newest, live, submitted);
      const shared =
        newest && sharedFromMs !== undefined
          ? { newest: { ...newest, sharedFromMs }, live: undefined }
          : { newest, live: live ?? known.live };
      change({ ...known, baseline, ...shared });
    },

    /** Follows the turns. Returns the turns that are complete with this reading. */
    follow(
      { sessionId, timestampMs: atMs, signals, turn, isBackfill, check }: PreparedReading,
      { fused, point }: SessionStep,
      said: TurnTopics & Omit<Credited, 'talk'> & Pick<FollowedReading, 'isShared'>,
    ): readonly FinishedTurn[] {
      const { topics, calmTopics, credit, calm, isShared } = said;
      const subject = find();
      if (!subject || !fused || isBackfill) return [];
      if (!turn && !subject.turns?.open) return [];
      const isRaised = credit?.before !== undefined;
      const before = isRaised && subject.turns ? raiseOpenTurn(subject.turns, credit, sessionId) : subject.turns;
      const observed = { atMs, sessionId, heartRate: signals.heart_rate, level: fused.level, fused, isShared };
      const stress = (isRaised ? calm : (credit ?? calm))?.stress ?? point.score;
      const started = turn && point.confidence > 0 ? { topics, calmTopics, stress } : undefined;
      // What follows a message about a danger counts for no topic that was said before.
      const isEnded = check?.danger && before;
      const { turns, finished } = isEnded ? endTurns(before, atMs) : followTurns(before, observed, started);
      change({ ...subject, turns });
      return finished;
    },
  };
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
