import { consent as settings } from '../../generated/spec.js';
import { createFault, ProblemError } from '../contract/problem.js';
import { createConsentReader } from '../store/consents.js';
import { toConsent } from './consent-view.js';
import type { OperationRecord } from './operation.js';

/** Returns a page of the versions of a consent, newest first. */
export const listConsentVersions: OperationRecord<'listConsentVersions', 'store' | 'now'> = {
  personalData: 'reads',
  async handle({ store, now }, { params: { subject_id }, query: { cursor } }, { accountId }) {
    const before = cursor === undefined ? undefined : readCursor(cursor);
    const found = await createConsentReader(store.read(accountId)).page(subject_id, settings.page_size + 1, before);
    if (found.length === 0 && cursor === undefined) throw new ProblemError('consent_not_found');
    const page = found.slice(0, settings.page_size);
    const versions = page.map((it) => toConsent(subject_id, it, now()));
    const last = page.at(-1);
    return {
      status: 200,
      body: { versions, next_cursor: found.length > page.length && last ? writeCursor(last) : null },
    };
  },
};

function writeCursor({ version }: { readonly version: number }): string {
  return Buffer.from(`v${version}`).toString('base64url');
}

/** Returns the version before which the page starts. Throws a ProblemError with code cursor_invalid. */
function readCursor(cursor: string): number {
  const [, version] = /^v(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (version === undefined)
    throw new ProblemError('validation_failed', { faults: [createFault('cursor_invalid', { parameter: 'cursor' })] });
  return Number(version);
}
