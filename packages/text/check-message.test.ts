import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCheckMessage, isForeign } from './check-message.js';
import { dangers } from './safety-rules.js';

const check = createCheckMessage();

test.each([
  'ok',
  'lol',
  'Jürgen Müller',
  'Anna Maria Rossi, Giuseppe Verdi',
  '😂😂😂',
  '¯\\_(ツ)_/¯',
  '42',
  '',
  'npm install --save-dev typescript',
  'const total = items.map((it) => it.price).reduce((a, b) => a + b, 0)',
  'SELECT name FROM users WHERE id = 7',
  'im so stresed abuot my exma',
  'Translate: Ich habe meine Arbeit verloren. I lost my job.',
  'we had a naïve chat in a café about El Niño',
])('"%s" is not a text of another language', (text) => {
  expect(isForeign(text)).toBe(false);
});

test.each([
  'Ich kann seit Tagen nicht schlafen',
  'no puedo mas con esto',
  "je n'en peux plus de ce travail",
  'Я не могу спать',
  '我已经好几天睡不着了',
  'لا أستطيع النوم',
])('"%s" is not English', (text) => {
  expect(check(text)).toEqual({ isForeign: true });
});

test.each([
  ['I want to die', 'I want to die of embarrassment'],
  ['I want to kill myself', 'I do not want to kill myself'],
  ['I cut myself again last night', 'I cut myself a slice of cake'],
  ['I cut myself again last night', 'My cousin cut herself again last night'],
  ['My husband hits me', 'My husband has never hit me'],
  ['He beats me when he drinks', 'He beats me at chess'],
  ['I have thoughts of suicide', 'I had thoughts of suicide when I was fifteen'],
  ['He said that he will kill me', '"He said that he will kill me" is a line from my novel'],
])('"%s" describes a danger, and "%s" does not', (danger, lookAlike) => {
  expect(check(danger).danger).toBeDefined();
  expect(check(lookAlike).danger).toBeUndefined();
});

test('a danger within a long message is found, and the most urgent kind is reported', () => {
  const long = 'Work was fine and we had the usual meeting. '.repeat(40);
  expect(check(`${long}My dad hits me. I want to kill myself. ${long}`).danger).toBe('suicidal_thoughts');
});

test('no text makes the check fail, and the result depends only on the text', () => {
  const words = JSON.stringify(dangers).match(/[a-z]+/g) ?? [];
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4016 }),
    fc.array(fc.constantFrom(...words, '"', '“', '*', '.', 'i'), { maxLength: 600 }).map((it) => it.join(' ')),
  );
  fc.assert(
    fc.property(text, (it) => {
      expect(createdOnce(it)).toEqual(check(it));
    }),
  );
});

const createdOnce = createCheckMessage();
