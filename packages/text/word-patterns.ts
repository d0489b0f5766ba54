import { hashWord, type Words } from './tokens.js';

/**
 * A sequence of items: `word`, `a|b`, `<class>`, `item?` for an optional item, `~` for up to two other words, `~~` for up
 * to five. An underscore joins the words of an alternative: `a|b_c`. `^` is the start of a sentence. A last item
 * `-a|b_c` means that none of these follows. Commas separate patterns.
 */
interface Pattern<Label> {
  readonly label: Label;
  readonly items: readonly Item[];
  /** Maximum number of words between each item and the one before. 0 for the first item. */
  readonly gaps: readonly number[];
  /** Words that must not follow, one list per alternative. */
  readonly notNext: ReadonlyArray<readonly number[]>;
  /** Index of the rarest item. */
  readonly anchor: number;
}

interface Item {
  /** Words as numbers. */
  readonly words: ReadonlySet<number>;
  /** Estimated frequency of the words, relative to other items. */
  readonly frequency: number;
  /** Words that the gap after the item cannot contain. */
  readonly barriers: ReadonlySet<number>;
  readonly marks: Marks;
}

/** The words of an item or of a sentence, as one of 64 bits each. Two sets without a common bit have no common word. */
type Marks = readonly [low: number, high: number];

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
const gapByToken: Readonly<Record<string, number>> = { '~': 2, '~~': 5 };

/** Returns a finder. The time of a search is proportional to the number of words and of their patterns. */
export function createPatternFinder<Label extends string>(parts: PatternParts<Label>): PatternFinder<Label> {
  const { numbers, parse } = createParser(parts);
  const byAnchor = new Map<number, Pattern<Label>[]>();
  for (const label of Object.keys(parts.patterns) as Label[])
    for (const text of parts.patterns[label].flatMap((it) => it.split(', ')))
      for (const pattern of expandPattern(text).map((it) => parse(label, it)))
        for (const number of pattern.items[pattern.anchor]?.words ?? []) {
          const anchored = byAnchor.get(number);
          if (anchored) anchored.push(pattern);
          else byAnchor.set(number, [pattern]);
        }
  return {
    find(words, from, to) {
      const labels = new Set<Label>();
      const sentence = [startNumber];
      for (let i = from; i < to; i++) sentence.push(numbers.get(words.hashes[i] ?? 0) ?? 0);
      const marks = markWords(sentence);
      for (const [at, number] of sentence.entries())
        for (const pattern of byAnchor.get(number) ?? [])
          if (mayMatch(pattern, marks) && !labels.has(pattern.label) && isMatch(pattern, sentence, at))
            labels.add(pattern.label);
      return labels;
    },
  };
}

/** Returns the numbers of the known words by hash, and a function that reads one pattern. */
function createParser<Label extends string>({ classes, frequent, ...parts }: PatternParts<Label>) {
  const numbers = new Map([[hashWord(start), startNumber]]);
  const toNumber = (word: string): number => {
    const hash = hashWord(word);
    const number = numbers.get(hash) ?? numbers.size + 1;
    numbers.set(hash, number);
    return number;
  };
  const frequencies = new Map([start, ...frequent].map((word, rank) => [toNumber(word), 1 / (1 + rank)]));
  const rareFrequency = 1 / (4 * frequencies.size);
  const barriers = new Set(parts.barriers.split(' ').map(toNumber));
  const subjectBarriers = new Set([...barriers, ...parts.subjectBarriers.split(' ').map(toNumber)]);
  const readAlternatives = (text: string): string[] => expandClasses(text, classes).split('|');
  const items = new Map<string, Item>();
  const readItem = (text: string): Item => {
    const words = new Set(readAlternatives(text).map(toNumber));
    const frequency = [...words].reduce((sum, word) => sum + (frequencies.get(word) ?? rareFrequency), 0);
    const isSubject = words.has(toNumber('i'));
    const item = { words, frequency, barriers: isSubject ? subjectBarriers : barriers, marks: markWords(words) };
    items.set(text, item);
    return item;
  };
  const parse = (label: Label, text: string): Pattern<Label> => {
    const pattern = { label, items: [] as Item[], gaps: [] as number[], notNext: [] as number[][] };
    let gap = 0;
    for (const token of text.split(' ')) {
      if (token in gapByToken) gap = gapByToken[token] ?? 0;
      else if (token.startsWith('-'))
        pattern.notNext = readAlternatives(token.slice(1)).map((it) => it.split('_').map(toNumber));
      else {
        pattern.items.push(items.get(token) ?? readItem(token));
        pattern.gaps.push(gap);
        gap = 0;
      }
    }
    const itemFrequencies = pattern.items.map(({ frequency }) => frequency);
    return { ...pattern, anchor: itemFrequencies.indexOf(Math.min(...itemFrequencies)) };
  };
  return { numbers, parse };
}

function expandClasses(text: string, classes: Readonly<Record<string, string>>): string {
  return text.replace(/<(\w+)>/g, (_, name: string) => {
    const words = classes[name];
    if (words === undefined) throw new Error(`no word class ${name}`);
    return expandClasses(words.replaceAll(' ', '|'), classes);
  });
}

/** Returns the pattern with and without each optional item, and with one sequence of items for joined words. */
function expandPattern(text: string): string[] {
  const tokens = text.split(' ');
  const replace = (at: number, by: readonly string[]) =>
    by.flatMap((it) => expandPattern([...tokens.slice(0, at), ...(it ? [it] : []), ...tokens.slice(at + 1)].join(' ')));
  const optional = tokens.findIndex((token) => token.endsWith('?'));
  if (optional >= 0) return replace(optional, ['', (tokens[optional] ?? '').slice(0, -1)]);
  const joined = tokens.findIndex((token) => token.includes('_') && !token.startsWith('-'));
  if (joined < 0) return [text];
  const alternatives = (tokens[joined] ?? '').split('|');
  const single = alternatives.filter((it) => !it.includes('_')).join('|');
  const several = alternatives.filter((it) => it.includes('_')).map((it) => it.replaceAll('_', ' '));
  return replace(joined, single ? [single, ...several] : several);
}

function markWords(numbers: Iterable<number>): Marks {
  let [low, high] = [0, 0];
  for (const number of numbers)
    if (number & 32) high |= 1 << number;
    else low |= 1 << number;
  return [low, high];
}

/** Returns false if an item of the pattern has no word in the sentence. This rejects most patterns in a few instructions. */
function mayMatch<Label>({ items }: Pattern<Label>, [low, high]: Marks): boolean {
  for (const { marks } of items) if ((marks[0] & low) === 0 && (marks[1] & high) === 0) return false;
  return true;
}

/** Returns true if a pattern matches with its rarest item at a position of the sentence. */
function isMatch<Label>(pattern: Pattern<Label>, sentence: readonly number[], at: number): boolean {
  return (
    matchesFrom(pattern, sentence, pattern.anchor, at, 1) && matchesFrom(pattern, sentence, pattern.anchor, at, -1)
  );
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
  const barriers = pattern.items[later - 1]?.barriers;
  for (let other = at + step; Math.abs(other - at) <= gap + 1; other += step) {
    const number = sentence[other];
    if (number === undefined) return false;
    const isTooFar = number === startNumber && at - other > startDistanceMax;
    if (next.words.has(number) && !isTooFar && matchesFrom(pattern, sentence, item + step, other, step)) return true;
    if (barriers?.has(number)) return false;
  }
  return false;
}
