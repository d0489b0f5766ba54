import {
  deniedFeeling,
  formBits,
  formByEnding,
  formClassNames,
  fullStop,
  noForm,
  questionMark,
  sentenceStart,
} from './forms.js';
import { type BucketList, clear, newBucketList, pushBucket } from './buckets.js';
import { isDangerWord } from './danger-patterns.js';
import { createFinder, type Findings } from './findings.js';
import { gramBits, pushGrams } from './grams.js';
import type { Lexicon } from './lexicon.js';
import { phrasePointsMin } from './phrase-tree.js';
import { createTextReader, type ReadText } from './spelling.js';
import { createTokenizer, hashWord, marks, nextRun, runLetters, type Sentence, type Words } from './tokens.js';
import { listWindows, type Window } from './windows.js';

/**
 * Features of a message. Three families of hashed features: `forms` (single word forms, pairs and triples of forms, and facts
 * about each sentence), `words` (single words, denied words of danger, and runs of letters inside words), and `grams` (see
 * {@link pushGrams}). All heads read forms and words: the concern gate, severity and safety. Only safety reads grams.
 */
export type MessageFeatures = readonly [forms: BucketList, words: BucketList, grams: BucketList];

/** Forms and words have 2^bits buckets each. */
export const messageBits = 15;
/** The bits of each family. */
export const familyBits = [messageBits, messageBits, gramBits] as const;
const LENGTH_STEPS = [4, 8, 16, 32];
/** Number of words after a negation in which a word of danger is denied: "I do not want to kill myself". */
const DENIED_WORDS = 5;
const negations = new Set('not never no dont didnt wont wouldnt isnt without nobody'.split(' ').map(hashWord));

/**
 * Kinds of features. They are part of the hash, so that equal numbers of different kinds fall into different buckets.
 */
const kind = { one: 1, two: 2, three: 3, skip: 4, fact: 5, word: 6, run: 7, denied: 8 } as const;
const classTotal = formClassNames.length;
const markCount = Object.keys(marks).length;
/** Numbers of the facts about a sentence: three ranges with one number per class, then single facts. */
const fact = {
  hasClass: 0,
  classWithFirstPerson: 32,
  classWithoutFirstPerson: 64,
  myPerson: 96,
  myLife: 97,
  firstPerson: 98,
  noFirstPerson: 99,
  opensInstruction: 100,
  textOpensInstruction: 101,
  isNamed: 102,
  isNamedInFirstPerson: 103,
  length: 104,
  mark: 112,
  isDenied: 120,
} as const;

/** A text: its words, and what {@link addFindings} adds per segment. */
export interface MessageText {
  readonly read: ReadText;
  /** True if a phrase names a topic, and true if one does so in a segment with a first-person word. */
  isNamed: boolean;
  isNamedInFirstPerson: boolean;
  /** For each word: 1 if a negation denies it, otherwise 0. */
  denied: Uint8Array;
  /** True if a negation denies a feeling, and true if a feeling is not denied. */
  hasDeniedFeeling: boolean;
  hasFeeling: boolean;
}

const nothingDenied = new Uint8Array();

export const toMessageText = (read: ReadText): MessageText => ({
  read,
  denied: nothingDenied,
  isNamed: false,
  isNamedInFirstPerson: false,
  hasDeniedFeeling: false,
  hasFeeling: false,
});

export function addFindings(text: MessageText, found: Findings): void {
  const { hits, isFirstPerson, hasDeniedFeeling, hasFeeling, denied } = found;
  const isNamed = hits.some(({ points }) => points >= phrasePointsMin);
  text.isNamed ||= isNamed;
  text.isNamedInFirstPerson ||= isNamed && isFirstPerson;
  text.denied = denied;
  text.hasDeniedFeeling ||= hasDeniedFeeling;
  text.hasFeeling ||= hasFeeling;
}

/** Features of a sentence in buffers that later sentences reuse: the first `length` buckets of each family, each of them once. */
export type SentenceFeatures = readonly [forms: Buffered, words: Buffered, grams: Buffered];
interface Buffered {
  length: number;
  buckets: Uint32Array;
}

export const newSentenceFeatures = (): SentenceFeatures => [newBuffered(), newBuffered(), newBuffered()];
const newBuffered = (): Buffered => ({ length: 0, buckets: new Uint32Array() });

/** Lists the features of a text by its sentences. */
export interface FeatureReader {
  readSentence(it: MessageText, sentence: Sentence, into: SentenceFeatures): void;
  /** Writes the buckets of the facts about a window as a whole. Returns their number. */
  readFacts(it: MessageText, window: Window, into: Uint32Array): number;
}

