import { consent as settings } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { createConsentReader, type StoredConsent } from '../store/consents.js';
import { toConsent } from './consent-view.js';
import type { OperationRecord } from './operation.js';
import { createCursors, findPage } from './page.js';

const cursors = createCursors<Pick<StoredConsent, 'version'>>({ version: '\\d{1,9}' }, 'v');

/** Returns a page of the versions of a consent, newest first. */
export const listConsentVersions: OperationRecord<'listConsentVersions', 'store' | 'now'> = {
  personalData: 'reads',
  async handle({ store, now }, { params: { subject_id }, query: { cursor } }, { accountId }) {
    const reader = createConsentReader(store.read(accountId));
    const { page, next_cursor } = await findPage(cursors, settings.page_size, cursor, (before, max) =>
      reader.page(subject_id, max, before?.version),
    );
    if (page.length === 0 && cursor === undefined) throw new ProblemError('consent_not_found');
    return { status: 200, body: { versions: page.map((it) => toConsent(subject_id, it, now())), next_cursor } };
  },
};
