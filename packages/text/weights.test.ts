import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadTextModel } from './model.js';
import { decodeWeights, encodeWeights } from './weights.js';

const bytes = new Uint8Array(readFileSync(new URL('./weights/text.bin', import.meta.url)));

test('decoding and encoding returns the same file', () => {
  expect(Buffer.compare(encodeWeights(decodeWeights(bytes)), bytes)).toBe(0);
});

test('a Buffer inside a larger ArrayBuffer decodes to the same weights', () => {
  const offset = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
  expect(Buffer.compare(encodeWeights(decodeWeights(offset)), bytes)).toBe(0);
});

test('a truncated, extended or foreign file is rejected', () => {
  expect(() => decodeWeights(bytes.subarray(0, -1))).toThrow();
  expect(() => decodeWeights(new Uint8Array([...bytes, 0]))).toThrow('too long');
  expect(() => decodeWeights(new TextEncoder().encode('not weights at all'))).toThrow('not a weights file');
});

test('weights for another lexicon are rejected', () => {
  const other = { ...decodeWeights(bytes), fingerprint: 1 };
  expect(() => loadTextModel(encodeWeights(other))).toThrow('another lexicon');
});

test('weights of a head with another shape are rejected', () => {
  const weights = decodeWeights(bytes);
  expect(() => loadTextModel(encodeWeights({ ...weights, safety: weights.severity }))).toThrow('safety are incomplete');
});

test('the sums of all features of a text are exact, so that their order does not matter', () => {
  const { tables, grams } = loadTextModel(bytes).heads;
  let [least, most] = [Infinity, 0];
  for (const table of [...tables, grams])
    for (const value of table)
      if (value !== 0) [least, most] = [Math.min(least, Math.abs(value)), Math.max(most, Math.abs(value))];
  const [featuresMax, lowestBit] = [2 ** 14, 2 ** (Math.floor(Math.log2(least)) - 23)];
  expect((featuresMax * most) / lowestBit).toBeLessThan(2 ** 53);
});

test('the file is small and contains no readable text except single words', () => {
  expect(bytes.length).toBeLessThan(2 * 2 ** 20);
  const { vocabulary, ...others } = decodeWeights(bytes);
  const rest = Buffer.from(encodeWeights({ ...others, vocabulary: [] })).toString('latin1');
  expect(rest.match(/[A-Za-z ]{12,}/g) ?? []).toEqual([]);
  expect(vocabulary.filter((word) => !/^[a-z]{1,24}$/.test(word))).toEqual([]);
  expect(new Set(vocabulary).size).toBe(vocabulary.length);
});
