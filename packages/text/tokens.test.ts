import { expect, test } from 'vitest';
import { createTokenizer, edgeMark, hashWord, marks, wordsMax } from './tokens.js';

const readWords = (text: string) => createTokenizer().read(text);

const listHashes = (text: string) => {
  const { hashes, count } = readWords(text);
  return [...hashes.subarray(0, count)];
};
const wordsAs = (...words: string[]) => words.map(hashWord);

test('words are split at every character except letters, digits and apostrophes', () => {
  expect(listHashes("I'm  late—again, *sigh*")).toEqual(wordsAs('im', 'late', 'again', 'sigh'));
});

test('repeated letters and all numbers are normalized', () => {
  expect(listHashes('sooooo')).toEqual(listHashes('soo'));
  expect(listHashes('2024')).toEqual(listHashes('1999'));
});

test('segments of sufficient length end at a sentence end, and segments cover all words', () => {
  const text = 'I went to work and my boss was late again today. '.repeat(10);
  const { segmentEnds, count } = readWords(text);
  expect(segmentEnds.length).toBeGreaterThan(2);
  expect(segmentEnds.at(-1)).toBe(count);
});

test('text without Latin letters or digits has no words', () => {
  for (const text of ['', '\0\0', '😀'.repeat(50), '\ud800', 'привет', '한국어']) expect(readWords(text).count).toBe(0);
});

test('at most wordsMax words are read', () => {
  expect(readWords('a '.repeat(2048)).count).toBe(wordsMax);
});

test('a sentence ends at punctuation and is marked when it is a question', () => {
  const { sentences } = readWords('Is it late? I am tired... so tired; bye');
  expect(sentences).toEqual([
    { from: 0, to: 3, isQuestion: true },
    { from: 3, to: 6, isQuestion: false },
    { from: 6, to: 8, isQuestion: false },
    { from: 8, to: 9, isQuestion: false },
  ]);
});

test('wiping overwrites the letters of a text', () => {
  const tokenizer = createTokenizer();
  const words = tokenizer.read('my secret xylophone');
  tokenizer.wipe();
  expect(new Set(words.letters.subarray(1, 64))).toEqual(new Set([edgeMark]));
});

test.each([
  ['He said “no”', marks.quote],
  ["my boss said 'no'", marks.quote],
  ['la la / la', marks.slash],
  ['x = 1', marks.code],
  ['to do: nothing', marks.colon],
  ['one\ntwo', marks.lineBreak],
  ["I can't sleep, sorry!", 0],
])('the marks of a text are known: %s', (text, expected) => expect(readWords(text).marks).toBe(expected));