/** Returns a reader with its own memory. `known` are the known words in the order of their ranks: see {@link createTextReader}. */
export function createFeatureReader(lexicon: Lexicon, known: readonly string[]): FeatureReader {
  const [forms, words, grams] = newBucketLists();
  const lists = { lexicon, forms, words, listRuns: createRunLister(known) };
  return {
    readSentence(it, sentence, into) {
      for (const list of [forms, words, grams]) clear(list);
      pushSentence(lists, it, sentence);
      pushGrams(grams, it.read.words, sentence);
      [forms, words, grams].forEach((list, family) => copyBuckets(list, into[family as 0 | 1 | 2]));
    },
    readFacts(it, window, into) {
      const facts = listTextFacts(lexicon, it, window);
      for (let i = 0; i < facts.length; i++) into[i] = findBucket(kind.fact, facts[i] ?? 0, 0, 0);
      return facts.length;
    },
  };
}

const newBucketLists = (): MessageFeatures => [
  newBucketList(messageBits),
  newBucketList(messageBits),
  newBucketList(gramBits),
];

function copyBuckets({ length, buckets }: BucketList, into: Buffered): void {
  if (into.buckets.length < length) into.buckets = new Uint32Array(2 * length);
  for (let i = 0; i < length; i++) into.buckets[i] = buckets[i] ?? 0;
  into.length = length;
}

export const toWholeWindow = ({ read: { words } }: MessageText): Window => ({
  sentences: words.sentences,
  from: 0,
  to: words.count,
});

/** What lists the features of a sentence. */
interface FeatureLists {
  readonly lexicon: Lexicon;
  readonly forms: BucketList;
  readonly words: BucketList;
  /** Returns the buckets of the runs of letters in a known word, by its rank. */
  readonly listRuns: (rank: number) => readonly number[];
}

/** Hashes each word once, from the list of known words: a text cannot choose what later texts get. */
function createRunLister(known: readonly string[]): FeatureLists['listRuns'] {
  const [own, tokenizer, byRank] = [
    newBucketList(messageBits),
    createTokenizer(),
    new Array<number[]>(known.length + 1),
  ];
  return (rank) => {
    const listed = byRank[rank];
    if (listed) return listed;
    clear(own);
    pushRuns(own, tokenizer.read(known[rank - 1] ?? ''), 0);
    return (byRank[rank] = [...own.buckets.subarray(0, own.length)]);
  };
}

/** Lists the features of a text. Calls `onWindow` with those of each window of several. Each list overwrites the one before. */
export type ReadMessage = (text: string, onWindow?: (features: MessageFeatures) => void) => MessageFeatures;

/** Returns a function that lists the features of a text, for training. */
export function createMessageReader(lexicon: Lexicon, vocabulary: readonly string[]): ReadMessage {
  const reader = createTextReader(lexicon, vocabulary);
  const find = createFinder(lexicon);
  const features = createFeatureReader(lexicon, reader.known);
  const lists = newBucketLists();
  const [forms] = lists;
  const [sentenceFeatures, facts] = [newSentenceFeatures(), new Uint32Array(2 ** messageBits)];
  const listFeatures = (text: MessageText, window: Window): MessageFeatures => {
    lists.forEach(clear);
    for (const sentence of window.sentences) {
      features.readSentence(text, sentence, sentenceFeatures);
      sentenceFeatures.forEach(({ length, buckets }, family) => {
        for (const bucket of buckets.subarray(0, length)) pushBucket(lists[family as 0 | 1 | 2], bucket);
      });
    }
    const count = features.readFacts(text, window, facts);
    for (const bucket of facts.subarray(0, count)) forms.buckets[forms.length++] = bucket;
    return lists;
  };
  return (content, onWindow) => {
    const text = toMessageText(reader.read(content));
    const { words: read, numbers } = text.read;
    read.segmentEnds.forEach((to, i) => addFindings(text, find(read, numbers, read.segmentEnds[i - 1] ?? 0, to)));
    if (onWindow && read.sentences.length > 1)
      for (const window of listWindows(read, 0)) onWindow(listFeatures(text, window));
    return listFeatures(text, toWholeWindow(text));
  };
}

