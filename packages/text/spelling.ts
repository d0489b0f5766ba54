import { type Lexicon, numberIn, unknown } from './lexicon.js';
import { createTokenizer, hashNext, hashStart, hashWord, type Words, wordsMax } from './tokens.js';
import { buildWordTable, findNumber, findNumbers } from './tables.js';

/** The words of a text, and the lexicon number of each word. */
export interface ReadText {
  readonly words: Words;
  readonly numbers: Uint16Array;
  /** False if no word is known as it is written. */
  readonly hasKnownWord: boolean;
}

export interface TextReader {
  /** Returns the words of a text as they are written. The next call overwrites them. */
  tokenize(text: string): Words;
  /** Corrects the misspelled words of a text. */
  correct(words: Words): ReadText;
  /** Returns the corrected words of a text. The next call overwrites them. */
  read(text: string): ReadText;
  /** Deletes the letters of all texts that were read. */
  wipe(): void;
}

/** Minimum number of letters of a word that is corrected. A shorter word is too similar to too many words. */
const LETTERS_MIN = 3;
/** Minimum number of letters of a word in which a wrong or an extra letter is corrected. */
const CHANGED_LETTERS_MIN = 4;
/** Maximum number of letters of a word that is corrected. Bounds the time per word. */
const LETTERS_MAX = 16;
/** Maximum number of words per text that are looked up for a correction. Bounds the time of a text without words. */
const LOOKUPS_MAX = 64;

/**
 * Returns a reader that corrects misspelled words. A word that is neither in the lexicon nor in `vocabulary` gets the
 * hash and the number of the known word that one edit reaches: a missing, extra, wrong or swapped letter. If several
 * words are possible, the first one in `vocabulary` applies, then the first one in the lexicon. The letters of the
 * text stay as they are.
 */
export function createTextReader(lexicon: Lexicon, vocabulary: readonly string[]): TextReader {
  const tokenizer = createTokenizer();
  const numbers = new Uint16Array(wordsMax);
  const speller = createSpeller([...new Set([...vocabulary, ...lexicon.words])], lexicon);
  const correct = (words: Words): ReadText => {
    let [lookups, unknownWords] = [0, 0];
    for (let i = 0; i < words.count; i++) {
      numbers[i] = numberIn(lexicon, words, i);
      if (numbers[i] !== unknown || speller.isKnown(words.hashes[i] ?? 0)) continue;
      const known = lookups++ < LOOKUPS_MAX ? speller.correct(words, i) : undefined;
      unknownWords++;
      words.hashes[i] = known?.hash ?? words.hashes[i] ?? 0;
      numbers[i] = known?.number ?? unknown;
    }
    return { words, numbers, hasKnownWord: unknownWords < words.count };
  };
  const tokenize = (text: string) => tokenizer.read(text);
  return { tokenize, correct, read: (text) => correct(tokenize(text)), wipe: () => tokenizer.wipe() };
}

interface KnownWord {
  readonly codes: Uint8Array;
  readonly hash: number;
  readonly number: number;
}

/**
 * Returns functions that look up words by symmetric deletion: two words that are one edit apart share a hash among the
 * words themselves and the words without one of their letters.
 */
function createSpeller(list: readonly string[], lexicon: Lexicon) {
  const tokenizer = createTokenizer();
  const known = list.map((word): KnownWord => {
    const number = numberIn(lexicon, tokenizer.read(word), 0);
    return { codes: Uint8Array.from(Buffer.from(word)), hash: hashWord(word), number };
  });
  const table = buildWordTable(
    known.map(({ hash }) => hash),
    1,
  );
  const owners: number[] = [];
  const keys = known.flatMap(({ codes }, rank) => {
    if (codes.length < LETTERS_MIN || codes.length > LETTERS_MAX) return [];
    const hashes = listDeletions(codes, 0, codes.length);
    owners.push(...hashes.map(() => rank));
    return hashes;
  });
  const deletions = buildWordTable(keys, 1);
  return {
    isKnown: (hash: number): boolean => findNumber(table, hash) !== 0,
    /** Returns the known word that is one edit away from word i. Undefined if there is none. */
    correct({ letters, starts, ends }: Words, i: number): KnownWord | undefined {
      const [start, end] = [starts[i] ?? 0, ends[i] ?? 0];
      if (end - start < LETTERS_MIN || end - start > LETTERS_MAX) return undefined;
      const typed = letters.subarray(start, end);
      let best = Infinity;
      for (const key of listDeletions(letters, start, end))
        for (const entry of findNumbers(deletions, key)) {
          const rank = owners[entry - 1] ?? Infinity;
          const codes = known[rank]?.codes;
          if (rank < best && codes && isOneEdit(typed, codes)) best = rank;
        }
      return known[best];
    },
  };
}

/** Returns the hashes of a word and of the word without each of its letters. */
function listDeletions(letters: Uint8Array, start: number, end: number): number[] {
  return Array.from({ length: end - start + 1 }, (_, k) => {
    let hash = hashStart;
    for (let at = start; at < end; at++) if (at !== end - k) hash = hashNext(hash, letters[at] ?? 0);
    return hash;
  });
}

/**
 * Returns true if one edit turns the typed word into the known word. The first letters must be equal or swapped. In
 * short words, only a missing letter or swapped letters count.
 */
function isOneEdit(typed: Uint8Array, known: Uint8Array): boolean {
  let from = 0;
  while (from < typed.length && typed[from] === known[from]) from++;
  const isLong = typed.length >= CHANGED_LETTERS_MIN;
  const isMissing = from > 0 && isTail(typed, from, known, from + 1);
  const isExtra = from > 0 && isLong && isTail(typed, from + 1, known, from);
  const isWrong = from > 0 && isLong && isTail(typed, from + 1, known, from + 1);
  const isSwapped = typed[from] === known[from + 1] && typed[from + 1] === known[from];
  return isMissing || isExtra || isWrong || (isSwapped && isTail(typed, from + 2, known, from + 2));
}

/** Returns true if the letters of `a` from `i` on are the letters of `b` from `j` on. */
function isTail(a: Uint8Array, i: number, b: Uint8Array, j: number): boolean {
  if (a.length - i !== b.length - j) return false;
  for (let k = 0; i + k < a.length; k++) if (a[i + k] !== b[j + k]) return false;
  return true;
}
