import { isSifted, type Lexicon } from './lexicon.js';
import { hashNext, hashStart, hashWord, type Words } from './tokens.js';
import { emptyEntry, mergeEntries, type PhraseEnd, type PhraseNode, type WordEntry } from './word-entries.js';

/** What the lexicon finds in one segment of a text. */
export interface Findings {
  /** Words `from` … `to - 1` of the text. */
  readonly from: number;
  readonly to: number;
  /** Word classes that occur, as often as they do; those of denied feelings left out. */
  readonly classes: readonly number[];
  /** Phrases that hold. */
  readonly hits: readonly PhraseEnd[];
  /** For each word from `from` on, whether it is a feeling that a negation before it denies ("not stressed"). */
  readonly denied: readonly boolean[];
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

/** Finds word classes, phrases and denied feelings in words `from` … `to - 1`. */
export function findInSegment(lexicon: Lexicon, words: Words, from: number, to: number): Findings {
  const classes: number[] = [];
  const hits: PhraseEnd[] = [];
  const denied: boolean[] = [];
  threads.count = 0;
  // How far a negation still reaches; a new "I" ends it ("I don't know, I'm sad").
  let reach = 0;
  for (let i = from; i < to; i++) {
    const entry = entryOf(lexicon, words, i);
    if (entry.isFirstPerson) reach = 0;
    const isNegated = reach !== 0;
    const isDenied = entry.isFeeling && isNegated;
    denied.push(isDenied);
    if (!isDenied) for (const id of entry.classes) classes.push(id);
    followPhrases(entry, isNegated, hits);
    if (entry.isDenial) reach = words.hashes[i] === wordNo ? 1 : NEGATION_REACH;
    else if (isNegated) reach--;
  }
  return { from, to, classes, hits, denied };
}

function entryOf({ exact, stems, sieve }: Lexicon, words: Words, i: number): WordEntry {
  const whole = exact.get(words.hashes[i] as number);
  if (whole !== undefined) return whole;
  let entry = emptyEntry;
  let hash = hashStart;
  const end = words.ends[i] as number;
  for (let at = words.starts[i] as number; at < end; at++) {
    hash = hashNext(hash, words.letters[at] as number);
    if (isSifted(sieve, hash)) entry = mergeEntries(entry, stems.get(hash) ?? emptyEntry);
  }
  return entry;
}

/** One word further in the tree of phrases, from every word on. A denied event or state is no hit. */
function followPhrases({ openings, followers, followerBits }: WordEntry, isNegated: boolean, hits: PhraseEnd[]): void {
  if (openings.length === 0 && threads.count === 0) return;
  nextThreads.count = 0;
  for (let i = 0; i < threads.count; i++) {
    const node = threads.nodes[i] as PhraseNode;
    const wasNegated = threads.negated[i] as boolean;
    const gapLeft = (threads.gapsLeft[i] as number) - 1;
    if ((node.nextBits & followerBits) !== 0) {
      for (const symbol of followers) {
        const next = node.next.get(symbol);
        if (next !== undefined) arrive(next, wasNegated, hits);
      }
    }
    if (gapLeft >= 0) goOn(node, wasNegated, gapLeft);
  }
  for (const node of openings) arrive(node, isNegated, hits);
  [threads, nextThreads] = [nextThreads, threads];
}

function arrive(node: PhraseNode, isNegated: boolean, hits: PhraseEnd[]): void {
  for (const end of node.ends) if (!end.isDeniable || !isNegated) hits.push(end);
  if (node.nextBits !== 0) goOn(node, isNegated, 0);
  if (node.gap !== undefined) goOn(node.gap, isNegated, GAP_WORDS_MAX);
}

function goOn(node: PhraseNode, isNegated: boolean, gapLeft: number): void {
  const at = nextThreads.count++;
  nextThreads.nodes[at] = node;
  nextThreads.negated[at] = isNegated;
  nextThreads.gapsLeft[at] = gapLeft;
}
