import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJsonErrorPosition } from './body.js';

test.each([
  ['{"a": 1,}', 1, 9],
  ['{"a": 1\n "b": 2}', 2, 2],
  ['{"a": }', 1, 7],
  ['{"a" 1}', 1, 6],
  ['{a: 1}', 1, 2],
  ["{'a': 1}", 1, 2],
  ['{"a": 01}', 1, 8],
  ['{"a": .5}', 1, 7],
  ['{"a": NaN}', 1, 7],
  ['{"a": "b\n"}', 1, 7],
  ['{"a": "\\x"}', 1, 7],
  ['[1, 2', 1, 6],
  ['[1,]', 1, 4],
  ['{"a": [1}', 1, 9],
  ['{} {}', 1, 4],
  ['{}\r\n}', 2, 1],
  ['hello', 1, 1],
  ['{"session_id":', 1, 15],
])('%j stops being JSON at line %i, column %i', (text, line, column) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  expect(findJsonErrorPosition(text)).toEqual({ line, column });
});

test('unclosed deep nesting stops being JSON at its end', () => {
  expect(findJsonErrorPosition('['.repeat(4000))).toEqual({ line: 1, column: 4001 });
});

test('the text before the position starts no other error: a truncated JSON text stops at its end or in its last token', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, cut) => {
      const text = `[${json}]`.slice(0, 1 + (cut % (json.length + 1)));
      const { line, column } = findJsonErrorPosition(text);
      const lastToken = /(?:"(?:[^"\\]|\\.)*\\?|[\w.+-]*)$/.exec(text)?.[0] ?? '';
      expect(line).toBe(1);
      expect(column).toBeGreaterThan(text.length - lastToken.length - 1);
      expect(column).toBeLessThanOrEqual(text.length + 1);
    }),
  );
});
