import { dangerWords } from './danger-patterns.js';
import { compileForms, endings, formClasses, functionWords, openingVerbs } from './forms.js';
import { allPhrases, toBits, nowhere, type PhraseTree, plantPhrases, root, stepFrom } from './phrase-tree.js';
import {
  type BitSet,
  buildWordTable,
  hasBit,
  type Lists,
  newBitSet,
  findNumber,
  toLists,
  type WordTable,
} from './tables.js';
import { hashNext, hashStart, hashWord, type Words } from './tokens.js';
import { type WordClass, wordClasses } from './word-classes.js';

const classNames = Object.keys(wordClasses) as WordClass[];
export const classCount = classNames.length;
/** Returns the number of a word class, 0 … classCount − 1. */
const classId = (name: WordClass): number => classNames.indexOf(name);

const feelings: ReadonlySet<number> = new Set(
  (['stress', 'anxious', 'sad', 'anger', 'tired', 'lonely'] as const).map(classId),
);
const denials = classId('denial');
const firstPerson = classId('i');

/**
 * Words that name no topic: greetings, pleasantries, function words, and words about the conversation. Chosen by
 * judgment.
 */
const words =
  'out off over away around about hi hello hey hiya heya greetings good morning afternoon evening night bye goodbye goodnight later thanks ' +
  'thank thankyou thx ty welcome ok okay k kk yes yeah yep yup ya no nope nah sure cool alright right fine well ' +
  'great nice lol haha hehe hmm um uh oh ah wow sorry please hope glad happy awesome perfect excellent a an the ' +
  'and or but so very really too much many more just also still even only quite pretty bit little lot is are am ' +
  'was were be been being do does did done doing have has had get got go going gonna it its that thats this these ' +
  'those there here in on at to of for from with by as if then than now today tonight yesterday tomorrow lately ' +
  'recently currently moment day week weekend time i im ive id ill me my you u ur your youre we us our he she him ' +
  'her they them who what whats how why when where which can could would should will may might let lets want ' +
  'wanna need like know knew think thought guess mean say said saying tell told talk talking talked chat chatting ' +
  'speak speaking ask asking asked see saw hear heard meet meeting call text reply respond answer listen check ' +
  'checking up down not dont didnt isnt wasnt havent hasnt nothing none anything something everything all some ' +
  'any new big deal problem problems situation situations stuff thing things yet ever never again ' +
  'name human bot robot friend buddy dude man bro mate sir anyone someone one two minute minutes help helping ' +
  'helped';

const fillers: readonly string[] = words.split(' ');

/**
 * Word classes, forms and topic phrases, compiled. Words are compared by 32-bit hash, never as strings. Each known word
 * and each stem has a number. Number 0 is an unknown word, then come the words, then the stems. A word has the
 * properties of every stem that it begins with.
 */
export interface Lexicon {
  /** The known words in the order of their numbers, which start at 1. */
  readonly words: readonly string[];
  readonly wordTable: WordTable;
  readonly stemTable: WordTable;
  /** The {@link findSlot} of every stem. Avoids most lookups. */
  readonly stemSieve: BitSet;
  /** Properties by word number, as bits. See {@link flags}. */
  readonly flags: Uint8Array;
  /** Word classes by word number. */
  readonly classes: Lists;
  readonly phrases: PhraseTree;
  /** Nodes of the phrase tree that follow the first word of a phrase, by word number. */
  readonly openings: Lists;
  /** Symbols inside phrases by word number, and their filter bits. See {@link toBits}. */
  readonly followers: Lists;
  readonly followerBits: Int32Array;
  /** Form by word number. {@link noForm} if the ending of the word decides. */
  readonly forms: Uint16Array;
  /** Form classes by word number, as bits. See {@link formBits}. */
  readonly formBits: Uint16Array;
}

export const flags = { feeling: 1, denial: 2, firstPerson: 4, filler: 8, inPhrases: 16 } as const;

/** The number of an unknown word that begins with no known stem. */
export const unknown = 0;

const SIEVE_SLOTS = 2 ** 16;
const findSlot = (hash: number): number => (hash ^ (hash >>> 16)) & (SIEVE_SLOTS - 1);

/** Returns the number of a word, or of the longest stem that the word begins with. */
export const numberIn = (lexicon: Lexicon, words: Words, i: number): number =>
  findNumber(lexicon.wordTable, words.hashes[i] ?? 0) || findStem(lexicon, words, i);

