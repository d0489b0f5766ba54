import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitBody } from '../src/fit-body.js';
import { body as limits } from '../../../generated/spec.js';

const signals = { session_id: 's1', subject_id: 'p1', timestamp: '2026-11-21T09:30:00.000Z', heart_rate: 88 };
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 5000, size: 'max' });

test('the body always fits, keeps its signals, and truncates texts only between code points', () => {
  const law = fc.property(texts, texts, (user_message, ai_response) => {
    const fitted = fitBody({ ...signals, user_message, ai_response });
    expect(bytes(fitted)).toBeLessThanOrEqual(limits.max_bytes);
    expect(fitted).toMatchObject(signals);
    for (const [whole, kept = ''] of [
      [user_message, fitted.user_message],
      [ai_response, fitted.ai_response],
    ] as const) {
      expect(whole.startsWith(kept)).toBe(true);
      expect([...whole].slice(0, [...kept].length).join('')).toBe(kept);
    }
  });
  fc.assert(law, { numRuns: 200 });
});

test('a body that fits stays unchanged, byte for byte', () => {
  const room = limits.max_bytes - bytes({ ...signals, user_message: '' });
  const fits = { ...signals, user_message: 'x'.repeat(room) };
  expect(fitBody(fits)).toBe(fits);
  expect(fitBody({ ...signals, user_message: 'x'.repeat(room + 1) })).toEqual(fits);
});

test('the shorter text is kept whole, and the longer one gets the remaining bytes', () => {
  const fitted = fitBody({ ...signals, user_message: 'short', ai_response: 'x'.repeat(9000) });
  expect(fitted.user_message).toBe('short');
  expect(bytes(fitted)).toBe(limits.max_bytes);
});

test('a text truncated to nothing is omitted, because the service rejects empty texts', () => {
  const ids = { ...signals, session_id: 's'.repeat(256), subject_id: 'p'.repeat(256) };
  expect(fitBody({ ...ids, user_message: '😰'.repeat(9) }, bytes({ ...ids, user_message: '' }) + 3)).toEqual(ids);
});
