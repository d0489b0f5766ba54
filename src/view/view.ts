import { sessionList as settings } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import type { Whose } from '../contract/whose.js';
import type { StoredResult } from '../contract/exported-reading.js';
import type { Grant } from '../contract/grant.js';
import type { Subject } from '../../packages/score/rows/person.js';
import type { Session } from '../../packages/score/rows/session.js';
import type { HistoryPoint } from '../../packages/score/signals.js';
import { findPoints, type HistoryWindow } from '../store/history-points.js';
import { type ChangedSession, createPositionReader, type StreamedReading } from '../store/readings-by-position.js';
import { listSessionIds } from '../store/scan.js';
import type { SlicedScope } from '../store/scope.js';
import { listSessions } from '../store/session-list.js';
import { createSessionReader } from '../store/sessions.js';
import { positionsPerMs } from '../store/stream-positions.js';
import { createSubjectReader } from '../store/subjects.js';
import { isHidden, knowsPerson, restrictEvent, restrictRow, restrictState, showSession } from './grant.js';
import { firstSpan, type Page, type Position, searchPerson } from './search-person.js';

export type { ChangedSession, StreamedReading };

/** A point of the history. A point of a person has its session, if the viewer may know it. */
export type ViewedPoint = HistoryPoint & { readonly sessionId?: string | undefined };

/** A page of events. `incarnation` is that of the session, undefined if it has no data and for other data. */
export interface EventsPage extends Page<StreamedReading> {
  readonly incarnation?: string | undefined;
}

interface Found {
  readonly sessionId: string;
  readonly session: Session;
  /** The subject of the session. Undefined if the session has none. */
  readonly subject: Subject | undefined;
}

/**
 * The gate for readings: everything that a caller reads of them, restricted to what this caller may see. Handlers and
 * streams read no reading in another way (`eslint.config.js`). The functions expect data that `isGranted` allows.
 */
