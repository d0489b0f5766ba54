import { sessionList as settings } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { restrictToToken } from '../score/live.js';
import type { Session, Subject } from '../score/remembered.js';
import { ageState, toStateReading } from '../score/state-reading.js';
import type { ReadScope } from '../store/scope.js';
import { listSessions } from '../store/session-list.js';
import { createSessionReader } from '../store/sessions.js';
import { createSubjectReader } from '../store/subjects.js';
import type { OperationRecord } from './operation.js';

/**
 * Returns the state as of the newest reading. The score does not decay. The confidence falls with the age of the state.
 */
export const getState: OperationRecord<'getState', 'store' | 'now'> = {
  personalData: 'reads',
  countsPerSession: true,
  nameSession: ({ session_id }) => session_id,
  namePerson: ({ subject_id }) => subject_id,
  tool: {
    name: 'get_human_state',
    title: 'Get the state',
    description:
      'Get the current stress state of a session, or of a person over all sessions. Call it before you answer the person, and follow the recommendation. The confidence falls with the age of the state. At 0, the state is outdated.',
    leading: ['recommendation'],
  },
  async handle({ store, now }, { query: { session_id = '', subject_id } }, { accountId, grant }) {
    const scope = store.read(accountId);
    const { sessionId, session, subject } = await (subject_id === undefined
      ? findSession(scope, session_id)
      : findPerson(scope, subject_id));
    const { active, resolved } = subject ?? {};
    const latest = subject ? { ...session.latest, triggers: { active, resolved } } : session.latest;
    const computed = restrictToToken(latest, grant, session.subjectId);
    // A token never sees the id of another session.
    const body = toStateReading(grant?.sessionId ?? sessionId, ageState(computed, now() - computed.timestampMs));
    return { status: 200, body: subject_id === undefined ? body : { ...body, subject_id } };
  },
};

interface Found {
  readonly sessionId: string;
  readonly session: Session;
  /** The subject of the session. Undefined if the session has none. */
  readonly subject: Subject | undefined;
}

async function findSession(scope: ReadScope, sessionId: string): Promise<Found> {
  const found = await createSessionReader(scope).find(sessionId);
  if (!found) throw new ProblemError('session_not_found');
  const { session } = found;
  const { subjectId } = session;
  const subject = subjectId === undefined ? undefined : await createSubjectReader(scope).find(subjectId);
  return { sessionId, session, subject };
}

/** Finds the session of the person's newest reading. */
async function findPerson(scope: ReadScope, subjectId: string): Promise<Found> {
  const subject = await createSubjectReader(scope).find(subjectId);
  const sessionId = subject?.newest?.sessionId;
  const found = sessionId === undefined ? undefined : await createSessionReader(scope).find(sessionId);
  if (sessionId !== undefined && found?.session.subjectId === subjectId && !found.session.isBackfilled)
    return { sessionId, session: found.session, subject };
  // The session may have expired, and started again for another person or with backfilled readings only.
  const others = subject ? await listSessions(scope, { subjectId }, settings.page_size) : [];
  const live = others.filter(({ session }) => !session.isBackfilled);
  const [next] = live.sort((a, b) => b.session.latest.timestampMs - a.session.latest.timestampMs);
  if (!next) throw new ProblemError('subject_not_found');
  return { ...next, subject };
}
