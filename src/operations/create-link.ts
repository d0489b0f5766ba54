import { createValidationError } from '../contract/problem.js';
import { createPersonLink, mayHaveLinks, toLink } from '../keys/person-links.js';
import { createKeyTable } from '../store/keys.js';
import type { OperationRecord } from './operation.js';

/** Creates a link for a person. The response is the only one that contains its URL. */
export const createLink: OperationRecord<'createLink', 'store' | 'now' | 'publicUrl'> = {
  personalData: 'none',
  async handle({ store, now, publicUrl }, { params: { subject_id }, body }, caller) {
    if (!mayHaveLinks(publicUrl)) throw createValidationError('links_unavailable', { pointer: '' });
    const { secret, row } = await store
      .use(createKeyTable)
      .transact((writer) => createPersonLink(writer, caller, subject_id, body, now()));
    return { status: 201, body: { ...toLink(row), url: `${publicUrl}/person/#${secret}` } };
  },
};
