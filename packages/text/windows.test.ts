import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadTextModel } from './model.js';
import { gatherTopics } from './gather.js';
import { computeDangerLogOdds } from './safety.js';
import { textSentiment, textWindows } from './settings.js';
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
        expect(to - from).toBeLessThanOrEqual(textWindows.words);
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

test('a danger has lower log odds among more windows, because the strongest of many is higher by chance', () => {
  const things = ['film', 'train', 'band', 'color', 'story', 'prize', 'garden', 'bridge', 'library', 'harbor'];
  const sentences = things.flatMap((a) => things.map((b) => `The ${a} is near the ${b}.`));
  const [near = 0, far = 0] = [8, 80].map((count) => {
    const text = `I cut my arms again last night. ${sentences.slice(0, count).join(' ')}`;
    return computeDangerLogOdds(analyzer.scoreMessage(text).safety);
  });
  expect(far).toBeLessThan(near - textWindows.danger_per_doubling);
});

test('a repeated sentence adds no evidence', () => {
  const long = `I ${'really do not know how to tell my boss that '.repeat(4)} I am tired.`;
  expect(analyzer.scoreMessage(`${long} ${long}`)).toEqual(analyzer.scoreMessage(long));
  expect(analyzer.scoreMessage(films.repeat(3))).toEqual(analyzer.scoreMessage(films.repeat(2)));
});

test.each([1, 2, 6, 16])('severe words are as strong beside neutral words (%i times 230 characters)', (times) => {
  const neutral = films.repeat(times);
  const { sentiment = 0 } = analyzer.analyze(neutral);
  expect(sentiment).toBeGreaterThanOrEqual(textSentiment.neutral_sentiment);
  for (const severe of [
    'My husband died last week and I cannot stop crying.',
    'I lost my job and we will lose the house.',
  ]) {
    const alone = analyzer.analyze(severe).sentiment;
    expect(alone).toBeLessThanOrEqual(textSentiment.distress_sentiment);
    expect(analyzer.analyze(`${neutral}${severe} ${neutral}`).sentiment).toBeLessThanOrEqual((alone ?? 0) + 0.1);
  }
});

test('a concern in a long message has topics', () => {
  const concern = 'I am so worried about my exam that I cannot sleep.';
  for (const text of [concern, `${films}${concern} ${films}`, `${films.repeat(3)}${concern}`])
    expect(gatherTopics(undefined, analyzer.analyzeTurn({ user_message: text, ai_response: '' })).topics).not.toEqual(
      [],
    );
});

test.each(['I would think there would be more.', 'Hello! I am. Are you?', 'It does, hopefully the rule will change.'])(
  '%j in a long message is neither severe nor a danger',
  (text) => {
    const { check, sentiment } = analyzer.analyze(`${films}${text} ${films}`);
    expect([check.danger, sentiment]).toEqual([undefined, expect.closeTo(0, 1)]);
  },
);
