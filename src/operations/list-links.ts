import { toLink } from '../keys/person-links.js';
import { createPersonLinkTable } from '../store/person-links.js';
import type { OperationRecord } from './operation.js';

/** Returns the links of a person. */
export const listLinks: OperationRecord<'listLinks', 'store' | 'now'> = {
  personalData: 'reads',
  async handle({ store, now }, { params: { subject_id } }, { accountId }) {
    const links = await createPersonLinkTable(store.read(accountId)).list(subject_id, now());
    return { status: 200, body: { links: links.map(toLink) } };
  },
};
