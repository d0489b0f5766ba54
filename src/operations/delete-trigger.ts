import { ProblemError } from '../contract/problem.js';
import { removeTopic } from '../../packages/score/triggers.js';
import { runStatements } from '../store/rows.js';
import { createSubjectWriter } from '../store/subjects.js';
import { createTriggerWriter } from '../store/triggers.js';
import type { OperationRecord } from './operation.js';

/** Removes one topic of a person, e.g. because the person says that it is wrong. */
export const deleteTrigger: OperationRecord<'deleteTrigger', 'store'> = {
  personalData: 'erases',
  async handle({ store }, { params: { subject_id, topic } }, { accountId }) {
    const isRemoved = await store.transact(async (scopeOf) => {
      const scope = scopeOf(accountId);
      const subjects = createSubjectWriter(scope);
      const subject = (await subjects.lock([subject_id])).get(subject_id);
      if (!subject) await subjects.removePlaceholders([subject_id]);
      if (!subject || !(await createTriggerWriter(scope).remove(subject_id, topic))) return false;
      await runStatements(scope, subjects.toSave(new Map([[subject_id, removeTopic(subject, topic)]])));
      return true;
    });
    if (!isRemoved) throw new ProblemError('topic_not_found');
    return { status: 204 };
  },
};
