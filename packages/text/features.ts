import { type BitSet, hasBit } from './tables.js';
import type { Findings } from './findings.js';
import { classCount, type Lexicon, unknown } from './lexicon.js';
import { nextRun, runLetters, segmentWordsMax, wordLettersMax, type Words } from './tokens.js';

/** Features of a segment in three families. Each family is weighted and scaled separately. */
export interface Features {
  /** Single words and pairs of words. */
  readonly words: FeatureList;
  /** Runs of letters inside words. */
  readonly runs: FeatureList;
  /** Word classes and the topics of phrases. */
  readonly lexicon: FeatureList;
}

export interface FeatureList {
  length: number;
  /** Rows of the family's weights, one entry per occurrence. Entries beyond `length` are from earlier segments. */
  readonly rows: Uint32Array;
}

/** For each family, the row of a feature in the weights. */
export type RowIndexes = Readonly<Record<keyof Features, RowIndex>>;

export interface FeatureIndex extends RowIndexes {
  /**
   * Precomputed rows of the known words, by word number, so that most words require no hashing. Number 0 (an unknown
   * word) has no row.
   */
  readonly known: KnownRows;
}

export type KnownRows = Readonly<Record<'words' | 'runs', Uint16Array>>;
/** No precomputed rows: every word is hashed. */
export const noKnownRows: KnownRows = { words: new Uint16Array(), runs: new Uint16Array() };

/**
 * Finds the row of a feature. The top bits of a feature's hash are its bucket. Each bucket has a row. Unused buckets
 * have row 0.
 */
export interface RowIndex {
  readonly bits: number;
  readonly rowOf: Uint16Array | Uint32Array;
  /** The buckets that have a row. Avoids most lookups. */
  readonly used: BitSet;
}

/** Lists the features of a segment. `numbers` are the lexicon numbers of all words of the text. */
export type FeatureLister = (words: Words, numbers: Uint16Array, found: Findings) => Features;

const SEED_PAIR = 0x9e3779b1;
const SEED_MIX = 0xc2b2ae35;
const SEED_DENIED = 0x85ebca6b;
/** The `lexicon` family has 2^8 buckets: the numbers of the word classes, then of the topics. */
export const lexiconBits = 8;

const newList = (room: number): FeatureList => ({ length: 0, rows: new Uint32Array(room) });

/** Allocates the buffers that every segment reuses. */
export const newFeatures = (): Features => ({
  words: newList(2 * segmentWordsMax + 1),
  runs: newList(segmentWordsMax * wordLettersMax),
  lexicon: newList(2 ** lexiconBits),
});

/** Returns a feature lister with memory for one segment. Each call overwrites the result of the previous call. */
export function createFeatureLister(index: FeatureIndex, lexicon: Lexicon): FeatureLister {
  const features = newFeatures();
  const seen = new Uint8Array(2 ** lexiconBits);
  const pushOnce = (id: number): void => {
    if (seen[id] === 0) push(features.lexicon, index.lexicon.rowOf[id] ?? 0);
    seen[id] = 1;
  };
  return (text, numbers, found) => {
    features.words.length = features.runs.length = features.lexicon.length = 0;
    seen.fill(0);
    pushWords(features, index, text, numbers, found);
    // A class or topic counts once per segment. Words and runs of letters count at each occurrence.
    for (let i = found.from; i < found.to; i++)
      if (found.denied[i] === 0) pushClasses(pushOnce, lexicon, numbers[i] ?? unknown);
    for (const { number } of found.hits) pushOnce(classCount + number);
    return features;
  };
}

function pushWords({ words, runs }: Features, index: FeatureIndex, text: Words, numbers: Uint16Array, it: Findings) {
  const { known } = index;
  let previous = 0;
  for (let i = it.from; i < it.to; i++) {
    const number = numbers[i] ?? unknown;
    const isDenied = it.denied[i] === 1;
    const word = (text.hashes[i] ?? 0) ^ (isDenied ? SEED_DENIED : 0);
    push(words, rowAt(index.words, mixHash(Math.imul(previous, SEED_PAIR) ^ word)));
    previous = word;
    if (isDenied) push(words, rowAt(index.words, mixHash(word)));
    else if (number !== unknown && number < known.words.length) {
      push(words, known.words[number] ?? 0);
      push(runs, known.runs[number] ?? 0);
    } else pushWord(words, runs, index, text, i);
  }
  push(words, rowAt(index.words, mixHash(Math.imul(previous, SEED_PAIR))));
}

function pushClasses(pushOnce: (id: number) => void, { classes }: Lexicon, number: number): void {
  const end = classes.starts[number + 1] ?? 0;
  for (let at = classes.starts[number] ?? 0; at < end; at++) pushOnce(classes.items[at] ?? 0);
}

/** Adds a word and its runs of letters. */
export function pushWord(words: FeatureList, runs: FeatureList, index: RowIndexes, text: Words, i: number): void {
  push(words, rowAt(index.words, mixHash(text.hashes[i] ?? 0)));
  pushRuns(runs, index.runs, text, i);
}

function rowAt({ bits, rowOf, used }: RowIndex, hash: number): number {
  const bucket = hash >>> (32 - bits);
  return hasBit(used, bucket) ? (rowOf[bucket] ?? 0) : 0;
}

/** Ignores row 0, and ignores features beyond the maximum number. */
const push = (list: FeatureList, row: number): void => {
  if (row !== 0 && list.length < list.rows.length) list.rows[list.length++] = row;
};

/** Mixes the bits of a hash, so that its top bits can serve as a bucket number. */
const mixHash = (hash: number): number => Math.imul(hash ^ (hash >>> 15), SEED_MIX);

function pushRuns(runs: FeatureList, index: RowIndex, { letters, starts, ends }: Words, i: number): void {
  const start = (starts[i] ?? 0) - 1;
  const end = ends[i] ?? 0;
  let run = 0;
  for (let at = start; at <= end; at++) {
    run = nextRun(run, letters[at] ?? 0);
    if (at >= start + runLetters - 1) push(runs, rowAt(index, Math.imul(run, SEED_PAIR)));
  }
}
