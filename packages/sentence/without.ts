import type { StateReading } from '../client/src/index.js';
import { type Language, say } from './messages.js';
import { decapitalize } from './sentence.js';

export type Part = keyof NonNullable<StateReading['without']>;

/** Returns e.g. `Without your voice: 33, relaxed`. Empty if the state has no such part. */
export function sayWithout(
  { without }: StateReading,
  part: Part,
  language: Language = 'en',
  isToPerson = false,
): string {
  const left = without?.[part];
  if (!left) return '';
  const name = say(language, isToPerson ? `without_${part}_you` : `without_${part}`);
  if (left.evidence) return say(language, 'without_unknown', { part: name });
  const state = decapitalize(say(language, left.state), language);
  return say(language, 'without', { part: name, score: left.stress_score, state });
}
