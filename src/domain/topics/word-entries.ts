import type { TopicName } from './vocabulary.js';
import { wordClasses, type WordClass } from './word-classes.js';

/** What is known of a word. */
export interface WordEntry {
  /** Its place among the known words; {@link unknownWord} where only a beginning of it is known, or nothing. */
  readonly number: number;
  readonly classes: readonly number[];
  /** Where phrases that begin with it lead. */
  readonly openings: readonly PhraseNode[];
  /** What it can be further on in a phrase: word classes and words, by number. */
  readonly followers: readonly number[];
  /** A bit for each of them: {@link bitOf}. */
  readonly followerBits: number;
  readonly isFeeling: boolean;
  readonly isDenial: boolean;
  readonly isFirstPerson: boolean;
  /** Whether it names no topic by itself. */
  readonly isFiller: boolean;
}

export const unknownWord = -1;

/** A place in the tree of all phrases: the words so far are matched. */
export interface PhraseNode {
  readonly next: Map<number, PhraseNode>;
  /** A bit for each symbol that leads on. Shares none with a word that does not: spares most look-ups. */
  nextBits: number;
  /** Where `~` leads: some words may be passed over before the next one must match. */
  gap?: PhraseNode;
  readonly ends: PhraseEnd[];
}

/** A phrase that ends here. */
export interface PhraseEnd {
  readonly topic: TopicName;
  /** Its number in the vocabulary. */
  readonly number: number;
  /** Whether a negation before it denies it. */
  readonly isDeniable: boolean;
  /** How telling it is: its number of words, or HINT_POINTS for a hint. */
  readonly points: number;
}

export const classNames = Object.keys(wordClasses) as WordClass[];
export const classCount = classNames.length;
/** Number of a word class, 0 … classCount − 1. */
export const classId = (name: WordClass): number => classNames.indexOf(name);

const feelings = new Set((['stress', 'anxious', 'sad', 'anger', 'tired', 'lonely'] as const).map(classId));

/** All of one shape, which keeps the code that reads them fast. */
const makeEntry = (entry: Partial<WordEntry>): WordEntry => ({
  number: entry.number ?? unknownWord,
  classes: entry.classes ?? [],
  openings: entry.openings ?? [],
  followers: entry.followers ?? [],
  followerBits: entry.followerBits ?? 0,
  isFeeling: entry.isFeeling ?? false,
  isDenial: entry.isDenial ?? false,
  isFirstPerson: entry.isFirstPerson ?? false,
  isFiller: entry.isFiller ?? false,
});

export const emptyEntry: WordEntry = makeEntry({});

/** The entry of a known word. */
export const numberEntry = (entry: WordEntry, number: number, isFiller: boolean): WordEntry =>
  makeEntry({ ...entry, number, isFiller });

/** One of 32 bits, for symbols to be told apart at a glance. */
export const bitOf = (symbol: number): number => 1 << (symbol & 31);
const bitsOf = (symbols: readonly number[]): number => symbols.reduce((bits, symbol) => bits | bitOf(symbol), 0);

export function newEntry(symbols: readonly number[], root: PhraseNode, all: ReadonlySet<number>): WordEntry {
  const classes = symbols.filter((symbol) => symbol < classCount);
  const followers = symbols.filter((symbol) => all.has(symbol));
  return makeEntry({
    classes,
    openings: symbols.flatMap((symbol) => root.next.get(symbol) ?? []),
    followers,
    followerBits: bitsOf(followers),
    isFeeling: classes.some((id) => feelings.has(id)),
    isDenial: classes.includes(classId('denial')),
    isFirstPerson: classes.includes(classId('i')),
  });
}

/** Entry of a word that fits two beginnings, or a beginning and itself. */
export function mergeEntries(a: WordEntry, b: WordEntry): WordEntry {
  if (a === emptyEntry || b === emptyEntry) return a === emptyEntry ? b : a;
  return makeEntry({
    classes: [...new Set([...a.classes, ...b.classes])],
    openings: [...new Set([...a.openings, ...b.openings])],
    followers: [...new Set([...a.followers, ...b.followers])],
    followerBits: a.followerBits | b.followerBits,
    isFeeling: a.isFeeling || b.isFeeling,
    isDenial: a.isDenial || b.isDenial,
    isFirstPerson: a.isFirstPerson || b.isFirstPerson,
  });
}
