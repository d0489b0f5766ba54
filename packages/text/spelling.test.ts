import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileLexicon, numberIn, unknown } from './lexicon.js';
import { createTextReader } from './spelling.js';
import { createTokenizer, hashWord } from './tokens.js';

const lexicon = compileLexicon();
const vocabulary = ['about', 'zorbing', 'zorba', 'quokka', 'tiny', 'abut'];
const reader = createTextReader(lexicon, vocabulary);
const listHashes = (text: string) => {
  const { words } = reader.read(text);
  return [...words.hashes.subarray(0, words.count)];
};

test.each([
  ['zorbng', 'zorbing', 'a missing letter'],
  ['zorbiing', 'zorbing', 'an extra letter'],
  ['zorvbing', 'zorbing', 'an extra letter inside'],
  ['zorbimg', 'zorbing', 'a wrong letter'],
  ['zrobing', 'zorbing', 'swapped letters'],
  ['ozrbing', 'zorbing', 'swapped first letters'],
  ['tin', 'tiny', 'a missing letter of a short word'],
])('%s is read as %s: %s', (typed, meant) => expect(listHashes(typed)).toEqual([hashWord(meant)]));

test.each([
  ['zrbng', 'two edits'],
  ['zorxbig', 'an extra and a missing letter'],
  ['borbing', 'another first letter'],
  ['orbing', 'a missing first letter'],
  ['tny0', 'a wrong letter and a digit'],
  ['zo', 'too short'],
  ['quokka', 'a known word'],
])('%s stays as typed: %s', (typed) => expect(listHashes(typed)).toEqual([hashWord(typed)]));

test('of several words, the first one of the vocabulary applies', () => {
  expect(listHashes('zorb')).toEqual([hashWord('zorba')]);
});

test('a corrected word has the number of the known word', () => {
  const { words, numbers } = reader.read('im stresed abuot the exma');
  const typed = createTokenizer().read('im stressed about the exam');
  expect([...numbers.subarray(0, 5)]).toEqual(Array.from({ length: 5 }, (_, i) => numberIn(lexicon, typed, i)));
  expect(numbers[1]).not.toBe(unknown);
  expect(words.count).toBe(5);
});

test('one changed letter of a known word of five letters or more leads to a known word', () => {
  const known = lexicon.words.filter((word) => /^[a-z]{5,16}$/.test(word));
  const hashes = new Set([...known, ...vocabulary, ...lexicon.words].map(hashWord));
  fc.assert(
    fc.property(fc.constantFrom(...known), fc.nat(), fc.constantFrom(...'aeioqxz'), (word, at, letter) => {
      const i = 1 + (at % (word.length - 1));
      const [hash = 0] = listHashes(word.slice(0, i) + letter + word.slice(i + 1));
      const isStem = numberIn(lexicon, createTokenizer().read(word.slice(0, i) + letter + word.slice(i + 1)), 0);
      expect(hashes.has(hash) || isStem !== unknown).toBe(true);
    }),
  );
});
