import { expect, test } from 'vitest';
import { enums } from '../../generated/spec.js';
import { advanceTo, startMs } from '../../testkit/arbitraries.js';
import { keepAllowed, keepAllowedLive, readAllowed, removeLiveValues } from './consent.js';
import type { ConsentCategory } from '../../packages/score/rows/person.js';
import { backfillSession } from '../../packages/score/session.js';
import type { Reading } from '../../packages/score/signals.js';

const at = (seconds: number, values: Omit<Reading, 'atMs'>): Reading => ({ ...values, atMs: startMs + seconds * 1000 });
const allowing = (...refused: ConsentCategory[]) =>
  new Set(enums.ConsentCategory.filter((it) => !refused.includes(it)));

/** A session with several hostile tones, and a hostile face and words. */
const { session, baseline } = advanceTo([
  at(0, { tone: 'hostile', expression: 'tense', sentiment: -0.9, heart_rate: 90 }),
  at(20, { tone: 'hostile' }),
  at(40, { tone: 'hostile', heart_rate: 95 }),
]);

test('without voice, a session keeps no tones that agree with the next one', () => {
  expect(session.agreeingTones).toBeGreaterThan(0);
  expect(removeLiveValues(session, allowing('vocal')).agreeingTones).toBeUndefined();
  expect(removeLiveValues(session, allowing('cardiovascular')).agreeingTones).toBe(session.agreeingTones);
});

test('without voice, face or words, a session keeps no lasting evidence of them', () => {
  expect(session.published.expressed).toBeGreaterThan(0);
  expect(session.held?.expressed).toBeGreaterThan(0);
  for (const category of ['vocal', 'visual', 'textual'] as const) {
    const left = removeLiveValues(session, allowing(category));
    expect([left.published.expressed, left.held?.expressed]).toEqual([undefined, undefined]);
  }
  const { published, held } = removeLiveValues(session, allowing('cardiovascular', 'movement'));
  expect([published.expressed, held?.expressed]).toEqual([session.published.expressed, session.held?.expressed]);
});

test('without heart data, a session keeps the stress of its turns but no heart rate of them', () => {
  const turns = [{ topics: ['exams' as const], certain: [], atMs: startMs, expressed: 0, stress: 40 }];
  const heart = {
    bpm: 80,
    lowBpm: 70,
    lowEvidence: 0.1,
    rise: { turnMs: startMs, sinceMs: startMs, fromBpm: 70, peakBpm: 80 },
  };
  const talk = { turns, atMs: startMs };
  for (const name of Object.keys(heart) as Array<keyof typeof heart>) {
    const talking = { ...session, talk: { ...talk, [name]: heart[name] } };
    expect(removeLiveValues(talking, allowing('cardiovascular')).talk).toEqual(talk);
    expect(removeLiveValues(talking, allowing('vocal')).talk).toBe(talking.talk);
  }
  const silent = removeLiveValues({ ...session, talk }, allowing('cardiovascular'));
  expect(removeLiveValues(silent, allowing('cardiovascular'))).toBe(silent);
});

test('the values of backfilled readings are removed like those of current readings', () => {
  const past = at(-600, { tone: 'tense', heart_rate: 101 });
  const both = backfillSession(session, past, baseline).session;
  expect(Object.keys(both.past?.signals ?? {}).filter((it) => it === 'tone' || it === 'heart_rate')).toHaveLength(2);
  const left = removeLiveValues(both, allowing('vocal')).past;
  expect(left?.signals.tone).toBeUndefined();
  expect(left?.signals.heart_rate?.value).toBe(101);
});

test('of a reading, the allowed values are kept, and only derived ones are named as such', () => {
  const words = { sentiment: -0.5, derived: ['sentiment' as const] };
  const heart = { heart_rate: 80 };
  expect(keepAllowed({ ...heart, ...words }, allowing('textual'))).toEqual({ kept: heart, dropped: [] });
  expect(keepAllowed({ ...heart, ...words }, allowing('cardiovascular'))).toEqual({
    kept: words,
    dropped: ['heart_rate'],
  });
});

test('a consent allows its categories until its end, and nothing from then on', () => {
  const consent = { version: 1, categories: ['textual' as const], context: 'care' as const, expiresAtMs: startMs };
  expect([...readAllowed(consent, false, startMs - 1)]).toEqual(['textual']);
  expect([...readAllowed(consent, false, startMs)]).toEqual([]);
});

test('the live values of a person are kept with the category that allows them', () => {
  const [heart, movement] = [
    { bpm: 80, fastBpm: 82 },
    { atMs: startMs, value: 0.5 },
  ];
  const live = { signals: {}, heart, implied: movement, movement, stated: undefined };
  expect(keepAllowedLive(live, allowing('movement'))).toEqual({ signals: {}, heart, implied: movement });
  expect(keepAllowedLive(live, allowing('cardiovascular'))).toEqual({ signals: {}, movement });
});
