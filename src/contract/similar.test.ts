import { expect, test } from 'vitest';
import { bounds, fields } from '../../generated/spec.js';
import { findContainedName, findSimilar } from './similar.js';

const known = fields.SignalSubmission;

test.each([
  ['heartrate', 'heart_rate'],
  ['heartRate', 'heart_rate'],
  ['heart-rate', 'heart_rate'],
  ['haert_rate', 'heart_rate'],
  ['heart_rat', 'heart_rate'],
  ['sdn', 'sdnn'],
  ['tonne', 'tone'],
  ['sessionId', 'session_id'],
  ['user_mesage', 'user_message'],
  ['RMSSD', 'rmssd'],
])('%s is similar to %s', (name, expected) => {
  expect(findSimilar(name, known)).toBe(expected);
});

test.each(['', 'x', 'hr', 'bpm', 'mood', 'constructor', '__proto__', 'x'.repeat(100_000), 'force'])(
  'no field is similar to %s',
  (name) => {
    expect(findSimilar(name, known)).toBeUndefined();
  },
);

test('a longer name contains a field, and the longest one counts', () => {
  expect(findContainedName('hrv_sdnn', known)).toBe('sdnn');
  expect(findContainedName('voiceTone', known)).toBe('tone');
  expect(findContainedName('heart_rate_sdnn', known)).toBe('heart_rate');
  expect(findContainedName('toString', known)).toBeUndefined();
});

test('every field is most similar to itself', () => {
  for (const name of Object.keys(bounds.SignalSubmission)) expect(findSimilar(name, known)).toBe(name);
});
