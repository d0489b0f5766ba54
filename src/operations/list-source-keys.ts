import type { Schema } from '../contract/contract.js';
import { createSourceKeyTable, type SourceKey } from '../store/source-keys.js';
import type { OperationRecord } from './operation.js';

/** As in the contract: the maximum of the list. */
const keysMax = 500;

/** Returns the source keys of a person, or the newest of the account. */
export const listSourceKeys: OperationRecord<'listSourceKeys', 'store' | 'now' | 'publicUrl'> = {
  personalData: 'reads',
  async handle({ store, now, publicUrl }, { query }, { accountId }) {
    const keys = await createSourceKeyTable(store.read(accountId)).list(query.subject_id, now(), keysMax);
    const list = { source_keys: keys.map(toSourceKey) };
    return { status: 200, body: publicUrl === undefined ? list : { public_url: publicUrl, ...list } };
  },
};

export function toSourceKey(key: SourceKey): Schema<'SourceKey'> {
  const {
    sourceKeyId: id,
    subjectId: subject_id,
    source,
    displayPrefix: prefix,
    timeZone,
    lastUsedAtMs,
    lastPost,
  } = key;
  return {
    ...{ id, source, ...(subject_id !== null && { subject_id, prefix }) },
    ...(timeZone !== null && { time_zone: timeZone }),
    created_at: new Date(key.createdAtMs).toISOString(),
    expires_at: new Date(key.expiresAtMs).toISOString(),
    last_used_at: lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString(),
    ...(lastPost && { last_post: lastPost }),
  };
}
