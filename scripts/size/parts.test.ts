import { expect, test } from 'vitest';
import { isWritten, listParts } from './parts.js';

test('each part has one row, tests of all languages are one part, and the cap counts all of it', () => {
  const { rows, cap } = listParts([
    { name: 'src/main.ts', lines: 33_480 },
    { name: 'packages/score/stress.test.ts', lines: 100 },
    { name: 'packages/client-python/tests/conftest.py', lines: 10 },
    { name: 'packages/score/stress.ts', lines: 5_300 },
    { name: 'lab/options.ts', lines: 20 },
    { name: 'scripts/size.ts', lines: 3 },
    { name: 'contract-tests/dredd/world.ts', lines: 82_000 },
  ]);
  expect(rows).toEqual([
    { part: 'src, lines', found: 33_480, budget: 35_750, tolerance: 1.01 },
    { part: 'tests, lines', found: 110, budget: 53_500, tolerance: 1.01 },
    { part: 'packages/score, lines', found: 5_300, budget: 5_800, tolerance: 1.01 },
    { part: 'scripts and lab, lines', found: 23, budget: 17_300, tolerance: 1.01 },
    { part: 'others, lines', found: 82_000, tolerance: 1.01 },
  ]);
  expect(cap).toEqual({ part: 'all that people wrote, lines', found: 120_913, budget: 155_950 });
});

test.each([
  ['src/main.ts', true],
  ['packages/dashboard/style/style.css', true],
  ['scripts/build/build.mjs', true],
  ['packages/client-python/src/realtime_state_client/async_client.py', true],
  ['packages/client-python/src/realtime_state_client/client.py', false],
  ['generated/api.ts', false],
  ['packages/text/language-words.ts', false],
  ['openapi.yaml', false],
])('%s was written by people: %s', (name, expected) => expect(isWritten(name)).toBe(expected));
