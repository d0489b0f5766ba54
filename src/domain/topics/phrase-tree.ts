import { phrases } from './phrases.js';
import { topicNames, type TopicName } from './vocabulary.js';

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

/** A hint yields to any phrase (judgement). */
const HINT_POINTS = 0.5;

/** One of 32 bits, for symbols to be told apart at a glance. */
export const bitOf = (symbol: number): number => 1 << (symbol & 31);

/** The tree of all phrases, of symbols for their words. */
export function plantPhrases(symbolOf: (item: string) => number): PhraseNode {
  const root = newNode();
  for (const [topic, phrase] of allPhrases()) addPhrase(root, topic, phrase, symbolOf);
  return root;
}

/** Every symbol that leads on from somewhere but the root. */
export function followersOf(root: PhraseNode): ReadonlySet<number> {
  const symbols = new Set<number>();
  for (const node of root.next.values()) collectSymbols(node, symbols);
  return symbols;
}

export function allPhrases(): [TopicName, string][] {
  const listOf: Partial<Record<TopicName, string>> = phrases;
  return topicNames.flatMap((topic) =>
    (listOf[topic]?.split(', ') ?? []).map((phrase): [TopicName, string] => [topic, phrase]),
  );
}

const newNode = (): PhraseNode => ({ next: new Map(), nextBits: 0, ends: [] });

function collectSymbols(node: PhraseNode, symbols: Set<number>): void {
  if (node.gap !== undefined) collectSymbols(node.gap, symbols);
  for (const [symbol, child] of node.next) {
    symbols.add(symbol);
    collectSymbols(child, symbols);
  }
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
