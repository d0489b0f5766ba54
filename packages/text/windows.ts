import { textWindows as settings } from './settings.js';
import type { Sentence, Words } from './tokens.js';

/** Words of a message that are judged on their own: sentences in order, or parts of a sentence without stops. */
export interface Window extends Pick<Sentence, 'from' | 'to'> {
  /** One sentence, two in order, or all of the text. */
  readonly sentences: readonly Sentence[];
}

/**
 * Returns the windows of a text: each sentence, each two sentences in order of at most `words` words, and parts of a long
 * sentence, which may have no stops. Empty for a text of less than `wordsMin` words, which is judged as a whole. Windows of
 * the same words count once, so that repetition adds none.
 */
export function listWindows(words: Words, wordsMin: number = settings.text_words_min): readonly Window[] {
  const [windows, seen] = [[] as Window[], new Set<number>()];
  if (words.count < wordsMin) return windows;
  words.sentences.forEach((sentence, i) => {
    const next = words.sentences[i + 1];
    if (sentence.to - sentence.from <= settings.words) addWindow(windows, seen, words, [sentence]);
    for (const part of listParts(sentence)) addWindow(windows, seen, words, [part]);
    if (next && next.to - sentence.from <= settings.words) addWindow(windows, seen, words, [sentence, next]);
  });
  return windows;
}

/** Returns the parts of a long sentence, each beginning in the middle of the part before. */
function listParts({ from, to, isQuestion }: Sentence): Sentence[] {
  if (to - from <= settings.sentence_words_max) return [];
  const count = Math.ceil((to - from - settings.part_words) / (settings.part_words / 2));
  return Array.from({ length: count + 1 }, (_, i) => {
    const end = Math.min(to, from + (i * settings.part_words) / 2 + settings.part_words);
    return { from: from + (i * settings.part_words) / 2, to: end, isQuestion: isQuestion && end === to };
  });
}

function addWindow(windows: Window[], seen: Set<number>, { hashes }: Words, sentences: readonly Sentence[]): void {
  const [from, to] = [sentences[0]?.from ?? 0, sentences.at(-1)?.to ?? 0];
  let digest = to - from;
  for (let i = from; i < to; i++) digest = Math.imul(digest ^ (hashes[i] ?? 0), 0x9e3779b1) ^ (digest >>> 15);
  if (seen.has(digest)) return;
  seen.add(digest);
  windows.push({ from, to, sentences });
}
