import { createDigest } from '../contract/derive-key.js';

/** Returns a function that computes the namespace of the sessions whose ids a person chooses. */
export function createToNamespace(secretsKeys: readonly string[]) {
  // With one key, so that a namespace remains while SECRETS_KEY is replaced.
  const digest = createDigest(secretsKeys.slice(-1), 'own sessions');
  return (accountId: string, subjectId: string): string =>
    `~${digest(JSON.stringify([accountId, subjectId]))
      .join()
      .slice(0, 16)}~`;
}

/** Returns a function that digests reports, so that a resend has the same id. */
export function createDigestFeedback(secretsKeys: readonly string[]): (text: string) => string[] {
  return createDigest(secretsKeys, 'feedback');
}
