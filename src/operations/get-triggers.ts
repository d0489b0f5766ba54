import type { Operation } from '../contract.js';
import { toProfile } from '../domain/triggers.js';
import { ProblemError } from '../problem.js';
import type { Services } from './services.js';

/** The topics of a subject; one without any is as good as unknown. */
export function getTriggers({ store }: Services): Operation<'getTriggers'> {
  return async ({ query }, { accountId }) => {
    const triggers = await store.read(accountId).triggersOf(query.subject_id);
    if (triggers.size === 0) throw new ProblemError('subject_not_found');
    return { status: 200, body: toProfile(query.subject_id, triggers) };
  };
}
