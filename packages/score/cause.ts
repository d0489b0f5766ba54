import type { State } from './rows/values.js';

const [up, down] = [1, -1] as const;
const level = '^(?:average )?heart rate (?:of the last minutes )?';
/** The start of a reason, its code in the contract, and whether it is evidence for stress or for calm. */
const causes = [
  [`${level}(?:[5-9]|\\d\\d+) bpm above`, 'heart_raised', up],
  [`${level}(?:[5-9]|\\d\\d+) bpm below`, 'heart_low', down],
  [`${level}(?:at|[1-4] bpm)`, 'heart_usual', down],
  ['^heart rate variability \\d+ % below', 'variability_low', up],
  ['^heart rate variability \\d+ % above', 'variability_high', down],
  ['^(?:anxious|tense|frustrated|hostile) voice', 'vocal_up', up],
  ['^calm voice', 'vocal_down', down],
  ['^focused voice', 'vocal_focused', up],
  ['^hesitant voice', 'vocal_hesitant', up],
  ['^excited voice', 'vocal_excited', up],
  ['^(?:frowning|tense) face', 'visual_up', up],
  ['^(?:relaxed|smiling) face', 'visual_down', down],
  ['^concentrated face', 'visual_concentrated', up],
  ['^surprised face', 'visual_surprised', up],
  ['^(?:strongly )?negative words', 'textual_negative', up],
  ['^(?:high|critical) urgency', 'textual_urgent', up],
  ['^(?:strongly )?positive words', 'textual_positive', down],
] as const;
/** Of a state that is held although the signals are calmer, and none of them raises the score. */
const calming = 'calming';
const held = /^The state is held at [^:]+: /;
const patterns = causes.map(([start, cause, sign]) => ({ pattern: new RegExp(start, 'i'), cause, sign }));

export type Cause = (typeof causes)[number][1] | typeof calming;

/**
 * Returns the strongest signal in the direction of a state, which the reason of its score names first, or `calming`. Undefined
 * if the reason names none. Stored readings have the reason, but not the evidence behind it.
 */
export function findCause(reason: string, state: State): Cause | undefined {
  const evidence = reason.replace(held, '');
  const isLoaded = state !== 'calm' && state !== 'relaxed';
  const named = patterns.find(({ pattern, sign }) => sign === (isLoaded ? up : down) && pattern.test(evidence))?.cause;
  return named ?? (isHeld(reason) && isLoaded ? calming : undefined);
}

/** Returns true if the signals of a reason are those of another state than the one that is held. */
export function isHeld(reason: string): boolean {
  return held.test(reason);
}
