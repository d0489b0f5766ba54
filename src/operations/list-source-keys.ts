import type { Schema } from '../contract/contract.js';
import { omitLeftovers } from '../store/leftovers.js';
import { createSourceKeyTable, type SourceKey } from '../store/source-keys.js';
import type { OperationRecord } from './operation.js';

/** As in the contract: the maximum of the list. */
const keysMax = 500;

/** Returns the source keys of a person, or the newest of the account. */
export const listSourceKeys: OperationRecord<'listSourceKeys', 'store' | 'now' | 'sourcesUrl' | 'digestId'> = {
  personalData: 'reads',
  async handle({ store, now, sourcesUrl, digestId }, { query }, { accountId, link }) {
    const scope = store.read(accountId);
    const keys = await createSourceKeyTable(scope).list(query.subject_id, now(), keysMax);
    // As in the list of accesses, a person does not learn the keys of the account.
    const toListed = (key: SourceKey) => ({ ...toSourceKey(key), ...(!link && nameMaker(key)) });
    const list = { source_keys: (await omitLeftovers(scope, keys, digestId)).map(toListed) };
    return { status: 200, body: sourcesUrl === undefined ? list : { public_url: sourcesUrl, ...list } };
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

function nameMaker({ makerKeyId }: SourceKey) {
  return makerKeyId !== null && { maker_key_id: makerKeyId };
}
