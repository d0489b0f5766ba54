import { ProblemError } from '../contract/problem.js';
import { removeSourceKey as remove } from '../keys/source-keys.js';
import { createKeyTable } from '../store/keys.js';
import type { OperationRecord } from './operation.js';

export const removeSourceKey: OperationRecord<'removeSourceKey', 'store' | 'now'> = {
  personalData: 'none',
  async handle({ store, now }, { params }, { accountId, keyId }) {
    const isRemoved = await remove(store.use(createKeyTable), { accountId, keyId, actor: keyId }, params.id, now());
    if (!isRemoved) throw new ProblemError('source_key_not_found');
    return { status: 204 };
  },
};
