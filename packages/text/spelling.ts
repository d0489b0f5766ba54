import { findStem, type Lexicon, numberIn, unknown } from './lexicon.js';
import { withoutIds } from './ids.js';
import { createTokenizer, hashNext, hashStart, hashWord, type Words, wordsMax } from './tokens.js';
import { buildWordTable, findNumber, findNumbers } from './tables.js';

/** The words of a text, the lexicon number of each word, and its rank among the known words, from 1. */
export interface ReadText {
  readonly words: Words;
  readonly numbers: Uint16Array;
  /** 0 for a word that is unknown as it is written. */
  readonly ranks: Uint16Array;
  /** False if no word is known as it is written. */
  readonly hasKnownWord: boolean;
}

export interface TextReader {
  /** The words of the vocabulary, most frequent first, then those of the lexicon. The ranks of texts count from 1. */
  readonly known: readonly string[];
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
 * words are possible, the first one of `known` applies. The letters of the text stay as they are.
 */
export function createTextReader(lexicon: Lexicon, vocabulary: readonly string[]): TextReader {
  const tokenizer = createTokenizer();
  const [numbers, ranks] = [new Uint16Array(wordsMax), new Uint16Array(wordsMax)];
  const known = [...new Set([...vocabulary, ...lexicon.words])];
  const { table, numberByRank, correctWord } = createSpeller(known, lexicon);
  const correct = (words: Words): ReadText => {
    let [lookups, unknownWords] = [0, 0];
    for (let i = 0; i < words.count; i++) {
      const rank = findNumber(table, words.hashes[i] ?? 0);
      ranks[i] = rank;
      numbers[i] = rank > 0 ? (numberByRank[rank] ?? unknown) : findStem(lexicon, words, i);
      if (rank > 0 || numbers[i] !== unknown) continue;
      const meant = lookups++ < LOOKUPS_MAX ? correctWord(words, i) : undefined;
      unknownWords++;
      words.hashes[i] = meant?.hash ?? words.hashes[i] ?? 0;
      numbers[i] = meant?.number ?? unknown;
    }
    return { words, numbers, ranks, hasKnownWord: unknownWords < words.count };
  };
  const tokenize = (text: string) => tokenizer.read(withoutIds(text));
  return { known, tokenize, correct, read: (text) => correct(tokenize(text)), wipe: () => tokenizer.wipe() };
}

interface KnownWord {
  readonly codes: Uint8Array;
  readonly hash: number;
  readonly number: number;
}

/**
 * Returns a table of the ranks of words, the lexicon number of each rank, and a function that looks up words by symmetric
 * deletion: two words that are one edit apart share a hash among the words themselves and the words without one of their
 * letters.
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
    const hashes = Array.from({ length: codes.length + 1 }, (_, k) => hashWithout(codes, 0, codes.length, k));
    owners.push(...hashes.map(() => rank));
    return hashes;
  });
  const deletions = buildWordTable(keys, 1);
  return {
    table,
    numberByRank: Uint16Array.from([unknown, ...known.map(({ number }) => number)]),
    /** Returns the known word that is one edit away from word i. Undefined if there is none. */
    correctWord({ letters, starts, ends }: Words, i: number): KnownWord | undefined {
      const [start, end] = [starts[i] ?? 0, ends[i] ?? 0];
      if (end - start < LETTERS_MIN || end - start > LETTERS_MAX) return undefined;
      const typed = letters.subarray(start, end);
      let best = Infinity;
      const compare = (entry: number): void => {
        const owner = owners[entry - 1] ?? Infinity;
        const codes = known[owner]?.codes;
        if (owner < best && codes && isOneEdit(typed, codes)) best = owner;
      };
      for (let k = 0; k <= end - start; k++) findNumbers(deletions, hashWithout(letters, start, end, k), compare);
      return known[best];
    },
  };
}

/** Returns the hash of a word without its k-th letter from the end. Without any deletion if k is 0. */
function hashWithout(letters: Uint8Array, start: number, end: number, k: number): number {
  let hash = hashStart;
  for (let at = start; at < end; at++) if (at !== end - k) hash = hashNext(hash, letters[at] ?? 0);
  return hash;
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
