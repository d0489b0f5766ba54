import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noKnownRows } from './features.js';
import { createMessageReader } from './message-features.js';
import { classTotal, loadTextModel } from './model.js';
import { createTextAnalyzer, createTexts } from './texts.js';
import { decodeWeights, type LinearWeights } from './weights.js';
import { anyText } from '../../testkit/arbitraries.js';

const bytes = readFileSync(new URL('./weights/text.bin', import.meta.url));
const model = loadTextModel(bytes);
const analyzer = createTextAnalyzer(model);

test('the model is built in three parts, once, with a pause after each of them', async () => {
  const texts = createTexts(bytes);
  let pauses = 0;
  const pause = async () => void (pauses += 1);
  const first = texts.load(pause);
  expect(pauses).toBe(1);
  await Promise.all([first, texts.load(pause)]);
  await texts.load(pause);
  expect(pauses).toBe(3);
});

test('precomputed and hashed words give the same odds', () => {
  const hashing = createTextAnalyzer({ ...model, index: { ...model.index, known: noKnownRows } });
  const text =
    'My boss is not happy, I worry about the exams and the rent. Zorbing on Tuesdays is not stressful any more.';
  const turn = { user_message: text, ai_response: '' };
  const [{ user: known }, { user: hashed }] = [analyzer.analyzeTurn(turn), hashing.analyzeTurn(turn)];
  expect(known.odds).toHaveLength(classTotal);
  known.odds.forEach((odds, k) => expect(Math.log(odds / (hashed.odds[k] ?? 0))).toBeCloseTo(0, 4));
  expect(known.points).toEqual(hashed.points);
});

test('the analysis scores the features that training reads, each once', () => {
  const read = createMessageReader(model.lexicon, model.vocabulary);
  const score = (text: string, { biases, families }: LinearWeights, k: number) =>
    read(text).reduce((total, { buckets, length }, i) => {
      const { buckets: known = [], rarities = [], weights = [] } = families[i] ?? {};
      const places = new Map([...known].map((bucket, at) => [bucket, at]));
      const found = [...buckets.subarray(0, length)].flatMap((bucket) => places.get(bucket) ?? []);
      const own = found.map((at) => rarities[at] ?? 0);
      const sum = found.reduce((all, at, n) => all + (own[n] ?? 0) * (weights[biases.length * at + k] ?? 0), 0);
      return total + (sum === 0 ? 0 : sum / Math.hypot(...own));
    }, biases[k] ?? 0);
  const { severity, safety } = decodeWeights(bytes);
  for (const text of [
    'I cannot stop crying.',
    'My boss shouted at me, at me. I do not want to die! Explain how a heat pump works?',
    'I am not sad. I am not sad. Write a poem about zorbing in the rain, in the rain.',
  ]) {
    const found = analyzer.scoreMessage(text);
    expect(score(text, severity, 0)).toBeCloseTo(found.severity, 3);
    found.safety.forEach((it, k) => expect(score(text, safety, k)).toBeCloseTo(it, 3));
  }
});

test('the result does not depend on earlier texts', () => {
  fc.assert(
    fc.property(anyText, anyText, (first, other) => {
      const turn = { user_message: first, ai_response: other };
      const fresh = createTextAnalyzer(model).analyzeTurn(turn);
      analyzer.analyzeTurn({ user_message: other, ai_response: first });
      expect(analyzer.analyzeTurn(turn)).toEqual(fresh);
    }),
    { numRuns: 15 },
  );
});

test('a message has the same concern alone and in a turn', () => {
  for (const text of [
    'My exam is tomorrow and I am not sad.',
    'My boss shouted at me, so I cannot sleep.',
    'I am fine.',
  ])
    expect(analyzer.scoreMessage(text).concern).toBe(
      analyzer.analyzeTurn({ user_message: text, ai_response: '' }).concern,
    );
});

test('ids, hashes, addresses and the digits of numbers change no judgment', () => {
  const hex = (digits: number) =>
    fc
      .array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits })
      .map((it) => it.join(''))
      .filter((it) => /\d/.test(it) && /[a-f]/.test(it));
  const ids = fc.oneof(fc.uuid(), hex(8), hex(40), fc.webUrl(), fc.constant('jo.doe+x1@mail.example.com'));
  const numbers = fc.oneof(
    fc.nat().map(String),
    fc.nat({ max: 9 }).map((it) => `${it}.${it}5`),
    fc.constantFrom('10:30', '5,000', '2026-11-28'),
  );
  for (const text of [
    'I am so scared of my exam and cannot stop crying',
    'I want to die',
    'Can you look at my order',
  ]) {
    const scored = analyzer.scoreMessage(`${text} `);
    const numbered = analyzer.scoreMessage(`${text} 7`);
    fc.assert(
      fc.property(ids, numbers, (id, number) => {
        expect(analyzer.scoreMessage(`${text} ${id} `)).toEqual(scored);
        expect(analyzer.scoreMessage(`${text} ${number}`)).toEqual(numbered);
      }),
      { numRuns: 20 },
    );
  }
});

test('the result contains only numbers and one flag per text', () => {
  fc.assert(
    fc.property(anyText, anyText, (user_message, ai_response) => {
      const { model, concern, user, assistant } = analyzer.analyzeTurn({ user_message, ai_response });
      const values = [user, assistant].flatMap(({ odds, points, isNamed, firstPerson }) => [
        ...[...odds, ...points.flat(), ...firstPerson],
        Number(isNamed),
      ]);
      const all = [model, concern, ...values];
      expect(all.every((value) => typeof value === 'number' && !Number.isNaN(value))).toBe(true);
      expect(Object.keys(user)).toEqual(['odds', 'points', 'isNamed', 'firstPerson']);
    }),
    { numRuns: 15 },
  );
});

/** Analyzes the texts of this project, every other one with a response. Three decimals do not depend on the machine. */
function analyzeAll(): string {
  const folder = new URL('./training/texts/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((it) => it.endsWith('.txt'));
  const texts = files.sort().flatMap((it) => readFileSync(new URL(it, folder), 'utf8').trim().split('\n'));
  const results = texts.map((text, index) => analyzer.analyze(text, index % 2 ? text : undefined));
  return JSON.stringify(results, (key, it: unknown) =>
    typeof it === 'number' && key !== 'model' ? Math.round(it * 1000) / 1000 : it,
  );
}

// Evidence of one version is compared, so different results require a new version, and a new digest here.
test('the analysis of all texts of this project changes only with the version of the model', () => {
  const digest = createHash('sha256').update(analyzeAll()).digest('base64');
  expect({ version: model.version, digest }).toEqual({
    version: 3675740459,
    digest: 'we0pAioc9D6d8cuMi0jAbocVklDZVhRdp9hqPETfeIM=',
  });
});
