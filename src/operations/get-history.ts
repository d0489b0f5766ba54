import { parameterDefaults } from '../../generated/spec.js';
import type { Operation } from '../contract.js';
import { toHistory } from '../domain/history.js';
import { ProblemError } from '../problem.js';
import type { Services } from './services.js';

/** Returns the points of the window. The list is empty if a known session has no reading in the window. */
export function getHistory({ store, now }: Services): Operation<'getHistory'> {
  return async ({ query }, { accountId }) => {
    const { session_id, minutes = parameterDefaults.Minutes } = query;
    const reader = store.read(accountId);
    const found = await reader.findSession(session_id);
    if (!found) throw new ProblemError('session_not_found');
    const points = await reader.pointsAfter(session_id, found.incarnation, now() - minutes * 60_000);
    return { status: 200, body: toHistory(session_id, minutes, points) };
  };
}
