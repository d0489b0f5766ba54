import { type BucketList, pushBucket } from './buckets.js';
import type { Sentence, Words } from './tokens.js';

/** The family has 2^bits buckets. */
export const gramBits = 18;
const LETTER_BITS = 5;
/** Lengths of the runs of letters, as masks over the packed letters. */
const runMasks = [4, 5].map((letters) => 2 ** (letters * LETTER_BITS) - 1);
const LETTER_MASK = 2 ** LETTER_BITS - 1;
/** Maximum number of words of a run of words. */
const WORDS_MAX = 3;
const MIX = 0x9e3779b1;
const STIR = 0xc2b2ae35;

/**
 * Adds the runs of a sentence: one to three words as they are corrected, and three to five letters as they are typed, also
 * across words. They hold what other features lose: the order of words, and spellings of slang, dialects and typos.
 */
export function pushGrams(list: BucketList, words: Words, sentence: Sentence): void {
  pushWordRuns(list, words, sentence);
  pushLetterRuns(list, words, sentence);
}

function pushWordRuns(list: BucketList, { hashes }: Words, { from, to }: Sentence): void {
  for (let start = from; start < to; start++) {
    let run = 0;
    for (let i = start; i < Math.min(to, start + WORDS_MAX); i++) {
      run = Math.imul(run ^ (run >>> 15) ^ (hashes[i] ?? 0), MIX);
      if (i > start) pushBucket(list, toBucket(run));
    }
  }
}

function pushLetterRuns(list: BucketList, { letters, starts, ends }: Words, { from, to }: Sentence): void {
  let run = 0;
  // The edge marks before the first and after the last word belong to the runs.
  for (let at = (starts[from] ?? 1) - 1; at <= (ends[to - 1] ?? 0); at++) {
    run = (run << LETTER_BITS) | ((letters[at] ?? 0) & LETTER_MASK);
    for (let k = 0; k < runMasks.length; k++)
      pushBucket(list, toBucket(Math.imul((run & (runMasks[k] ?? 0)) ^ (k << 30), MIX)));
  }
}

function toBucket(run: number): number {
  const hash = Math.imul(run ^ (run >>> 16), STIR);
  return (hash ^ (hash >>> 15)) >>> (32 - gramBits);
}
