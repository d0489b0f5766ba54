import type { Operation } from '../contract.js';
import type { ComputedState, Session } from '../domain/session.js';
import { toStateReading } from '../domain/state-reading.js';
import { ProblemError } from '../problem.js';
import type { Reader } from '../store/store.js';
import type { Services } from './services.js';

/** Returns the state as of the newest reading, without later decay. */
export function getState({ store }: Services): Operation<'getState'> {
  return async ({ query }, { accountId }) => {
    const reader = store.read(accountId);
    const found = await reader.findSession(query.session_id);
    if (!found) throw new ProblemError('session_not_found');
    return { status: 200, body: toStateReading(query.session_id, await withTriggers(reader, found.session)) };
  };
}

async function withTriggers(reader: Reader, { latest, subjectId }: Session): Promise<ComputedState> {
  const subject = subjectId === undefined ? undefined : await reader.findSubject(subjectId);
  return subject ? { ...latest, triggers: { active: subject.active, resolved: subject.resolved } } : latest;
}
