import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dangerPatterns } from './danger-patterns.js';
import { englishWords } from './language-words.js';
import { loadTextModel } from './model.js';
import { findExplicit, hasDangerWord } from './safety.js';
import { createTextAnalyzer } from './texts.js';
import { createTokenizer } from './tokens.js';

const model = loadTextModel(readFileSync(new URL('./weights/text.bin', import.meta.url)));
const [analyzer, createdOnce] = [createTextAnalyzer(model), createTextAnalyzer(model)];
const check = (text: string) => analyzer.analyze(text).check;

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
  ...[
    'wanna die',
    'lol idk tbh',
    'brb gym',
    'c’est la vie, my friend',
    'que sera sera',
    'hasta la vista baby',
    'no me gusta lol',
  ],
  '{"de": 1, "la": [2, 3], "el": {"para": true, "con": null}}',
  '2026-11-28 12:00:00 ERROR con.acme.Main.run(Main.java:12) pool=main el=null des=3 van=true',
  `${'Ich kann seit Tagen nicht schlafen und habe Angst. '.repeat(12)} I cannot sleep, and I worry about my work and my rent.`,
  'Translate: Ich habe meine Arbeit verloren. I lost my job.',
  ...['fine ', 'la ', 'sad tired ', 'ok, sure! ', 'we ', 'café '].map((part) => part.repeat(300)),
  'we had a naïve chat in a café about El Niño',
])('"%s" is not a text of another language', (text) => {
  expect(check(text).isForeign).toBe(false);
});

test.each([
  'Ich kann seit Tagen nicht schlafen',
  'Guten Abend zusammen',
  'ich bin müde',
  'estou cansado de tudo isso',
  'yaar aaj bahut thak gaya hu',
  '我很累',
  `${'Ich kann seit Tagen nicht schlafen und habe Angst vor der Arbeit. '.repeat(10)} ok`,
  'no puedo mas con esto',
  "je n'en peux plus de ce travail",
  'Я не могу спать',
  '我已经好几天睡不着了',
  'لا أستطيع النوم',
])('"%s" is not English', (text) => {
  expect(check(text)).toEqual({ isForeign: true });
});

test.each([
  ['ɏɏɏ', false],
  ['ɐɐɐ', true],
  ['ɐɐɐ zor', false],
  ['ḀḀḀ', false],
  ['ỿỿỿ', false],
  ['ἀἀἀ', true],
  ['\u{10000}\u{10001}', false],
  ['𝐀𝐁𝐂', false],
])('"%s" has letters of another alphabet: %s', (text, isForeign) => expect(check(text).isForeign).toBe(isForeign));

test.each([
  ['trabajo zorb quok', false],
  ['trabajo zorb quok vlim', true],
  ['trabajo don’t quok vlim', false],
  [`trabajo ${englishWords.at(-1)} quok vlim…`, false],
  ['zorb quok vlim drant plesk grib thoz wemp crun', false],
  ['zorb quok vlim drant plesk grib thoz wemp crun yilt', true],
  ['zorb quok vlim drant plesk grib thoz wemp crun yilt_1', false],
])('"%s" has enough words without English: %s', (text, isForeign) => expect(check(text).isForeign).toBe(isForeign));

test.each([
  ['I want to die', 'I want to die of embarrassment'],
  ['I want to kill myself', 'I do not want to kill myself'],
  ['I cut myself again last night', 'I cut myself a slice of cake'],
  ['I cut myself again last night', 'My cousin cut herself again last night'],
  ['My husband hits me', 'My husband has never hit me'],
  ['He beats me when he drinks', 'He beats me at chess'],
  ['I have thoughts of suicide', 'I had thoughts of suicide when I was fifteen'],
  ['I took an overdose.', 'I took an overdose of sun today'],
  ['I swallowed bleach an hour ago.', 'I took the bleach out of the cupboard'],
  ['I have a noose ready.', 'Today someone held the door for me.'],
  ['He locked me in again.', 'My boyfriend told me he loved me today'],
  ['He said that he will kill me', '"He said that he will kill me" is a line from my novel'],
])('"%s" describes a danger, and "%s" does not', (danger, lookAlike) => {
  expect(check(danger).danger).toBeDefined();
  expect(check(lookAlike).danger).toBeUndefined();
});

const explicit = [
  ...['i want to kill myself', 'i wanna kms', 'im going to kill my self', 'i really want to die', 'I wish I was dead'],
  ...['i have suicidal thoughts', 'i am suicidal', 'i have decided to end my life', "I don't want to be alive anymore"],
  ...['i am thinking about ending my life', 'i keep thinking about suicide', 'i will take my own life'],
  ...['i need to cut myself', 'i cut myself again', 'I have the urge to cut', 'i am self harming again'],
  ...['my husband hits me', 'my dad beats me', 'he threatened to kill me', 'i was raped last night'],
];

test.each(explicit)('"%s" is found alone, and after another statement with and without punctuation', (statement) => {
  for (const before of [
    '',
    'my mom died two years ago and ',
    'My mom died two years ago. ',
    'ok so nobody helps me ',
  ]) {
    expect(findExplicit(before + statement), before).toBeDefined();
    expect(hasDangerWord(createTokenizer().read(before + statement))).toBe(true);
  }
});

test.each([
  'I do not want to kill myself',
  'i never want to die, i love this song',
  'I want to die of embarrassment',
  'My therapist asked if I have thoughts of suicide and I said no',
  'She says he wants to kill himself',
  'He beats me at chess',
  'I cut myself shaving again',
])('"%s" states no danger explicitly', (text) => {
  expect(findExplicit(text)).toBeUndefined();
});

test('a denial hides no danger beside it', () => {
  for (const denial of ['I do not want to kill myself', 'I don’t want to die', 'i would never hurt myself']) {
    expect(check(denial).danger, denial).toBeUndefined();
    expect(check(`${denial}, but my husband hits me`).danger, denial).toBe('violence');
  }
});

test('there are at most 60 explicit patterns', () => {
  expect(Object.values(dangerPatterns).flat().length).toBeLessThanOrEqual(60);
});

test('a message has the same finding with and without punctuation', () => {
  for (const text of ['I lost my job. I have had enough, and I want to die.', 'We had soup. It was fine, thanks.'])
    expect(check(text).danger).toBe(check(text.replace(/[.,]/g, '').toLowerCase()).danger);
});

test('a danger within a long message is found, and the most urgent kind is reported', () => {
  const long = 'Work was fine and we had the usual meeting. '.repeat(40);
  expect(check(`${long}My dad hits me. I want to kill myself. ${long}`).danger).toBe('suicidal_thoughts');
});

test('no text makes the check fail, and the result depends only on the text', () => {
  const words = JSON.stringify(dangerPatterns).match(/[a-z]+/g) ?? [];
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4016 }),
    fc.array(fc.constantFrom(...words, '"', '“', '*', '.', 'i'), { maxLength: 600 }).map((it) => it.join(' ')),
  );
  fc.assert(
    fc.property(text, (it) => {
      expect(createdOnce.analyze(it).check).toEqual(check(it));
    }),
  );
});