function pushSentence(lists: FeatureLists, { read, denied }: MessageText, it: Sentence): void {
  const { lexicon, forms } = lists;
  const { words: text, numbers } = read;
  let [bits, before, last, reach] = [0, noForm, sentenceStart, 0];
  pushBucket(forms, findBucket(kind.one, last, 0, 0));
  for (let i = it.from; i <= it.to; i++) {
    const number = i < it.to ? (numbers[i] ?? 0) : 0;
    let form: number = it.isQuestion ? questionMark : fullStop;
    if (i < it.to && denied[i] === 1) form = deniedFeeling;
    else if (i < it.to) {
      form = (lexicon.forms[number] ?? noForm) || formByEnding(text, i);
      bits |= lexicon.formBits[number] ?? 0;
      const hash = text.hashes[i] ?? 0;
      const isNegation = negations.has(hash);
      pushWord(lists, read, i, !isNegation && reach > 0 && isDangerWord(hash));
      reach = isNegation ? DENIED_WORDS : reach - 1;
    }
    pushBucket(forms, findBucket(kind.one, form, 0, 0));
    pushBucket(forms, findBucket(kind.two, last, form, 0));
    if (i > it.from) {
      pushBucket(forms, findBucket(kind.three, before, last, form));
      pushBucket(forms, findBucket(kind.skip, before, form, 0));
    }
    before = last;
    last = form;
  }
  const opens = ((lexicon.formBits[numbers[it.from] ?? 0] ?? 0) & formBits.opensInstruction) !== 0;
  pushFacts(forms, bits, opens);
}

function pushWord({ words, listRuns }: FeatureLists, read: ReadText, i: number, isDenied: boolean): void {
  const rank = read.ranks[i] ?? 0;
  const hash = read.words.hashes[i] ?? 0;
  pushBucket(words, findBucket(kind.word, hash, 0, 0));
  if (isDenied) pushBucket(words, findBucket(kind.denied, hash, 0, 0));
  if (rank === 0) pushRuns(words, read.words, i);
  else for (const bucket of listRuns(rank)) pushBucket(words, bucket);
}

function pushRuns(list: BucketList, { letters, starts, ends }: Words, i: number): void {
  const first = (starts[i] ?? 0) - 1;
  const last = ends[i] ?? 0;
  let run = 0;
  for (let at = first; at <= last; at++) {
    run = nextRun(run, letters[at] ?? 0);
    if (at >= first + runLetters - 1) pushBucket(list, findBucket(kind.run, run, 0, 0));
  }
}

function pushFacts(forms: BucketList, bits: number, opensInstruction: boolean): void {
  const isFirstPerson = (bits & formBits.firstPerson) !== 0;
  const classBase = isFirstPerson ? fact.classWithFirstPerson : fact.classWithoutFirstPerson;
  for (let id = 0; id < classTotal; id++) {
    if ((bits & (1 << id)) === 0) continue;
    pushFact(forms, fact.hasClass + id);
    pushFact(forms, classBase + id);
  }
  if ((bits & formBits.my) !== 0 && (bits & formBits.person) !== 0) pushFact(forms, fact.myPerson);
  if ((bits & formBits.my) !== 0 && (bits & formBits.life) !== 0) pushFact(forms, fact.myLife);
  pushFact(forms, isFirstPerson ? fact.firstPerson : fact.noFirstPerson);
  if (opensInstruction) pushFact(forms, fact.opensInstruction);
}

/**
 * Returns the numbers of the facts about a window as a whole: its length, the marks of the text, whether it begins with an
 * instruction, and whether the text names a topic or denies its feelings.
 */
function listTextFacts(lexicon: Lexicon, it: MessageText, { from, to }: Window): number[] {
  const { words: text, numbers } = it.read;
  const facts = [fact.length + LENGTH_STEPS.filter((step) => to - from >= step).length];
  const opens = ((lexicon.formBits[numbers[from] ?? 0] ?? 0) & formBits.opensInstruction) !== 0;
  if (opens && to > from) facts.push(fact.textOpensInstruction);
  if (it.isNamed) facts.push(fact.isNamed);
  if (it.hasDeniedFeeling && !it.hasFeeling) facts.push(fact.isDenied);
  if (it.isNamedInFirstPerson) facts.push(fact.isNamedInFirstPerson);
  for (let bit = 0; bit < markCount; bit++) if ((text.marks & (1 << bit)) !== 0) facts.push(fact.mark + bit);
  return facts;
}

const pushFact = (forms: BucketList, number: number): void => pushBucket(forms, findBucket(kind.fact, number, 0, 0));

const MIX = 0x9e3779b1;
const STIR = 0xc2b2ae35;

function findBucket(kind: number, a: number, b: number, c: number): number {
  let hash = Math.imul(kind ^ Math.imul(a, MIX), STIR);
  hash = Math.imul(hash ^ (hash >>> 15) ^ b, MIX);
  hash = Math.imul(hash ^ (hash >>> 13) ^ Math.imul(c, STIR), STIR);
  return (hash ^ (hash >>> 16)) >>> (32 - messageBits);
}
