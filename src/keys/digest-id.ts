import { createDigest } from '../contract/derive-key.js';
import type { DigestId } from '../store/erased-ids.js';

/** Returns a function that digests ids with a key derived from each of the deployment's keys. */
export function createDigestId(secretsKeys: readonly string[]): DigestId {
  const digest = createDigest(secretsKeys, 'erased ids');
  return (accountId, { kind, id }) => digest(JSON.stringify([accountId, kind, id]));
}

/** Returns a function that digests reports, so that a resend has the same id. */
export function createDigestFeedback(secretsKeys: readonly string[]): (text: string) => string[] {
  return createDigest(secretsKeys, 'feedback');
}
