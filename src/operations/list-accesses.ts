import { accessRecord as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { createFault, ProblemError } from '../contract/problem.js';
import { type AccessCursor, type ChainedEntry, everyone } from '../store/access-queries.js';
import { createAccessTable } from '../store/accesses.js';
import { findSubjectSummary } from '../store/subject-summary.js';
import type { OperationRecord } from './operation.js';

/**
 * Returns a page of the accesses to a person's data. Reads one access more than a page, to find out whether a next page
 * exists.
 */
export const listAccesses: OperationRecord<'listAccesses', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { params: { subject_id }, query }, { accountId }) {
    const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
    const pseudonym = await store.use(createAccessTable).findPseudonym(accountId, subject_id);
    if (pseudonym === undefined && !(await findSubjectSummary(store.read(accountId), subject_id)))
      throw new ProblemError('subject_not_found');
    const found = await store.use(createAccessTable).page(accountId, pseudonym, after, settings.page_size + 1);
    const page = found.slice(0, settings.page_size);
    const last = page.at(-1);
    const next_cursor = found.length > page.length && last ? writeCursor(last) : null;
    return { status: 200, body: { subject_id, accesses: page.map(toAccess), next_cursor } };
  },
};

function toAccess({ atMs, action, operation, keyId, credential, subject }: ChainedEntry): Schema<'Access'> {
  const scope = subject === everyone ? 'account' : 'subject';
  return { minute: new Date(atMs).toISOString(), action, operation, key_id: keyId, credential, scope };
}

function writeCursor({ atMs, chainId, seq }: AccessCursor): string {
  return Buffer.from(`${atMs}.${chainId}.${seq}`).toString('base64url');
}

/** Decodes a cursor. Throws a ProblemError with code cursor_invalid. */
function readCursor(cursor: string): AccessCursor {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, atMs, chainId, seq] = /^(\d{1,15})\.([0-9a-f]{16})\.(\d{1,15})$/.exec(text) ?? [];
  if (chainId === undefined)
    throw new ProblemError('validation_failed', { faults: [createFault('cursor_invalid', { parameter: 'cursor' })] });
  return { atMs: Number(atMs), chainId, seq: Number(seq) };
}
