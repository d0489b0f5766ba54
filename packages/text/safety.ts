import type { components } from '../../generated/api.js';
import { createTokenizer } from './tokens.js';
import { englishWords } from './language-words.js';
import {
  barriers,
  classes,
  dangers,
  messageCancels,
  present,
  sentenceCancels,
  subjectBarriers,
} from './safety-rules.js';
import { createPatternFinder } from './word-patterns.js';

export type SafetyKind = components['schemas']['SafetyKind'];

/** Returns the danger that a message in English may describe. Undefined if none is found. Stores no text. Never throws. */
export type FindDanger = (message: string) => SafetyKind | undefined;

type Label = SafetyKind | 'sentence' | 'message' | 'present';

const patterns: Record<Label, readonly string[]> = {
  ...dangers,
  sentence: sentenceCancels,
  message: messageCancels,
  present: [present],
};
/** Frequent words that other languages have too. */
const shortWords = 'me on is do am as in at no so an us by or if he go up be'.split(' ');
const kinds = Object.keys(dangers) as SafetyKind[];

/** Returns a function with its own working memory, which checks one message at a time. */
export function createFindDanger(): FindDanger {
  const tokenizer = createTokenizer();
  const finder = createPatternFinder({
    patterns,
    classes,
    barriers,
    subjectBarriers,
    frequent: [...barriers.split(' '), ...shortWords, ...englishWords],
  });
  return (message) => {
    const words = tokenizer.read(withoutQuotes(message));
    const sentences = words.sentences.map(({ from, to }) => finder.find(words, from, to));
    tokenizer.wipe();
    return mostUrgent(sentences);
  };
}

/**
 * Returns the most urgent danger in the sentences that nothing cancels. In fiction, or after a danger that has ended, a
 * sentence counts only if it speaks of the present.
 */
function mostUrgent(sentences: ReadonlyArray<ReadonlySet<Label>>): SafetyKind | undefined {
  const isCancelled = sentences.some((labels) => labels.has('message'));
  const counted = sentences.filter((labels) => !labels.has('sentence') && (!isCancelled || labels.has('present')));
  return kinds.find((kind) => counted.some((labels) => labels.has(kind)));
}

/** Returns a text without its quotes, because they are the words of others. Keeps a text that is one quote. */
function withoutQuotes(text: string): string {
  const others = text.replace(/"[^"]*"|“[^“”]*”|\*[^*\n]+\*/g, ' ');
  return /\p{L}/u.test(others) ? others : text;
}
