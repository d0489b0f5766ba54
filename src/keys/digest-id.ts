import { createHmac, hkdfSync } from 'node:crypto';
import type { DigestId } from '../store/erased-ids.js';

const digestCharacters = 32;

/** Returns a function that digests ids with a key derived from each of the deployment's keys. */
export function createDigestId(secretsKeys: readonly string[]): DigestId {
  const digest = createDigest(secretsKeys, 'erased ids');
  return (accountId, { kind, id }) => digest(JSON.stringify([accountId, kind, id]));
}

/** Returns a function that digests reports, so that a resend has the same id. */
export function createDigestFeedback(secretsKeys: readonly string[]): (text: string) => string[] {
  return createDigest(secretsKeys, 'feedback');
}

/** Returns a function that digests text with a subkey of each key. */
function createDigest(secretsKeys: readonly string[], label: string): (text: string) => string[] {
  const keys = secretsKeys.map((key) => new Uint8Array(hkdfSync('sha256', key, '', label, 32)));
  return (text) => keys.map((key) => createHmac('sha256', key).update(text).digest('hex').slice(0, digestCharacters));
}
