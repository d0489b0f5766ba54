import { ProblemError } from '../contract/problem.js';
import { createConsentReader } from '../store/consents.js';
import { toConsent } from './consent-view.js';
import type { OperationRecord } from './operation.js';

export const getConsent: OperationRecord<'getConsent', 'store' | 'now'> = {
  personalData: 'reads',
  tool: {
    name: 'get_consent',
    title: 'Get consent',
    description: 'Get which categories of signals a person allows. Do not send readings of other categories.',
    leading: ['categories'],
  },
  async handle({ store, now }, { params: { subject_id } }, { accountId }) {
    const [newest] = await createConsentReader(store.read(accountId)).page(subject_id, 1);
    if (!newest) throw new ProblemError('consent_not_found');
    return { status: 200, body: toConsent(subject_id, newest, now()) };
  },
};
