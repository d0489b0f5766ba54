import { ProblemError } from '../contract/problem.js';
import { createKeyTable } from '../store/keys.js';
import type { OperationRecord } from './operation.js';

/** Ends a link and the source keys that the person made through it. */
export const removeLink: OperationRecord<'removeLink', 'store' | 'now'> = {
  personalData: 'writes',
  async handle({ store, now }, { params: { subject_id, link_id } }, { accountId }) {
    const isRemoved = await store
      .use(createKeyTable)
      .transact((writer) => writer.personLinks(accountId).remove(subject_id, link_id, now()));
    if (!isRemoved) throw new ProblemError('link_not_found');
    return { status: 204 };
  },
};
