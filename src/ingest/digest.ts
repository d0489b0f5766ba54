import { hash } from 'node:crypto';
import type { Submission } from '../contract.js';

const digestCharacters = 32;

/**
 * Knows a resent body again: equal JSON in the same session of the same account, whatever the order of its fields.
 * Keyed, because a plain digest of a short text could be guessed from the database. No JSON array is the beginning of
 * another, and for such inputs SHA-256 after a secret prefix is as good a keyed digest as HMAC (Bellare, Canetti and
 * Krawczyk, 1996), at a third of the cost. 32 hex characters.
 */
export function digestOf(key: string, accountId: string, submission: Submission): string {
  const fields = Object.entries(submission).sort(([a], [b]) => (a < b ? -1 : 1));
  const canonical = JSON.stringify([accountId, fields]);
  return hash('sha256', key + canonical).slice(0, digestCharacters);
}
