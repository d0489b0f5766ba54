import { ProblemError } from '../contract/problem.js';
import { toProfile } from '../../packages/score/triggers.js';
import { createSubjectReader } from '../store/subjects.js';
import { createTriggerReader } from '../store/triggers.js';
import type { OperationRecord } from './operation.js';

/** Returns the triggers of a subject. The lists are empty for a subject without texts. */
export const getTriggers: OperationRecord<'getTriggers', 'store'> = {
  personalData: 'reads',
  tool: {
    name: 'get_trigger_memory',
    title: 'Get stress topics',
    description: 'Get the topics that go with more stress of a person. Approach active topics with care.',
    leading: ['active'],
  },
  async handle({ store }, { query: { subject_id } }, { accountId }) {
    const reader = store.read(accountId);
    const triggers = await createTriggerReader(reader).ofSubject(subject_id);
    const subject = await createSubjectReader(reader).find(subject_id);
    if (triggers.size === 0 && !subject) throw new ProblemError('subject_not_found');
    return { status: 200, body: toProfile(subject_id, triggers, subject?.turns) };
  },
};
