import { ProblemError } from '../contract/problem.js';
import type { ComputedState, Session } from '../score/remembered.js';
import { reduceConfidenceByAge, toStateReading } from '../score/state-reading.js';
import type { ReadScope } from '../store/scope.js';
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
  tool: {
    name: 'get_human_state',
    title: 'Get the state',
    description:
      'Get the current stress state of a session. Call it before you answer the person, and follow the recommendation. The confidence falls with the age of the state. At 0, the state is outdated.',
    leading: ['recommendation'],
  },
  async handle({ store, now }, { query }, { accountId }) {
    const scope = store.read(accountId);
    const found = await createSessionReader(scope).find(query.session_id);
    if (!found) throw new ProblemError('session_not_found');
    const computed = await withTriggers(scope, found.session);
    const confidence = reduceConfidenceByAge(computed.confidence, now() - computed.timestampMs);
    return { status: 200, body: toStateReading(query.session_id, { ...computed, confidence }) };
  },
};

async function withTriggers(scope: ReadScope, { latest, subjectId }: Session): Promise<ComputedState> {
  const subject = subjectId === undefined ? undefined : await createSubjectReader(scope).find(subjectId);
  return subject ? { ...latest, triggers: { active: subject.active, resolved: subject.resolved } } : latest;
}
