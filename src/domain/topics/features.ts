import type { Findings } from './findings.js';
import { segmentWordsMax, wordLettersMax, type Words } from './tokens.js';
import { classCount } from './word-entries.js';

/** Features of a segment in three families, which are weighed and scaled apart. Reused from segment to segment. */
export interface Features {
  /** Hashes of words and pairs of words. */
  readonly words: FeatureList;
  /** Hashes of runs of letters inside words. */
  readonly runs: FeatureList;
  /** Numbers of word classes and of phrases' topics, shifted to the top of 32 bits. */
  readonly lexicon: FeatureList;
}

export interface FeatureList {
  length: number;
  /** The first `length` items count; what stands behind is left over. An item too many for the room is dropped. */
  readonly items: Uint32Array;
}

const RUN_LETTERS = 4;
const SEED_PAIR = 0x9e3779b1;
const SEED_MIX = 0xc2b2ae35;
const SEED_DENIED = 0x85ebca6b;
/** Classes and phrases found in one segment of at most 48 words; seldom more than 200. */
const LEXICON_ROOM = 1024;
/** Numbers for all word classes, and behind them topics. */
export const lexiconBits = 8;

/** Room for the features of any segment. */
export function newFeatures(): Features {
  const list = (room: number): FeatureList => ({ length: 0, items: new Uint32Array(room) });
  return {
    words: list(2 * segmentWordsMax + 1),
    runs: list(segmentWordsMax * wordLettersMax),
    lexicon: list(LEXICON_ROOM),
  };
}

/** Writes the features of one segment over those of the segment before. All repeat as in the text. */
export function fillFeatures({ words, runs, lexicon }: Features, text: Words, found: Findings): void {
  words.length = runs.length = lexicon.length = 0;
  let previous = 0;
  for (let i = found.from; i < found.to; i++) {
    const isDenied = found.denied[i - found.from] === true;
    const word = (text.hashes[i] as number) ^ (isDenied ? SEED_DENIED : 0);
    push(words, mixHash(word));
    push(words, mixHash(Math.imul(previous, SEED_PAIR) ^ word));
    previous = word;
    if (!isDenied) pushRuns(runs, text, i);
  }
  push(words, mixHash(Math.imul(previous, SEED_PAIR)));
  const top = 32 - lexiconBits;
  for (const id of found.classes) push(lexicon, id << top);
  for (const { number } of found.hits) push(lexicon, (classCount + number) << top);
}

const push = (list: FeatureList, item: number): void => {
  if (list.length < list.items.length) list.items[list.length++] = item;
};

/** Spreads a hash's bits, so that its top bits can serve as a bucket number. */
const mixHash = (hash: number): number => Math.imul(hash ^ (hash >>> 15), SEED_MIX);

/** Four letters of five bits each make a run's number. */
const LETTER_BITS = 5;
const LETTER_MASK = 2 ** LETTER_BITS - 1;
const RUN_MASK = 2 ** (RUN_LETTERS * LETTER_BITS) - 1;

function pushRuns(runs: FeatureList, { letters, starts, ends }: Words, i: number): void {
  const start = (starts[i] as number) - 1;
  const end = ends[i] as number;
  let run = 0;
  for (let at = start; at <= end; at++) {
    run = ((run << LETTER_BITS) | ((letters[at] as number) & LETTER_MASK)) & RUN_MASK;
    if (at >= start + RUN_LETTERS - 1) push(runs, Math.imul(run, SEED_PAIR));
  }
}
