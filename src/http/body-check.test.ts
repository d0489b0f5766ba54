import fc from 'fast-check';
import { expect, test } from 'vitest';
import { definitions, findDefinition } from '../contract/definitions.js';
import { createIsValidBody } from './body-check.js';
import { createFindErrors } from './validator.js';

const ingest = findDefinition('ingest');
const fields = Object.keys(ingest.body?.schema.properties ?? {});
const valid = { session_id: 's1', timestamp: '2026-01-05T09:00:00Z', heart_rate: 72 };
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 0, -1, 1e9, 0.5, [], {}, 'calm', 'tense', [800, 810], [1, null], 's 1'),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 2 }),
);
const times = ['2026-01-05T09:00:00Z', '2026-01-05 09:00:00Z', '2026-02-30T09:00:00Z', '2026-01-05T24:00:00+00:00'];
const change = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(fc.constantFrom(...fields, 'other', '__proto__'), odd) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('timestamp'), fc.constantFrom(...times)) },
);
const body = fc.array(change, { maxLength: 4 }).map((changes) => ({ ...valid, ...Object.fromEntries(changes) }));

test('the check of a body says what the validator says, and changes nothing', async () => {
  const findErrors = await createFindErrors();
  const isValid = createIsValidBody();
  const headers = { 'content-type': ingest.body?.mediaType };
  let accepted = 0;
  const property = fc.asyncProperty(fc.oneof(body, body, odd), async (it) => {
    const before = JSON.stringify(it);
    const says = isValid(ingest, it);
    expect(JSON.stringify(it)).toBe(before);
    const errors = await findErrors(ingest, { query: {}, headers, params: {}, body: it });
    expect(says).toBe(errors.length === 0);
    if (says) accepted += 1;
  });
  await fc.assert(property, { numRuns: 3_000 });
  expect(accepted).toBeGreaterThan(300);
});

test('an operation without a body has no valid one', () => {
  const without = definitions.find((it) => !it.body);
  expect(without && createIsValidBody()(without, {})).toBe(false);
});
