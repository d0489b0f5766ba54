import { toLink } from '../keys/person-links.js';
import { omitLeftovers } from '../store/leftovers.js';
import { createPersonLinkTable } from '../store/person-links.js';
import type { OperationRecord } from './operation.js';

/** Returns the links of a person. */
export const listLinks: OperationRecord<'listLinks', 'store' | 'now' | 'digestId'> = {
  personalData: 'reads',
  async handle({ store, now, digestId }, { params: { subject_id } }, { accountId }) {
    const scope = store.read(accountId);
    const links = await createPersonLinkTable(scope).list(subject_id, now());
    return { status: 200, body: { links: (await omitLeftovers(scope, links, digestId)).map(toLink) } };
  },
};