export function view(scope: SlicedScope, viewer: Grant) {
  const sessions = createSessionReader(scope);
  const positions = createPositionReader(scope);

  /** The session may have been started again, by somebody else, since its person was checked. */
  const isShown = ({ subjectId }: { readonly subjectId?: string | undefined }) => !isHidden(viewer, subjectId);

  /** Throws session_not_found for a session without data, and for a hidden one. */
  async function requireSession(sessionId: string) {
    const found = await sessions.find(sessionId);
    if (!found || isHidden(viewer, found.session.subjectId)) throw new ProblemError('session_not_found');
    return found;
  }

  async function requireSubject(subjectId: string): Promise<void> {
    if (!(await createSubjectReader(scope).find(subjectId))) throw new ProblemError('subject_not_found');
  }

  /** Returns the position before the first row. */
  async function findFirstRow(whose: Whose): Promise<number> {
    if (whose.kind === 'session') await requireSession(whose.sessionId);
    if (whose.kind !== 'person') return 0;
    const startedAtMs = await positions.firstSessionOf(whose);
    if (startedAtMs === undefined) await requireSubject(whose.subjectId);
    // No position of a session is lower than the time of its start.
    return (startedAtMs ?? 0) * positionsPerMs - 1;
  }

  async function findSession(sessionId: string): Promise<Found> {
    const { session } = await requireSession(sessionId);
    const { subjectId } = session;
    const subject = subjectId === undefined ? undefined : await createSubjectReader(scope).find(subjectId);
    return { sessionId, session, subject };
  }

  return {
    /**
     * Returns the state as of the newest reading, and its session: for a token, always its own. Throws session_not_found or
     * subject_not_found.
     */
    async state(whose: Whose) {
      if (whose.kind === 'account') throw noPerson();
      const { sessionId, session, subject } =
        whose.kind === 'session' ? await findSession(whose.sessionId) : await findPerson(scope, whose.subjectId);
      const { active, resolved } = subject ?? {};
      const latest = subject ? { ...session.latest, triggers: { active, resolved } } : session.latest;
      const computed = restrictState(latest, viewer, session.subjectId);
      return { sessionId: viewer.sessionId ?? sessionId, computed };
    },

    /** Returns the newest points of a window, newest first. Throws session_not_found or subject_not_found. */
    async history(whose: Whose, window: HistoryWindow): Promise<readonly ViewedPoint[]> {
      if (whose.kind === 'account') throw noPerson();
      if (whose.kind === 'session') {
        const { incarnation, session } = await requireSession(whose.sessionId);
        return findPoints(scope, [incarnation], window, !knowsPerson(viewer, session.subjectId));
      }
      const sessionIds = await listSessionIds(scope, whose, window.afterMs);
      const points = await findPoints(scope, sessionIds.keys(), window);
      if (points.length === 0) await requireSubject(whose.subjectId);
      return points.map((point) => ({ ...point, sessionId: showSession(viewer, sessionIds.get(point.incarnation)) }));
    },

    /** Returns the place of the event `after`, which is read again, because its state change may be the next event. */
    async beginEvents(whose: Whose, after: number): Promise<Position> {
      const through = whose.kind === 'person' ? await positions.newestPosition() : Number.MAX_SAFE_INTEGER;
      return { after: after - 1, through, span: firstSpan };
    },

    /** Returns the next readings of a stream, at most `max`. */
    async events(whose: Whose, from: Position, max: number): Promise<EventsPage> {
      const restrict = <P extends EventsPage>(page: P) => ({
        ...page,
        found: page.found.filter(isShown).map((it) => restrictEvent(it, viewer)),
      });
      if (whose.kind === 'person')
        return restrict(await searchPerson((range) => positions.streamSessions(whose, range, max), from, max));
      const first = from.after + 1;
      const { readings: found, incarnation } =
        whose.kind === 'session'
          ? await positions.streamSession(whose.sessionId, first, max)
          : { readings: await positions.streamAccount(first, max), incarnation: undefined };
      return restrict({ found, incarnation, next: findNext(found, from, max) });
    },

    /**
     * Returns the place of the first row after a position. The rows end with the reading that is the newest one now, so
     * that new readings do not prolong an export. Throws session_not_found or subject_not_found.
     */
    async beginRows(whose: Whose, cursor: number): Promise<Position> {
      const first = await findFirstRow(whose);
      return { after: Math.max(cursor, first), through: await positions.newestPosition(), span: firstSpan };
    },

    /** Returns the next rows of an export, at most `max`. */
    async rows(whose: Whose, from: Position, max: number): Promise<Page<StoredResult>> {
      const restrict = ({ found, next }: Page<StoredResult>) => ({
        found: found.filter(isShown).map((it) => restrictRow(it, viewer)),
        next,
      });
      if (whose.kind === 'person')
        return restrict(
          await searchPerson((range) => positions.exportSessions(whose, range, max, from.through), from, max),
        );
      const found =
        whose.kind === 'session'
          ? await positions.exportSession(whose.sessionId, from, max)
          : await positions.exportAccount(from, max);
      return restrict({ found, next: findNext(found, from, max) });
    },
  };
}

function findNext(found: ReadonlyArray<{ readonly position: number }>, from: Position, max: number) {
  const last = found.at(-1);
  return last && found.length === max ? { ...from, after: last.position } : undefined;
}

function noPerson(): Error {
  return new Error('the operation requires a session or a person');
}

/** Finds the session of the person's newest reading. */
async function findPerson(scope: SlicedScope, subjectId: string): Promise<Found> {
  const subject = await createSubjectReader(scope).find(subjectId);
  const sessionId = subject?.newest?.sessionId;
  const found = sessionId === undefined ? undefined : await createSessionReader(scope).find(sessionId);
  if (sessionId !== undefined && found?.session.subjectId === subjectId && !found.session.isBackfilled)
    return { sessionId, session: found.session, subject };
  // The session may have expired, and started again for another person or with backfilled readings only.
  const others = subject ? await listSessions(scope, { names: { subject_id: subjectId } }, settings.page_size) : [];
  const live = others.filter(({ session }) => !session.isBackfilled);
  const [next] = live.sort((a, b) => b.session.latest.timestampMs - a.session.latest.timestampMs);
  if (!next) throw new ProblemError('subject_not_found');
  return { ...next, subject };
}