/** Returns the number of the longest stem that a word begins with. */
export function findStem({ stemTable, stemSieve }: Lexicon, words: Words, i: number): number {
  let number = unknown;
  let hash = hashStart;
  const end = words.ends[i] ?? 0;
  for (let at = words.starts[i] ?? 0; at < end; at++) {
    hash = hashNext(hash, words.letters[at] ?? 0);
    if (hasBit(stemSieve, findSlot(hash))) number = findNumber(stemTable, hash) || number;
  }
  return number;
}

/** Returns a hash of all word lists and phrases. Weights are only valid with the lexicon of their training. */
export const lexiconFingerprint = (): number =>
  hashWord(
    JSON.stringify([wordClasses, allPhrases(), functionWords, formClasses, endings, [...openingVerbs], dangerWords]),
  ) >>> 0;

/** Compiles the word lists and phrases. Called once at startup. */
export function compileLexicon(): Lexicon {
  const { symbolOf: findSymbol, symbolsOf: listSymbols, items } = nameSymbols();
  const phrases = plantPhrases(findSymbol);
  const formItems = Object.values(formClasses).flatMap((list) => list.split(' '));
  const all = [...new Set([...items(), ...fillers, ...functionWords, ...formItems, ...openingVerbs])];
  const words = all.filter((item) => !item.endsWith('*'));
  const stems = all.filter((item) => item.endsWith('*')).map((item) => item.slice(0, -1));
  const symbols = [
    [],
    ...words.map((word) => listSymbols(word, true)),
    ...stems.map((stem) => listSymbols(stem, false)),
  ];
  const classes = symbols.map((of) => of.filter((symbol) => symbol < classCount));
  const openings = symbols.map((of) =>
    of.map((it) => stepFrom(phrases, root, it)).filter((place) => place !== nowhere),
  );
  const followers = symbols.map((of) => of.filter((symbol) => phrases.followers.has(symbol)));
  const stemHashes = stems.map(hashWord);
  const isInPhrases = (number: number) => [openings, followers].some((lists) => (lists[number] ?? []).length > 0);
  return {
    words,
    wordTable: buildWordTable(words.map(hashWord), 1),
    stemTable: buildWordTable(stemHashes, 1 + words.length),
    stemSieve: newBitSet(SIEVE_SLOTS, stemHashes.map(findSlot)),
    flags: Uint8Array.from(classes, (of, number) => computeFlags(of, words[number - 1], isInPhrases(number))),
    classes: toLists(classes),
    phrases,
    openings: toLists(openings),
    followers: toLists(followers),
    followerBits: Int32Array.from(followers, toBits),
    ...compileForms(words, stems),
  };
}

/** Numbers the symbols of phrases: first the word classes, then the single words and stems. */
function nameSymbols() {
  const named = new Map<string, number>(classNames.map((name, id) => [`<${name}>`, id]));
  const ofItems = new Map<string, Set<number>>();
  const add = (item: string, symbol: number): number => {
    ofItems.set(item, (ofItems.get(item) ?? new Set()).add(symbol));
    return symbol;
  };
  classNames.forEach((name, id) => wordClasses[name].split(' ').forEach((item) => add(item, id)));
  return {
    /** Returns the symbol of a phrase item. */
    symbolOf(item: string): number {
      const known = named.get(item);
      if (known !== undefined) return known;
      if (item.startsWith('<')) throw new Error(`unknown word class ${item}`);
      named.set(item, named.size);
      return add(item, named.size - 1);
    },
    /** Returns the symbols of a word or stem, including the symbols of every stem that it begins with. */
    symbolsOf(text: string, isWord: boolean): number[] {
      const beginnings = Array.from(text, (_, i) => `${text.slice(0, i + 1)}*`);
      const items = isWord ? [text, ...beginnings] : beginnings;
      return [...new Set(items.flatMap((item) => [...(ofItems.get(item) ?? [])]))];
    },
    items: () => ofItems.keys(),
  };
}

const isFiller = new Set(fillers);

function computeFlags(classes: readonly number[], word: string | undefined, isInPhrases: boolean): number {
  return (
    (classes.some((id) => feelings.has(id)) ? flags.feeling : 0) |
    (classes.includes(denials) ? flags.denial : 0) |
    (classes.includes(firstPerson) ? flags.firstPerson : 0) |
    (word !== undefined && isFiller.has(word) ? flags.filler : 0) |
    (isInPhrases ? flags.inPhrases : 0)
  );
}
