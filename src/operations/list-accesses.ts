import { accessRecord as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import { type AccessCursor, type ChainedEntry, everyone } from '../store/access-queries.js';
import { createAccessTable } from '../store/accesses.js';
import { findSubjectSummary } from '../store/subject-summary.js';
import type { OperationRecord } from './operation.js';
import { createCursors, digits, findPage } from './page.js';

const cursors = createCursors<AccessCursor>({ atMs: digits, chainId: '[0-9a-f]{16}', seq: digits });

/** Returns a page of the accesses to a person's data. */
export const listAccesses: OperationRecord<'listAccesses', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { params: { subject_id }, query: { cursor } }, { accountId }) {
    const table = store.use(createAccessTable);
    const { page, next_cursor } = await findPage(cursors, settings.page_size, cursor, async (after, max) => {
      const pseudonym = await table.findPseudonym(accountId, subject_id);
      if (pseudonym === undefined && !(await findSubjectSummary(store.read(accountId), subject_id)))
        throw new ProblemError('subject_not_found');
      return table.page(accountId, pseudonym, after, max);
    });
    return { status: 200, body: { subject_id, accesses: page.map(toAccess), next_cursor } };
  },
};

function toAccess({ atMs, action, operation, keyId, credential, subject }: ChainedEntry): Schema<'Access'> {
  const scope = subject === everyone ? 'account' : 'subject';
  return { minute: new Date(atMs).toISOString(), action, operation, key_id: keyId, credential, scope };
}
