import { type BucketList, newBucketList, pushBucket } from './linear.js';
import { roles, spellings } from './message-words.js';
import { createTokenizer, hashNext, hashStart, hashWord, nextRun, runLetters, type Words } from './tokens.js';

/**
 * Features of a message for the head of safety, in three families: single words with pairs, triples and pairs around
 * another word. Runs of four letters within a word and its edges. Roles of words, with their pairs and triples.
 * Sentences do not matter, so that a message without punctuation has the same features.
 */
export type MessageFeatures = readonly [words: BucketList, runs: BucketList, roles: BucketList];

/** Features of a message for the head of severity: single words and pairs within a sentence, and runs of four letters. */
export type SentenceFeatures = readonly [words: BucketList, runs: BucketList];

/** Each family has 2^bits buckets. */
const BITS = 16;
export const messageBits = { severity: [BITS, BITS], safety: [BITS, BITS, BITS] } as const;
/** Maximum distance between two words whose roles form a pair. */
const ROLE_DISTANCE_MAX = 4;
/** Number of words that a negation denies. */
const DENIED_WORDS = 5;
/** Added to the role of a denied word. Larger than the number of roles. */
const DENIED_ROLE = 32;
/** Up to this distance, pairs of roles are close. */
const CLOSE_MAX = 2;

/** Kinds of features. They are part of the hash, so that equal numbers of different kinds fall into different buckets. */
const seed = {
  pair: 0x9e3779b1,
  mix: 0xc2b2ae35,
  triple: 0x1234567,
  skip: 0x777,
  close: 5,
  far: 9,
  roles: 77,
} as const;
const ROLE_PRIME = 127;
const SINGLE_ROLE_PRIME = 7919;

const spellingHashes = new Map(
  Object.entries(spellings).map(([word, others]) => [hashWord(word), others.split(' ').map(hashWord)]),
);
const negations = new Set(['not', 'never', 'no', 'without', 'nobody'].map(hashWord));
/** The number of the role of each word, from 1. */
const roleByHash = new Map(
  roles.flatMap((words, i) => words.split(' ').map((word) => [hashWord(word), i + 1] as const)),
);

/**
 * Returns a function that lists the features of a message. Each call overwrites the result of the previous call. A word
 * after a negation has another role, so that "not want to die" shares no role with "want to die".
 */
export function createMessageFeatures(): (text: Words) => MessageFeatures {
  const [words, runs, pairs] = [newBucketList(), newBucketList(), newBucketList()];
  const [hashes, numbers]: [number[], number[]] = [[], []];
  return (text) => {
    words.length = runs.length = pairs.length = hashes.length = numbers.length = 0;
    let denied = 0;
    for (let i = 0; i < text.count; i++) {
      const hash = text.hashes[i] ?? 0;
      for (const word of spellingHashes.get(hash) ?? [hash]) {
        const role = roleByHash.get(word) ?? 0;
        const isNegation = negations.has(word);
        hashes.push(word);
        numbers.push(role > 0 && denied > 0 && !isNegation ? role + DENIED_ROLE : role);
        denied = isNegation ? DENIED_WORDS : denied - 1;
      }
      pushRuns(runs, text, i);
    }
    for (let i = 0; i < hashes.length; i++) {
      pushWords(words, hashes, i);
      if (numbers[i] !== 0) pushRoles(pairs, numbers, i);
    }
    return [words, runs, pairs];
  };
}

/** Returns a function that lists the features of a message. Each call overwrites the result of the previous call. */
export function createSentenceFeatures(): (text: Words) => SentenceFeatures {
  const [words, runs] = [newBucketList(), newBucketList()];
  return (text) => {
    words.length = runs.length = 0;
    for (const { from, to } of text.sentences) {
      let before = 0;
      for (let i = from; i < to; i++) {
        const hash = text.hashes[i] ?? 0;
        push(words, hash);
        push(words, Math.imul(before, seed.pair) ^ hash);
        pushRuns(runs, text, i);
        before = hash;
      }
      push(words, Math.imul(before, seed.pair));
    }
    return [words, runs];
  };
}

function pushWords(words: BucketList, hashes: readonly number[], i: number): void {
  const [first = 0, second, third] = [hashes[i], hashes[i + 1], hashes[i + 2]];
  push(words, first);
  if (second === undefined) return;
  const pair = Math.imul(first, seed.pair) ^ second;
  push(words, pair);
  if (third === undefined) return;
  push(words, Math.imul(pair, seed.pair) ^ third ^ seed.triple);
  push(words, Math.imul(first, seed.pair) ^ Math.imul(third, seed.mix) ^ seed.skip);
}

function pushRoles(list: BucketList, numbers: readonly number[], i: number): void {
  const first = numbers[i] ?? 0;
  push(list, first * SINGLE_ROLE_PRIME + 1);
  for (let distance = 1; distance <= ROLE_DISTANCE_MAX; distance++) {
    const other = numbers[i + distance] ?? 0;
    const range = distance <= CLOSE_MAX ? seed.close : seed.far;
    if (other !== 0) push(list, Math.imul(first * ROLE_PRIME + other, seed.pair) ^ range);
  }
  if (i + 1 === numbers.length) return;
  const pair = Math.imul(first * ROLE_PRIME + (numbers[i + 1] ?? 0), seed.pair);
  push(list, Math.imul(pair ^ (numbers[i + 2] ?? 0), seed.pair) ^ seed.roles);
}

function pushRuns(runs: BucketList, { letters, starts, ends }: Words, i: number): void {
  const start = (starts[i] ?? 0) - 1;
  const end = ends[i] ?? 0;
  let run = 0;
  for (let at = start; at <= end; at++) {
    run = nextRun(run, letters[at] ?? 0);
    if (at >= start + runLetters - 1) push(runs, Math.imul(run, seed.pair));
  }
}

const push = (list: BucketList, hash: number): void =>
  pushBucket(list, Math.imul(hash ^ (hash >>> 15), seed.mix) >>> (32 - BITS));

/** A text whose features show a change of the tokenizer or of the features. */
const PROBE = "I can’t sleep… it's 3am, sooo WORRIED about the café?\nHelp me, I wanna die tonight!";

/** Returns a hash of the features of a probe and of the lists of words, so that weights of other features are rejected. */
export function fingerprintFeatures(): number {
  const lists = JSON.stringify([spellings, roles]);
  const words = createTokenizer().read(PROBE);
  const families = [...createSentenceFeatures()(words), ...createMessageFeatures()(words)];
  const buckets = families.flatMap((it) => [...it.buckets.subarray(0, it.length)]);
  return [hashWord(lists), ...buckets].reduce(hashNext, hashStart) >>> 0;
}
