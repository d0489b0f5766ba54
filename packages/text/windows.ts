import { textWindows as settings } from './settings.js';
import type { Sentence, Words } from './tokens.js';

/** Words of a message that are judged on their own: sentences in order, or parts of a sentence without stops. */
export interface Window extends Pick<Sentence, 'from' | 'to'> {
  readonly sentences: readonly Sentence[];
}

/**
 * Returns the windows of a text: about `words` words, each beginning in the middle of the window before. Empty for a short
 * text, which is judged as a whole. Windows of the same words count once, so that repetition adds none.
 */
export function listWindows(words: Words): readonly Window[] {
  if (words.count < settings.text_words_min) return [];
  const parts = words.sentences.flatMap(splitSentence);
  const [windows, seen] = [[] as Window[], new Set<number>()];
  for (let [first, end] = [0, 0]; end < parts.length; first = Math.min(end, findNext(parts, first))) {
    end = findEnd(parts, first);
    addWindow(windows, seen, words, parts.slice(first, end));
  }
  return windows;
}

function splitSentence({ from, to, isQuestion }: Sentence): Sentence[] {
  const count = Math.ceil((to - from) / settings.sentence_words_max);
  const at = (i: number) => from + Math.round((i * (to - from)) / count);
  return Array.from({ length: count }, (_, i) => ({ from: at(i), to: at(i + 1), isQuestion }));
}

/** Returns the number of the part after the window that begins with part `first`. */
function findEnd(parts: readonly Sentence[], first: number): number {
  const from = parts[first]?.from ?? 0;
  let end = first + 1;
  while (end < parts.length && (parts[end]?.to ?? 0) - from <= settings.words) end++;
  return end;
}

/** Returns the first part of the next window. */
function findNext(parts: readonly Sentence[], first: number): number {
  const middle = (parts[first]?.from ?? 0) + settings.words / 2;
  let next = first + 1;
  while (next < parts.length && (parts[next]?.from ?? 0) < middle) next++;
  return next;
}

function addWindow(windows: Window[], seen: Set<number>, { hashes }: Words, sentences: readonly Sentence[]): void {
  const [from, to] = [sentences[0]?.from ?? 0, sentences.at(-1)?.to ?? 0];
  let digest = to - from;
  for (let i = from; i < to; i++) digest = Math.imul(digest ^ (hashes[i] ?? 0), 0x9e3779b1) ^ (digest >>> 15);
  if (seen.has(digest)) return;
  seen.add(digest);
  windows.push({ from, to, sentences });
}
