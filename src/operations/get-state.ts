import type { Operation } from '../contract.js';
import { toStateReading } from '../domain/state-reading.js';
import { ProblemError } from '../problem.js';
import type { Services } from './services.js';

/** The state as of the newest reading, not decayed. */
export function getState({ store }: Services): Operation<'getState'> {
  return async ({ query }, { accountId }) => {
    const found = await store.read(accountId).findSession(query.session_id);
    if (!found) throw new ProblemError('session_not_found');
    return { status: 200, body: toStateReading(query.session_id, found.session.latest) };
  };
}
