import type { Operation } from '../contract.js';
import { ProblemError } from '../problem.js';
import { eraseSubject } from '../retention/erase.js';
import type { Services } from './services.js';

/** Responds after all data of the subject is erased. */
export function deleteSubject(services: Services): Operation<'deleteSubject'> {
  return async ({ params }, { accountId }) => {
    const { subject_id } = params;
    const erased = await eraseSubject(services, accountId, subject_id);
    if (!erased) throw new ProblemError('subject_not_found');
    const { sessions, triggers } = erased;
    return { status: 200, body: { subject_id, deleted: true, sessions_removed: sessions, triggers_removed: triggers } };
  };
}
