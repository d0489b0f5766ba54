import type { Operation } from '../contract.js';
import { toProfile } from '../domain/triggers.js';
import { ProblemError } from '../problem.js';
import type { Services } from './services.js';

/** Returns the triggers of a subject. The lists are empty for a subject without texts. */
export function getTriggers({ store }: Services): Operation<'getTriggers'> {
  return async ({ query: { subject_id } }, { accountId }) => {
    const reader = store.read(accountId);
    const triggers = await reader.triggersOf(subject_id);
    const isKnown = triggers.size > 0 || (await reader.findSubject(subject_id)) !== undefined;
    if (!isKnown) throw new ProblemError('subject_not_found');
    return { status: 200, body: toProfile(subject_id, triggers) };
  };
}
