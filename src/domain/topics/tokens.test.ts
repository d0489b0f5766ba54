import { expect, test } from 'vitest';
import { hashWord, readWords, wordsMax } from './tokens.js';

const hashesOf = (text: string) => {
  const { hashes, count } = readWords(text);
  return [...hashes.subarray(0, count)];
};
const wordsAs = (...words: string[]) => words.map(hashWord);

test('words are parted at anything but letters, digits and apostrophes', () => {
  expect(hashesOf("I'm  late—again, *sigh*")).toEqual(wordsAs('im', 'late', 'again', 'sigh'));
});

test('long drawn words and numbers are one word each', () => {
  expect(hashesOf('sooooo')).toEqual(hashesOf('soo'));
  expect(hashesOf('2024')).toEqual(hashesOf('1999'));
});

test('segments end with a sentence once they are long enough, and cover all words', () => {
  const text = 'I went to work and my boss was late again today. '.repeat(10);
  const { segmentEnds, count } = readWords(text);
  expect(segmentEnds.length).toBeGreaterThan(2);
  expect(segmentEnds.at(-1)).toBe(count);
});

test('text without Latin letters or digits has no words', () => {
  for (const text of ['', '\0\0', '😀'.repeat(50), '\ud800', 'привет', '한국어']) expect(readWords(text).count).toBe(0);
});

test('no more words are read than fit the time', () => {
  expect(readWords('a '.repeat(2048)).count).toBe(wordsMax);
});
