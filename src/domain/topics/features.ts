import { type BitSet, hasBit } from './bit-set.js';
import type { Findings } from './findings.js';
import { type Lexicon, unknown } from './lexicon.js';
import { segmentWordsMax, wordLettersMax, type Words } from './tokens.js';
import { classCount } from './word-classes.js';

/** Features of a segment in three families, which are weighed and scaled apart. Reused from segment to segment. */
export interface Features {
  /** Words and pairs of words. */
  readonly words: FeatureList;
  /** Runs of letters inside words. */
  readonly runs: FeatureList;
  /** Word classes and phrases' topics. */
  readonly lexicon: FeatureList;
}

export interface FeatureList {
  length: number;
  /**
   * The rows of the family's weights that the features have, as often as they occur; those that have none are left out.
   * The first `length` count, what stands behind is left over. One too many for the room is dropped.
   */
  readonly rows: Uint32Array;
}

/** Where the rows of features are. */
export type RowIndexes = Readonly<Record<keyof Features, RowIndex>>;

export interface FeatureIndex extends RowIndexes {
  /** Rows of the lexicon's known words, by their number, so that most words of a text need not be taken apart; 0 has none. */
  readonly known: KnownRows;
}

export type KnownRows = Readonly<Record<'words' | 'runs', Uint16Array>>;
/** Every word is taken apart. */
export const noKnownRows: KnownRows = { words: new Uint16Array(), runs: new Uint16Array() };

/** A feature's hash falls into the bucket of its top bits; each bucket has a row, 0 those that are not used. */
export interface RowIndex {
  readonly bits: number;
  readonly rowOf: Uint16Array | Uint32Array;
  /** The buckets that have a row; spares most look-ups. */
  readonly used: BitSet;
}

const RUN_LETTERS = 4;
const SEED_PAIR = 0x9e3779b1;
const SEED_MIX = 0xc2b2ae35;
const SEED_DENIED = 0x85ebca6b;
/** Numbers for all word classes, and behind them topics. */
export const lexiconBits = 8;

const newList = (room: number): FeatureList => ({ length: 0, rows: new Uint32Array(room) });

/** Room for the features of any segment. */
export function newFeatures(): Features {
  return {
    words: newList(2 * segmentWordsMax + 1),
    runs: newList(segmentWordsMax * wordLettersMax),
    lexicon: newList(2 ** lexiconBits),
  };
}

/**
 * Writes the features of one segment over those of the segment before. Words and runs repeat as in the text; classes and
 * topics count once.
 */
export function fillFeatures(
  { words, runs, lexicon }: Features,
  index: FeatureIndex,
  { classes }: Lexicon,
  text: Words,
  found: Findings,
): void {
  words.length = runs.length = lexicon.length = 0;
  seen.fill(0);
  const { known } = index;
  let previous = 0;
  for (let i = found.from; i < found.to; i++) {
    const number = found.numbers[i - found.from] as number;
    const isDenied = found.denied[i - found.from] === 1;
    const word = (text.hashes[i] as number) ^ (isDenied ? SEED_DENIED : 0);
    push(words, rowAt(index.words, mixHash(Math.imul(previous, SEED_PAIR) ^ word)));
    previous = word;
    if (isDenied) {
      push(words, rowAt(index.words, mixHash(word)));
      continue;
    }
    if (number !== unknown && number < known.words.length) {
      push(words, known.words[number] as number);
      push(runs, known.runs[number] as number);
    } else pushWord(words, runs, index, text, i);
    const end = classes.starts[number + 1] as number;
    for (let at = classes.starts[number] as number; at < end; at++)
      pushOnce(lexicon, index.lexicon, classes.items[at] as number);
  }
  push(words, rowAt(index.words, mixHash(Math.imul(previous, SEED_PAIR))));
  for (const { number } of found.hits) pushOnce(lexicon, index.lexicon, classCount + number);
}

/** A word by itself, and its runs. */
export function pushWord(words: FeatureList, runs: FeatureList, index: RowIndexes, text: Words, i: number): void {
  push(words, rowAt(index.words, mixHash(text.hashes[i] as number)));
  pushRuns(runs, index.runs, text, i);
}

/** Scratch: the classes and topics of this segment so far. */
const seen = new Uint8Array(2 ** lexiconBits);

function pushOnce(list: FeatureList, index: RowIndex, id: number): void {
  if (seen[id] === 0) push(list, index.rowOf[id] as number);
  seen[id] = 1;
}

function rowAt({ bits, rowOf, used }: RowIndex, hash: number): number {
  const bucket = hash >>> (32 - bits);
  return hasBit(used, bucket) ? (rowOf[bucket] as number) : 0;
}

const push = (list: FeatureList, row: number): void => {
  if (row !== 0 && list.length < list.rows.length) list.rows[list.length++] = row;
};

/** Spreads a hash's bits, so that its top bits can serve as a bucket number. */
const mixHash = (hash: number): number => Math.imul(hash ^ (hash >>> 15), SEED_MIX);

/** Four letters of five bits each make a run's number. */
const LETTER_BITS = 5;
const LETTER_MASK = 2 ** LETTER_BITS - 1;
const RUN_MASK = 2 ** (RUN_LETTERS * LETTER_BITS) - 1;

function pushRuns(runs: FeatureList, index: RowIndex, { letters, starts, ends }: Words, i: number): void {
  const start = (starts[i] as number) - 1;
  const end = ends[i] as number;
  let run = 0;
  for (let at = start; at <= end; at++) {
    run = ((run << LETTER_BITS) | ((letters[at] as number) & LETTER_MASK)) & RUN_MASK;
    if (at >= start + RUN_LETTERS - 1) push(runs, rowAt(index, Math.imul(run, SEED_PAIR)));
  }
}
