import { flags, type Lexicon } from './lexicon.js';
import { nowhere, type PhraseEnd, type PhraseTree, stepFrom } from './phrase-tree.js';
import { hashWord, type Words, wordsMax } from './tokens.js';

/** Matches of the lexicon in one segment of a text. */
export interface Findings {
  /** Words `from` … `to - 1` of the text. */
  from: number;
  to: number;
  /**
   * For each word of the text up to `to`: 1 if a preceding negation denies a feeling ("not stressed"), otherwise 0.
   */
  readonly denied: Uint8Array;
  /** True if a negation denies a feeling, and true if a feeling is not denied. */
  hasDeniedFeeling: boolean;
  hasFeeling: boolean;
  /** The phrases found. */
  hits: PhraseEnd[];
  /** True if the segment mentions the speaker: "I", "my", "me". */
  isFirstPerson: boolean;
  /**
   * True if the segment contains only greetings, thanks, fillers or a denied feeling ("I'm not stressed right now").
   */
  isSmallTalk: boolean;
}

/** Partial matches of phrases, as parallel lists. */
interface Threads {
  count: number;
  /** Node of each partial match in the phrase tree. */
  readonly places: Uint16Array;
  readonly negated: Uint8Array;
  /** Number of words that the partial match may still skip. */
  readonly gapsLeft: Uint8Array;
}

/**
 * Maximum number of concurrent partial matches. Normal text has a few. Hostile text may exceed the maximum. The latest
 * partial matches are then dropped.
 */
const THREADS_MAX = 4096;
const newThreads = (): Threads => ({
  count: 0,
  places: new Uint16Array(THREADS_MAX),
  negated: new Uint8Array(THREADS_MAX),
  gapsLeft: new Uint8Array(THREADS_MAX),
});

/** Maximum number of words that `~` in a phrase matches. Chosen by judgment. */
const GAP_WORDS_MAX = 4;
/** Number of following words that a negation covers. "No" covers one. Chosen by judgment. */
const NEGATION_REACH = 3;
const wordNo = hashWord('no');

/** Finds phrases and denied feelings in words `from` … `to - 1`. `numbers` are the lexicon's numbers of all words. */
export type Finder = (words: Words, numbers: Uint16Array, from: number, to: number) => Findings;

/** Returns a finder with memory for one text. Each call overwrites the result of the previous call, except `denied`. */
export function createFinder(lexicon: Lexicon): Finder {
  const denied = new Uint8Array(wordsMax);
  const nothing = { isFirstPerson: false, hasDeniedFeeling: false, hasFeeling: false, isSmallTalk: true };
  const found: Findings = { from: 0, to: 0, denied, hits: [], ...nothing };
  const follower = createFollower(lexicon);
  return (words, numbers, from, to) => {
    const hits = follower.restart();
    let [areFillers, isFirstPerson, hasDeniedFeeling, hasFeeling] = [true, false, false, false];
    // Number of further words that the last negation covers. A new "I" ends the negation ("I don't know, I'm sad").
    let reach = 0;
    for (let i = from; i < to; i++) {
      const number = numbers[i] ?? 0;
      const is = lexicon.flags[number] ?? 0;
      if ((is & flags.firstPerson) !== 0) [reach, isFirstPerson] = [0, true];
      const isNegated = reach !== 0;
      const isFeeling = (is & flags.feeling) !== 0;
      const isDenied = isNegated && isFeeling;
      hasDeniedFeeling ||= isDenied;
      hasFeeling ||= isFeeling && !isDenied;
      denied[i] = isDenied ? 1 : 0;
      areFillers &&= isDenied || (is & flags.filler) !== 0;
      follower.follow(number, isNegated ? 1 : 0, (is & flags.inPhrases) !== 0);
      if ((is & flags.denial) !== 0) reach = words.hashes[i] === wordNo ? 1 : NEGATION_REACH;
      else if (isNegated) reach--;
    }
    found.from = from;
    found.to = to;
    found.hits = hits;
    found.isFirstPerson = isFirstPerson;
    found.hasDeniedFeeling = hasDeniedFeeling;
    found.hasFeeling = hasFeeling;
    found.isSmallTalk = areFillers && hits.length === 0;
    return found;
  };
}

/** Returns functions that match all phrases of the tree in one pass. A negated event or state does not match. */
function createFollower(lexicon: Lexicon) {
  const { phrases, openings, followers } = lexicon;
  let [threads, next] = [newThreads(), newThreads()];
  let hits: PhraseEnd[] = [];

  const goOn = (place: number, isNegated: number, gapLeft: number): void => {
    if (next.count === THREADS_MAX) return;
    const at = next.count++;
    next.places[at] = place;
    next.negated[at] = isNegated;
    next.gapsLeft[at] = gapLeft;
  };
  const arrive = (place: number, isNegated: number): void => {
    pushEnds(hits, phrases, place, isNegated);
    if (phrases.nextBits[place] !== 0) goOn(place, isNegated, 0);
    const gap = phrases.gaps[place] ?? nowhere;
    if (gap !== nowhere) goOn(gap, isNegated, GAP_WORDS_MAX);
  };
  const step = (from: number, number: number, isNegated: number): void => {
    const end = followers.starts[number + 1] ?? 0;
    for (let i = followers.starts[number] ?? 0; i < end; i++) {
      const place = stepFrom(phrases, from, followers.items[i] ?? 0);
      if (place !== nowhere) arrive(place, isNegated);
    }
  };
  return {
    /** Starts a segment. Returns the list that collects its matches. */
    restart(): PhraseEnd[] {
      threads.count = 0;
      return (hits = []);
    },
    /** Advances every partial match by one word and starts the phrases that begin with this word. */
    follow(number: number, isNegated: number, isInPhrases: boolean): void {
      if (threads.count === 0 && !isInPhrases) return;
      const bits = lexicon.followerBits[number] ?? 0;
      next.count = 0;
      for (let i = 0; i < threads.count; i++) {
        const place = threads.places[i] ?? nowhere;
        const wasNegated = threads.negated[i] ?? 0;
        const gapLeft = threads.gapsLeft[i] ?? 0;
        if (((phrases.nextBits[place] ?? 0) & bits) !== 0) step(place, number, wasNegated);
        if (gapLeft > 0) goOn(place, wasNegated, gapLeft - 1);
      }
      const end = openings.starts[number + 1] ?? 0;
      for (let i = openings.starts[number] ?? 0; i < end; i++) arrive(openings.items[i] ?? nowhere, isNegated);
      [threads, next] = [next, threads];
    },
  };
}

function pushEnds(hits: PhraseEnd[], { endsAt, ends }: PhraseTree, place: number, isNegated: number): void {
  const last = endsAt.starts[place + 1] ?? 0;
  for (let i = endsAt.starts[place] ?? 0; i < last; i++) {
    const end = ends[endsAt.items[i] ?? 0];
    if (end && (!end.isDeniable || isNegated === 0)) hits.push(end);
  }
}
