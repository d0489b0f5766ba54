import { flags, type Lexicon, numberIn } from './lexicon.js';
import { nowhere, type PhraseEnd, type PhraseTree, stepFrom } from './phrase-tree.js';
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
  /** How far each has come in the tree. */
  readonly places: Uint16Array;
  readonly negated: Uint8Array;
  /** Words that may still be passed over. */
  readonly gapsLeft: Uint8Array;
}

/** Talk has a few at a time; what is made to have more loses the latest. */
const THREADS_MAX = 4096;
const newThreads = (): Threads => ({
  count: 0,
  places: new Uint16Array(THREADS_MAX),
  negated: new Uint8Array(THREADS_MAX),
  gapsLeft: new Uint8Array(THREADS_MAX),
});
/** Of the word before and of this one, by turns. */
let [threads, nextThreads] = [newThreads(), newThreads()];

/** `~` in a phrase stands for at most so many words (judgement). */
const GAP_WORDS_MAX = 4;
/** A negation reaches so many words ahead, "no" only one (judgement). */
const NEGATION_REACH = 3;
const wordNo = hashWord('no');

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
    if (threads.count > 0 || (is & flags.inPhrases) !== 0) followPhrases(lexicon, number, isNegated ? 1 : 0, hits);
    if ((is & flags.denial) !== 0) reach = words.hashes[i] === wordNo ? 1 : NEGATION_REACH;
    else if (isNegated) reach--;
  }
  found.from = from;
  found.to = to;
  found.hits = hits;
  found.isSmallTalk = areFillers && hits.length === 0;
}

/** One word further in the tree of phrases, from every word on. A denied event or state is no hit. */
function followPhrases(lexicon: Lexicon, number: number, isNegated: number, hits: PhraseEnd[]): void {
  const { phrases, openings } = lexicon;
  const followerBits = lexicon.followerBits[number] as number;
  nextThreads.count = 0;
  for (let i = 0; i < threads.count; i++) {
    const place = threads.places[i] as number;
    const wasNegated = threads.negated[i] as number;
    const gapLeft = threads.gapsLeft[i] as number;
    if (((phrases.nextBits[place] as number) & followerBits) !== 0) step(lexicon, place, number, wasNegated, hits);
    if (gapLeft > 0) goOn(place, wasNegated, gapLeft - 1);
  }
  const end = openings.starts[number + 1] as number;
  for (let i = openings.starts[number] as number; i < end; i++)
    arrive(phrases, openings.items[i] as number, isNegated, hits);
  const before = threads;
  threads = nextThreads;
  nextThreads = before;
}

function step(
  { phrases, followers }: Lexicon,
  from: number,
  number: number,
  isNegated: number,
  hits: PhraseEnd[],
): void {
  const end = followers.starts[number + 1] as number;
  for (let i = followers.starts[number] as number; i < end; i++) {
    const place = stepFrom(phrases, from, followers.items[i] as number);
    if (place !== nowhere) arrive(phrases, place, isNegated, hits);
  }
}

function arrive(
  { nextBits, gaps, endsAt, ends }: PhraseTree,
  place: number,
  isNegated: number,
  hits: PhraseEnd[],
): void {
  const last = endsAt.starts[place + 1] as number;
  for (let i = endsAt.starts[place] as number; i < last; i++) {
    const end = ends[endsAt.items[i] as number] as PhraseEnd;
    if (!end.isDeniable || isNegated === 0) hits.push(end);
  }
  if (nextBits[place] !== 0) goOn(place, isNegated, 0);
  if (gaps[place] !== nowhere) goOn(gaps[place] as number, isNegated, GAP_WORDS_MAX);
}

function goOn(place: number, isNegated: number, gapLeft: number): void {
  if (nextThreads.count === THREADS_MAX) return;
  const at = nextThreads.count++;
  nextThreads.places[at] = place;
  nextThreads.negated[at] = isNegated;
  nextThreads.gapsLeft[at] = gapLeft;
}
