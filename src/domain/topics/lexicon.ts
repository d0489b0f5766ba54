import { fillers } from './fillers.js';
import { phrases } from './phrases.js';
import { hashNext, hashStart, hashWord } from './tokens.js';
import { topicNames, type TopicName } from './vocabulary.js';
import { buildWordTable, type WordTable } from './word-table.js';
import { wordClasses } from './word-classes.js';
import {
  bitOf,
  classNames,
  emptyEntry,
  mergeEntries,
  newEntry,
  numberEntry,
  type PhraseNode,
  type WordEntry,
} from './word-entries.js';

/** Word classes and topic phrases, compiled. Words are compared by 32-bit hash, never as strings. */
export interface Lexicon {
  /** The known words; the number of each is its place. */
  readonly words: readonly string[];
  /** What is known of a whole word, what is known of its beginnings included. */
  readonly entries: readonly WordEntry[];
  readonly table: WordTable;
  /** What is known of words with this beginning. */
  readonly stems: ReadonlyMap<number, WordEntry>;
  /** A bit for each {@link sieveSlot}: unset where no beginning can have such a hash. Spares most look-ups. */
  readonly sieve: Uint8Array;
}

/** A hint yields to any phrase (judgement). */
const HINT_POINTS = 0.5;
const SIEVE_SLOTS = 2 ** 16;
const sieveSlot = (hash: number): number => (hash ^ (hash >>> 16)) & (SIEVE_SLOTS - 1);
/** Whether a beginning may have this hash. */
export const isSifted = (sieve: Uint8Array, hash: number): boolean => {
  const slot = sieveSlot(hash);
  return (((sieve[slot >>> 3] as number) >>> (slot & 7)) & 1) !== 0;
};

/** Hash of all classes and phrases: weights are only good for the lexicon that they were trained with. */
export const lexiconFingerprint = (): number => hashWord(JSON.stringify([wordClasses, allPhrases()])) >>> 0;

type Symbols = Map<string, number[]>;
const newNode = (): PhraseNode => ({ next: new Map(), nextBits: 0, ends: [] });

/** Compiles the word classes and phrases; done once at start. */
export function compileLexicon(): Lexicon {
  const symbolsOfItems: Symbols = new Map();
  const numbers = new Map<string, number>(classNames.map((name, id) => [`<${name}>`, id]));
  const symbolOf = (item: string): number => {
    const known = numbers.get(item);
    if (known !== undefined) return known;
    if (item.startsWith('<')) throw new Error(`unknown word class ${item}`);
    numbers.set(item, numbers.size);
    return addSymbol(symbolsOfItems, item, numbers.size - 1);
  };
  classNames.forEach((name, id) => wordClasses[name].split(' ').forEach((word) => addSymbol(symbolsOfItems, word, id)));
  const root = newNode();
  for (const [topic, phrase] of allPhrases()) addPhrase(root, topic, phrase, symbolOf);
  return hashSymbols(symbolsOfItems, root);
}

function addSymbol(symbols: Symbols, item: string, symbol: number): number {
  const known = symbols.get(item);
  if (known === undefined) symbols.set(item, [symbol]);
  else if (!known.includes(symbol)) known.push(symbol);
  return symbol;
}

function hashSymbols(symbolsOfItems: Symbols, root: PhraseNode): Lexicon {
  const stems = new Map<number, WordEntry>();
  const sieve = new Uint8Array(SIEVE_SLOTS / 8);
  const followers = new Set<number>();
  for (const node of root.next.values()) collectSymbols(node, followers);
  for (const [item, symbols] of symbolsOfItems) {
    if (!item.endsWith('*')) continue;
    const hash = hashWord(item.slice(0, -1));
    stems.set(hash, newEntry(symbols, root, followers));
    const slot = sieveSlot(hash);
    sieve[slot >>> 3] = (sieve[slot >>> 3] as number) | (1 << (slot & 7));
  }
  const words = [...new Set([...symbolsOfItems.keys(), ...fillers])].filter((item) => !item.endsWith('*'));
  const isFiller = new Set(fillers);
  const entries = words.map((word, number) => {
    const own = newEntry(symbolsOfItems.get(word) ?? [], root, followers);
    return numberEntry(mergeEntries(own, entryOfStems(stems, word)), number, isFiller.has(word));
  });
  return { words, entries, table: buildWordTable(words.map(hashWord)), stems, sieve };
}

function collectSymbols(node: PhraseNode, symbols: Set<number>): void {
  if (node.gap !== undefined) collectSymbols(node.gap, symbols);
  for (const [symbol, child] of node.next) {
    symbols.add(symbol);
    collectSymbols(child, symbols);
  }
}

function entryOfStems(stems: ReadonlyMap<number, WordEntry>, word: string): WordEntry {
  let entry = emptyEntry;
  let hash = hashStart;
  for (let i = 0; i < word.length; i++) {
    hash = hashNext(hash, word.charCodeAt(i));
    const stem = stems.get(hash);
    if (stem !== undefined) entry = mergeEntries(entry, stem);
  }
  return entry;
}

function allPhrases(): [TopicName, string][] {
  const listOf: Partial<Record<TopicName, string>> = phrases;
  return topicNames.flatMap((topic) =>
    (listOf[topic]?.split(', ') ?? []).map((phrase): [TopicName, string] => [topic, phrase]),
  );
}

function addPhrase(root: PhraseNode, topic: TopicName, phrase: string, symbolOf: (item: string) => number): void {
  const items = phrase.replace(/^[!?]+/, '').split(' ');
  let nodes = [root];
  for (const item of items) {
    if (item === '~') nodes = nodes.map((node) => (node.gap ??= newNode()));
    else nodes = nodes.flatMap((node) => item.split('|').map((word) => childOf(node, symbolOf(word))));
  }
  const points = /^!?\?/.test(phrase) ? HINT_POINTS : items.filter((item) => item !== '~').length;
  const number = topicNames.indexOf(topic);
  for (const node of nodes) node.ends.push({ topic, number, isDeniable: phrase.startsWith('!'), points });
}

function childOf(node: PhraseNode, symbol: number): PhraseNode {
  const child = node.next.get(symbol) ?? newNode();
  node.next.set(symbol, child);
  node.nextBits |= bitOf(symbol);
  return child;
}
