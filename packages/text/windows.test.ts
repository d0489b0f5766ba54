import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadTextModel } from './model.js';
import { textWindows } from './settings.js';
import { createTextAnalyzer } from './texts.js';
import { createTokenizer } from './tokens.js';
import { listWindows } from './windows.js';

const analyzer = createTextAnalyzer(loadTextModel(readFileSync(new URL('./weights/text.bin', import.meta.url))));
const films =
  'The film has a long scene in a train. The director filmed it in one week. Most of the actors are from Norway. The music is by a small band. ' +
  'Critics liked the colors and the slow story. It won two prizes in autumn. ';

const word = fc.constantFrom('film', 'the', 'I', 'slow', 'music', 'a', 'train');
const texts = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', ' ', '. ', '? ')), { maxLength: 300 })
  .map((parts) => parts.flat().join(''));

test('the windows of a long text cover each word, in order, and no window is longer than a sentence', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const words = createTokenizer().read(text);
      const windows = listWindows(words);
      if (words.count < textWindows.text_words_min) {
        expect(windows).toEqual([]);
        return;
      }
      for (const { from, to, sentences } of windows) {
        expect(sentences[0]?.from).toBe(from);
        expect(sentences.at(-1)?.to).toBe(to);
        expect(to - from).toBeLessThanOrEqual(Math.max(textWindows.words, textWindows.sentence_words_max));
      }
      const covered = new Set(windows.flatMap(({ from, to }) => [...words.hashes.subarray(from, to)]));
      expect(covered).toEqual(new Set(words.hashes.subarray(0, words.count)));
    }),
  );
});

test.each([1, 2, 6, 16])('a danger is found beside neutral words (%i times 230 characters)', (times) => {
  const neutral = films.repeat(times);
  expect(analyzer.analyze(neutral).check.danger).toBeUndefined();
  for (const danger of ['I took all my pills tonight and I hope I do not wake up.', 'I cut my arms again last night.'])
    expect(analyzer.analyze(`${neutral}${danger} ${neutral}`).check.danger).toBeDefined();
});
