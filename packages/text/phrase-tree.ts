import { buildWordTable, type Lists, findNumber, toLists, type WordTable } from './tables.js';
import { phrases } from './phrases.js';
import { topicNames, type TopicName } from './vocabulary.js';

/**
 * A prefix tree of all phrases, with one symbol per word. A node is a number. Each field of the nodes is in a separate
 * table, indexed by this number. This is cache-friendly, because a text passes many nodes but matches few.
 */
export interface PhraseTree {
  /** Bit filter of the symbols that have a next node, see {@link toBits}. Avoids most lookups. */
  readonly nextBits: Int32Array;
  /** Next node for `~`, which skips words, or {@link nowhere}. */
  readonly gaps: Uint16Array;
  /** Phrases that end at this node, as indexes of `ends`. */
  readonly endsAt: Lists;
  readonly ends: readonly PhraseEnd[];
  /** Next nodes by symbol. See {@link stepFrom}. */
  readonly steps: WordTable;
  /** All symbols that lead from any node except the root to a next node. */
  readonly followers: ReadonlySet<number>;
}

/** The end of a phrase. */
export interface PhraseEnd {
  readonly topic: TopicName;
  /** Topic number in the vocabulary. */
  readonly number: number;
  /** True if a preceding negation makes the phrase invalid. */
  readonly isDeniable: boolean;
  /** Points of the phrase: its number of words, or HINT_POINTS for a hint. */
  readonly points: number;
}

export const nowhere = 0;
export const root = 1;

/** Points of a hint. Lower than the points of any phrase. Chosen by judgment. */
const HINT_POINTS = 0.5;
/** Minimum points of a phrase. A hint has fewer points. */
export const phrasePointsMin = 1;
/** Multiplier that distributes nodes in the hash table `steps`. */
const SEED_PLACE = 0x9e3779b1;

/** Returns the next node for a symbol, or {@link nowhere}. */
export const stepFrom = ({ steps }: PhraseTree, place: number, symbol: number): number =>
  findNumber(steps, stepHash(place, symbol));

const stepHash = (place: number, symbol: number): number => Math.imul(place, SEED_PLACE) ^ symbol;

export function allPhrases(): [TopicName, string][] {
  const listByTopic: Partial<Record<TopicName, string>> = phrases;
  return topicNames.flatMap((topic) =>
    (listByTopic[topic]?.split(', ') ?? []).map((phrase): [TopicName, string] => [topic, phrase]),
  );
}

export function plantPhrases(symbolOf: (item: string) => number): PhraseTree {
  const tree = newNode();
  for (const [topic, phrase] of allPhrases()) addPhrase(tree, topic, phrase, symbolOf);
  return layOut(tree);
}

/** The tree during construction. */
interface Node {
  readonly next: Map<number, Node>;
  gap?: Node;
  readonly ends: PhraseEnd[];
}

const newNode = (): Node => ({ next: new Map(), ends: [] });

function addPhrase(tree: Node, topic: TopicName, phrase: string, findSymbol: (item: string) => number): void {
  const items = phrase.replace(/^[!?]+/, '').split(' ');
  let nodes = [tree];
  for (const item of items) {
    if (item === '~') nodes = nodes.map((node) => (node.gap ??= newNode()));
    else nodes = nodes.flatMap((node) => item.split('|').map((word) => enterChild(node, findSymbol(word))));
  }
  const points = /^!?\?/.test(phrase) ? HINT_POINTS : items.filter((item) => item !== '~').length;
  const number = topicNames.indexOf(topic);
  for (const node of nodes) node.ends.push({ topic, number, isDeniable: phrase.startsWith('!'), points });
}

function enterChild(node: Node, symbol: number): Node {
  const child = node.next.get(symbol) ?? newNode();
  node.next.set(symbol, child);
  return child;
}

/** Numbers the nodes: the root, then the nodes after symbols in the order of `steps`, then the nodes after gaps. */
function layOut(tree: Node): PhraseTree {
  const steps: Array<{ from: Node; symbol: number; to: Node }> = [];
  const gaps: Array<{ from: Node; to: Node }> = [];
  const visit = (from: Node): void => {
    for (const [symbol, to] of from.next) steps.push({ from, symbol, to });
    if (from.gap) gaps.push({ from, to: from.gap });
    for (const to of from.next.values()) visit(to);
    if (from.gap) visit(from.gap);
  };
  visit(tree);
  const nodes = [undefined, tree, ...steps.map(({ to }) => to), ...gaps.map(({ to }) => to)];
  const places = new Map(nodes.map((node, place) => [node, place]));
  const findPlace = (node: Node | undefined): number => (node ? (places.get(node) ?? nowhere) : nowhere);
  const hashes = steps.map(({ from, symbol }) => stepHash(findPlace(from), symbol));
  if (new Set(hashes).size < hashes.length) throw new Error('two steps of phrases share a hash: change SEED_PLACE');
  const ends = nodes.flatMap((node) => node?.ends ?? []);
  let endCount = 0;
  return {
    nextBits: Int32Array.from(nodes, (node) => toBits(node?.next.keys() ?? [])),
    gaps: Uint16Array.from(nodes, (node) => findPlace(node?.gap)),
    // `ends` has the same order, so its indexes count up.
    endsAt: toLists(nodes.map((node) => node?.ends.map(() => endCount++) ?? [])),
    ends,
    steps: buildWordTable(hashes, root + 1),
    followers: new Set(steps.flatMap(({ from, symbol }) => (from === tree ? [] : symbol))),
  };
}

/** Returns the filter bits of symbols. Each symbol sets one of 32 bits. */
export const toBits = (symbols: Iterable<number>): number =>
  [...symbols].reduce((bits, symbol) => bits | (1 << (symbol & 31)), 0);
