import type { Operation } from '../contract.js';
import { ProblemError } from '../problem.js';
import { eraseSubject } from '../retention/erase.js';
import type { Services } from './services.js';

/** Responds after all data of the subject is erased. */
export function deleteSubject({ store }: Services): Operation<'deleteSubject'> {
  return async ({ params }, { accountId }) => {
    const sessions = await eraseSubject(store, accountId, params.subject_id);
    if (sessions === undefined) throw new ProblemError('subject_not_found');
    return { status: 200, body: { subject_id: params.subject_id, deleted: true, sessions_removed: sessions } };
  };
}
