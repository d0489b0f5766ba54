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
  async handle({ store }, { params: { subject_id }, query: { cursor } }, { accountId, kind }) {
    const table = store.use(createAccessTable);
    const { page, next_cursor } = await findPage(cursors, settings.page_size, cursor, async (after, max) => {
      const pseudonym = await table.findPseudonym(accountId, subject_id);
      if (pseudonym === undefined && !(await findSubjectSummary(store.read(accountId), subject_id)))
        throw new ProblemError('subject_not_found');
      return table.page(accountId, pseudonym, after, max);
    });
    return {
      status: 200,
      body: { subject_id, accesses: page.map((it) => toAccess(it, kind === 'link')), next_cursor },
    };
  },
};

/** Returns an access as the caller gets it: a person learns when and how their data was read, and not with which key. */
function toAccess(entry: ChainedEntry, isOfPerson: boolean): Schema<'Access'> {
  const { atMs, action, operation, keyId, credential, subject } = entry;
  const scope = subject === everyone ? 'account' : 'subject';
  const key_id = isOfPerson ? '' : keyId;
  return { minute: new Date(atMs).toISOString(), action, operation, key_id, credential, scope };
}
