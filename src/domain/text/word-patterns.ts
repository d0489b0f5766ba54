import { hashWord, type Words } from '../topics/tokens.js';

/**
 * Finds patterns of words in a text. A pattern is a sequence of items: `word`, `a|b`, `<class>`, `item?` for an optional
 * item, `~` for up to two other words, `~~` for up to five. An underscore joins the words of an alternative: `a|b_c`. `^` is
 * the start of a sentence. A last item `-a|b_c` means that none of these follows. Commas separate patterns.
 */
interface Pattern<Label> {
  readonly label: Label;
  /** Words of each item, as numbers. */
  readonly items: ReadonlyArray<ReadonlySet<number>>;
  /** Maximum number of words between each item and the one before. 0 for the first item. */
  readonly gaps: readonly number[];
  /** Words that the gap before each item cannot contain. */
  readonly barriers: ReadonlyArray<ReadonlySet<number>>;
  /** Words that must not follow, one list per alternative. */
  readonly notNext: ReadonlyArray<readonly number[]>;
  /** Index of the rarest item. */
  readonly anchor: number;
}

export interface PatternFinder<Label> {
  /** Returns the labels of the patterns that the sentence of the words `from` … `to - 1` contains. */
  find(words: Words, from: number, to: number): ReadonlySet<Label>;
}

export interface PatternParts<Label extends string> {
  readonly patterns: Readonly<Record<Label, readonly string[]>>;
  readonly classes: Readonly<Record<string, string>>;
  /** Words that a gap cannot contain. */
  readonly barriers: string;
  /** Words that the gap after "i" cannot contain, in addition. */
  readonly subjectBarriers: string;
  /** Frequent words, the most frequent first. The item with the rarest words is searched first. */
  readonly frequent: readonly string[];
}

const start = '^';
/** Number of the mark at the start of a sentence. Words have higher numbers. */
const startNumber = 1;
/** Maximum distance between the start of a sentence and the first word of a pattern that stands for "I". */
const startDistanceMax = 2;
const gapOf: Readonly<Record<string, number>> = { '~': 2, '~~': 5 };

/** Returns a finder. The time of a search is proportional to the number of words and of their patterns. */
export function createPatternFinder<Label extends string>(parts: PatternParts<Label>): PatternFinder<Label> {
  const numbers = new Map([[hashWord(start), startNumber]]);
  const toNumber = (word: string): number => {
    const hash = hashWord(word);
    const number = numbers.get(hash) ?? numbers.size + 1;
    numbers.set(hash, number);
    return number;
  };
  const ranks = new Map([start, ...parts.frequent].map((word, rank) => [toNumber(word), rank]));
  const barriers = new Set(parts.barriers.split(' ').map(toNumber));
  const subjectBarriers = new Set([...barriers, ...parts.subjectBarriers.split(' ').map(toNumber)]);
  const barriersAfter = (item?: ReadonlySet<number>) => (item?.has(toNumber('i')) ? subjectBarriers : barriers);
  const known = new Map<string, number[][]>();
  const readAlternatives = (text: string): number[][] => {
    const readNew = () =>
      expandClasses(text, parts.classes)
        .split('|')
        .map((it) => it.split('_').map(toNumber));
    const found = known.get(text) ?? readNew();
    known.set(text, found);
    return found;
  };

  const byAnchor = new Map<number, Pattern<Label>[]>();
  for (const label of Object.keys(parts.patterns) as Label[])
    for (const text of parts.patterns[label]
      .flatMap((it) => it.split(', '))
      .flatMap(expandOptional)
      .flatMap(expandJoined)) {
      const pattern = toPattern(label, text, readAlternatives, ranks, barriersAfter);
      for (const number of pattern.items[pattern.anchor] ?? []) {
        const anchored = byAnchor.get(number) ?? [];
        anchored.push(pattern);
        byAnchor.set(number, anchored);
      }
    }

  return {
    find(words, from, to) {
      const labels = new Set<Label>();
      /** The sentence as numbers, after the mark of its start. */
      const sentence = [startNumber];
      for (let i = from; i < to; i++) sentence.push(numbers.get(words.hashes[i] ?? 0) ?? 0);
      for (const [at, number] of sentence.entries())
        for (const pattern of byAnchor.get(number) ?? []) {
          if (labels.has(pattern.label)) continue;
          const isMatch = ([1, -1] as const).every((step) => matchesFrom(pattern, sentence, pattern.anchor, at, step));
          if (isMatch) labels.add(pattern.label);
        }
      return labels;
    },
  };
}

