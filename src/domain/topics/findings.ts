import { flags, type Lexicon, numberIn, type PhraseWord } from './lexicon.js';
import type { PhraseEnd, PhraseNode } from './phrase-tree.js';
import { hashWord, segmentWordsMax, type Words } from './tokens.js';

/** What the lexicon finds in one segment of a text. */
export interface Findings {
  /** Words `from` … `to - 1` of the text. */
  from: number;
  to: number;
  /** For each word its number in the lexicon; those behind the last are left over. */
  readonly numbers: Uint16Array;
  /** For each word, whether it is a feeling that a negation before it denies ("not stressed"): 1 or 0. */
  readonly denied: Uint8Array;
  /** Phrases that hold. */
  hits: PhraseEnd[];
  /** Whether it only greets, thanks, fills, or denies a feeling ("I'm not stressed right now"). */
  isSmallTalk: boolean;
}

/** Room for what is found in any segment. */
export function newFindings(): Findings {
  const [numbers, denied] = [new Uint16Array(segmentWordsMax), new Uint8Array(segmentWordsMax)];
  return { from: 0, to: 0, numbers, denied, hits: [], isSmallTalk: true };
}

/** Phrases that have begun, each by its place in three lists; laid out once, for the next to be written over the last. */
interface Threads {
  count: number;
  readonly nodes: PhraseNode[];
  readonly negated: boolean[];
  /** Words that may still be passed over. */
  readonly gapsLeft: number[];
}

const newThreads = (): Threads => ({ count: 0, nodes: [], negated: [], gapsLeft: [] });
/** Of the word before and of this one, by turns. */
let [threads, nextThreads] = [newThreads(), newThreads()];

/** `~` in a phrase stands for at most so many words (judgement). */
const GAP_WORDS_MAX = 4;
/** A negation reaches so many words ahead, "no" only one (judgement). */
const NEGATION_REACH = 3;
const wordNo = hashWord('no');
const inNoPhrase: PhraseWord = { openings: [], followers: [], followerBits: 0 };

/** Finds known words, phrases and denied feelings in words `from` … `to - 1`; written over what was found before. */
export function findInSegment(found: Findings, lexicon: Lexicon, words: Words, from: number, to: number): void {
  const hits: PhraseEnd[] = [];
  let areFillers = true;
  threads.count = 0;
  // How far a negation still reaches; a new "I" ends it ("I don't know, I'm sad").
  let reach = 0;
  for (let i = from; i < to; i++) {
    const number = numberIn(lexicon, words, i);
    const is = lexicon.flags[number] as number;
    if ((is & flags.firstPerson) !== 0) reach = 0;
    const isNegated = reach !== 0;
    const isDenied = isNegated && (is & flags.feeling) !== 0;
    found.numbers[i - from] = number;
    found.denied[i - from] = isDenied ? 1 : 0;
    areFillers &&= isDenied || (is & flags.filler) !== 0;
    if ((is & flags.inPhrases) !== 0) followPhrases(lexicon.inPhrases[number] as PhraseWord, isNegated, hits);
    else if (threads.count > 0) followPhrases(inNoPhrase, isNegated, hits);
    if ((is & flags.denial) !== 0) reach = words.hashes[i] === wordNo ? 1 : NEGATION_REACH;
    else if (isNegated) reach--;
  }
  found.from = from;
  found.to = to;
  found.hits = hits;
  found.isSmallTalk = areFillers && hits.length === 0;
}

/** One word further in the tree of phrases, from every word on. A denied event or state is no hit. */
function followPhrases({ openings, followers, followerBits }: PhraseWord, isNegated: boolean, hits: PhraseEnd[]): void {
  nextThreads.count = 0;
  for (let i = 0; i < threads.count; i++) {
    const node = threads.nodes[i] as PhraseNode;
    const wasNegated = threads.negated[i] as boolean;
    const gapLeft = (threads.gapsLeft[i] as number) - 1;
    if ((node.nextBits & followerBits) !== 0) step(node, followers, wasNegated, hits);
    if (gapLeft >= 0) goOn(node, wasNegated, gapLeft);
  }
  for (let i = 0; i < openings.length; i++) arrive(openings[i] as PhraseNode, isNegated, hits);
  const before = threads;
  threads = nextThreads;
  nextThreads = before;
}

function step({ next }: PhraseNode, followers: readonly number[], isNegated: boolean, hits: PhraseEnd[]): void {
  for (let i = 0; i < followers.length; i++) {
    const node = next.get(followers[i] as number);
    if (node !== undefined) arrive(node, isNegated, hits);
  }
}

function arrive(node: PhraseNode, isNegated: boolean, hits: PhraseEnd[]): void {
  for (let i = 0; i < node.ends.length; i++) {
    const end = node.ends[i] as PhraseEnd;
    if (!end.isDeniable || !isNegated) hits.push(end);
  }
  if (node.nextBits !== 0) goOn(node, isNegated, 0);
  if (node.gap !== undefined) goOn(node.gap, isNegated, GAP_WORDS_MAX);
}

function goOn(node: PhraseNode, isNegated: boolean, gapLeft: number): void {
  const at = nextThreads.count++;
  nextThreads.nodes[at] = node;
  nextThreads.negated[at] = isNegated;
  nextThreads.gapsLeft[at] = gapLeft;
}
