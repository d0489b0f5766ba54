import { createHmac, hkdfSync } from 'node:crypto';
import type { DigestId } from '../store/erased-ids.js';

const digestCharacters = 32;

/** Returns a function that digests ids with a key derived from each of the deployment's keys. */
export function createDigestId(secretsKeys: readonly string[]): DigestId {
  const keys = secretsKeys.map((key) => new Uint8Array(hkdfSync('sha256', key, '', 'erased ids', 32)));
  return (accountId, { kind, id }) => {
    const text = JSON.stringify([accountId, kind, id]);
    return keys.map((key) => createHmac('sha256', key).update(text).digest('hex').slice(0, digestCharacters));
  };
}