function expandClasses(text: string, classes: Readonly<Record<string, string>>): string {
  return text.replace(/<(\w+)>/g, (_, name: string) => {
    const words = classes[name];
    if (words === undefined) throw new Error(`no word class ${name}`);
    return expandClasses(words.replaceAll(' ', '|'), classes);
  });
}

/** Returns the pattern with and without each optional item. */
function expandOptional(text: string): string[] {
  const found = /(^| )([^ ]+)\?( |$)/.exec(text);
  if (!found) return [text];
  const [all, before, item, after] = found;
  const [without, with_] = [before && after ? ' ' : '', `${before}${item}${after}`];
  return [without, with_].flatMap((it) => expandOptional(text.replace(all, () => it)));
}

/** Returns one pattern for the single words of an item, and one for each of its alternatives with several words. */
function expandJoined(text: string): string[] {
  const tokens = text.split(' ');
  const at = tokens.findIndex((token) => token.includes('_') && !token.startsWith('-'));
  if (at < 0) return [text];
  const alternatives = (tokens[at] ?? '').split('|');
  const single = alternatives.filter((it) => !it.includes('_')).join('|');
  const joined = alternatives.filter((it) => it.includes('_')).map((it) => it.replaceAll('_', ' '));
  return [single, ...joined]
    .filter(Boolean)
    .flatMap((it) => expandJoined(tokens.map((token, k) => (k === at ? it : token)).join(' ')));
}

function toPattern<Label>(
  label: Label,
  text: string,
  readAlternatives: (text: string) => number[][],
  ranks: ReadonlyMap<number, number>,
  barriersAfter: (item?: ReadonlySet<number>) => ReadonlySet<number>,
): Pattern<Label> {
  const items: ReadonlySet<number>[] = [];
  const gaps: number[] = [];
  let [gap, notNext] = [0, [] as number[][]];
  for (const token of text.split(' ')) {
    if (token in gapOf) gap = gapOf[token] ?? 0;
    else if (token.startsWith('-')) notNext = readAlternatives(token.slice(1));
    else {
      items.push(new Set(readAlternatives(token).flat()));
      gaps.push(gap);
      gap = 0;
    }
  }
  const costs = items.map((item) =>
    [...item].reduce((sum, it) => sum + 1 / (1 + (ranks.get(it) ?? ranks.size * 4)), 0),
  );
  const anchor = costs.indexOf(Math.min(...costs));
  const barriers = items.map((_, k) => barriersAfter(items[k - 1]));
  return { label, items, gaps, barriers, notNext, anchor };
}

/** Returns true if the items after (step 1) or before (step -1) an item at a position match too. */
function matchesFrom<Label>(
  pattern: Pattern<Label>,
  sentence: readonly number[],
  item: number,
  at: number,
  step: 1 | -1,
): boolean {
  const next = pattern.items[item + step];
  if (!next) return step < 0 || !pattern.notNext.some((it) => it.every((word, k) => sentence[at + 1 + k] === word));
  const later = step > 0 ? item + 1 : item;
  const gap = pattern.gaps[later] ?? 0;
  for (let other = at + step; Math.abs(other - at) <= gap + 1; other += step) {
    const number = sentence[other];
    if (number === undefined) return false;
    const isTooFar = number === startNumber && at - other > startDistanceMax;
    if (next.has(number) && !isTooFar && matchesFrom(pattern, sentence, item + step, other, step)) return true;
    if (pattern.barriers[later]?.has(number)) return false;
  }
  return false;
}
