import { expect, test } from 'vitest';
import { sight, type Trigger } from '../../domain/triggers.js';
import { toTrigger, triggerText } from './trigger.js';

/** Calm at first, then stressed, then calm for long enough. */
const life = [30.5, 90, 95, 10, 5, 5, 0].reduce<Trigger[]>((lived, score, index) => {
  const sighting = { score, atMs: 1_760_000_000_000 + index, sessionId: `s${index}`, isFirstInSession: true };
  return [...lived, sight(lived.at(-1), sighting)];
}, []);

test('a trigger is read as it was written, at every stage of its life', () => {
  expect(new Set(life.map(({ status }) => status))).toEqual(new Set(['observed', 'active', 'resolved']));
  for (const trigger of life) expect(toTrigger(triggerText(trigger))).toEqual(trigger);
});

test('a trigger from before this form is read as well', () => {
  for (const trigger of life) expect(toTrigger(JSON.stringify(trigger))).toEqual(trigger);
});
