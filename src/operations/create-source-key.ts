import { createSourceKey as create } from '../keys/source-keys.js';
import { createKeyTable } from '../store/keys.js';
import type { OperationRecord } from './operation.js';
import { toSourceKey } from './list-source-keys.js';

/** Creates a source key, or the connection of a hub. The response is the only one that contains the key. */
export const createSourceKey: OperationRecord<'createSourceKey', 'store' | 'now' | 'secretBox'> = {
  personalData: 'none',
  async handle({ store, now, secretBox }, { body }, { accountId, keyId, link }) {
    // A key that a person created through a link ends with the API key of the link, and with the link.
    const maker = { accountId, keyId: link?.makerKeyId ?? keyId, actor: keyId, ...(link && { linkId: keyId }) };
    const { key, row } = await store
      .use(createKeyTable)
      .transact((writer) => create(writer, maker, body, now(), secretBox.seal));
    return { status: 201, body: { ...toSourceKey(row), ...(key !== undefined && { key }) } };
  },
};
