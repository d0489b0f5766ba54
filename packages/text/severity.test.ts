import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../testkit/arbitraries.js';
import { loadTextModel } from './model.js';
import { textSentiment } from './settings.js';
import { strongestSentiment, toSentiment } from './severity.js';
import { createTextAnalyzer } from './texts.js';

const model = loadTextModel(readFileSync(new URL('./weights/text.bin', import.meta.url)));
const analyzer = createTextAnalyzer(model);
const estimate = (text: string) => analyzer.analyze(text).sentiment;

test('an estimate is within its bounds and does not depend on earlier texts', () => {
  fc.assert(
    fc.property(anyText, anyText, (first, other) => {
      const fresh = createTextAnalyzer(model).analyze(first, other);
      estimate(other);
      expect(analyzer.analyze(first, other)).toEqual(fresh);
      if (fresh.sentiment === undefined) return;
      expect(fresh.sentiment).toBeGreaterThanOrEqual(textSentiment.sentiment_min);
      expect(fresh.sentiment).toBeLessThanOrEqual(0);
    }),
    { numRuns: 15 },
  );
});

test('words without distress are neutral, and more severe distress never has a higher sentiment', () => {
  expect(estimate('How do I prune a rose?')).toBeGreaterThanOrEqual(textSentiment.neutral_sentiment);
  fc.assert(
    fc.property(fc.double({ min: -6, max: 6, noNaN: true }), fc.double({ min: 0, max: 6, noNaN: true }), (x, more) => {
      expect(toSentiment(x + more)).toBeLessThanOrEqual(toSentiment(x));
    }),
  );
});

test('texts keep their order everywhere, also within neutral words and among the most severe ones', () => {
  const severities = [-5, -4, -3, -2, -1, -0.7, -0.6, -0.5, 0, 1, 2, 3];
  const sentiments = severities.map(toSentiment);
  expect(new Set(sentiments).size).toBe(severities.length);
  expect(sentiments).toEqual([...sentiments].sort((a, b) => b - a));
});

test.each(['I want to kill myself.', 'My boyfriend hit me again last night.', 'Ich will sterben.', 'Quiero morir'])(
  '%j has the strongest sentiment, which words without a danger have too',
  (text) => {
    expect(analyzer.analyze(text).check.danger).toBeDefined();
    expect(estimate(text)).toBe(strongestSentiment);
    expect(toSentiment(textSentiment.severest_log_odds)).toBe(strongestSentiment);
    expect(strongestSentiment).toBeGreaterThan(textSentiment.sentiment_min);
  },
);

test.each([
  ['My boyfriend told me he loved me today', 'My boyfriend told me he is leaving me'],
  ['My ex told me he missed me', 'My ex told me he is moving away with the kids'],
  ['I am not nervous at all', "I'm nervous about tomorrow"],
  ['I was never sad here', 'I am sad'],
])('%j is neutral, and %j is not', (glad, distressed) => {
  expect(estimate(glad)).toBeGreaterThan(textSentiment.neutral_sentiment - 0.05);
  expect(estimate(distressed)).toBeLessThan(textSentiment.distress_sentiment);
});

test('a message without a known word has no sentiment', () => {
  expect(estimate('qwxzk vvvrrt')).toBeUndefined();
});

test('a message with a danger or in another language has no turn', () => {
  expect(analyzer.analyze('My exam is tomorrow', 'Good luck').turn).toBeDefined();
  expect(analyzer.analyze('I want to kill myself', 'I am here').turn).toBeUndefined();
  expect(analyzer.analyze('Ich kann nicht mehr schlafen', 'ok')).toEqual({ check: { isForeign: true } });
  const foreignDanger = analyzer.analyze('Ich kann nicht mehr, ich will sterben', 'ok');
  expect(foreignDanger).toEqual({
    check: { isForeign: true, danger: 'suicidal_thoughts' },
    sentiment: strongestSentiment,
  });
});

test('letter case, apostrophes and accents do not change an estimate', () => {
  expect(estimate('I CAN’T STOP CRYING IN THIS CAFÉ')).toBe(estimate("I can't stop crying in this cafe"));
});

test.each(['I am well. ', 'i want to ', 'I feel fine. ', 'I like it here. ', 'go home now ', 'fine ', 'my ', 'no '])(
  '"%s", repeated, is neutral English without a danger',
  (part) => {
    for (const times of [2, 4, 16, 256, 4096]) {
      const { check, sentiment } = analyzer.analyze(part.repeat(times));
      expect(check, String(times)).toEqual({ isForeign: false });
      expect(sentiment, String(times)).toBeGreaterThanOrEqual(textSentiment.neutral_sentiment);
    }
  },
);

test('further repetitions of a sentence change no log odds', () => {
  const words = 'i want to go home am well my the no good morning please help we like it here bus late tired die'.split(
    ' ',
  );
  const sentence = fc.tuple(
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }).map((it) => it.join(' ')),
    fc.constantFrom('. ', '? '),
  );
  fc.assert(
    fc.property(sentence, fc.integer({ min: 1, max: 40 }), ([text, end], more) => {
      // From 32 words on, the length of a text is no feature. Text beyond 4,096 characters is not read.
      const [some, many] = [32, 32 + more].map((times) => analyzer.scoreMessage((text + end).repeat(times)));
      expect(many).toEqual(some);
    }),
  );
});
