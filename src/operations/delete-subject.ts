import { ProblemError } from '../problem.js';
import { eraseSubject } from '../retention/erase.js';
import type { OperationRecord } from './operation.js';

/** Responds after all data of the subject is erased. */
export const deleteSubject: OperationRecord<'deleteSubject'> = {
  personalData: 'erases',
  tool: {
    name: 'delete_subject',
    title: 'Erase a person',
    description:
      'Erase all data about a person: topics, baseline, sessions and history. This cannot be undone. Call it only when the person or the operator asks for it.',
  },
  async handle(services, { params }, { accountId }) {
    const { subject_id } = params;
    const erased = await eraseSubject(services, accountId, subject_id);
    if (!erased) throw new ProblemError('subject_not_found');
    const { sessions, triggers } = erased;
    return {
      status: 200,
      body: { subject_id, deleted: true, sessions_removed: sessions, triggers_removed: triggers },
    };
  },
};
