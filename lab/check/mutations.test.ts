import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Copy } from './mutations/copy.js';
import { features } from './mutations/features.js';
import { describePrices, findPrices } from './mutations/price.js';
import { observe, tryChange } from './mutations/trials.js';
import type { WarmTests } from './mutations/warm-tests.js';

test('a price counts the changes that only one file notices, and the dearest file that notices least is first', () => {
  const files = Object.entries({ 'a.test.ts': 2_000, 'b.test.ts': 900, 'c.test.ts': 40_000 });
  const tried = [
    { description: 'one', noticedBy: ['a.test.ts'] },
    { description: 'both', noticedBy: ['a.test.ts', 'b.test.ts'] },
    { description: 'none', noticedBy: [] },
  ];
  const prices = findPrices(
    files.map(([file, cpuMs]) => ({ file, cpuMs })),
    tried,
  );
  expect(prices).toEqual([
    { file: 'c.test.ts', cpuMs: 40_000, noticed: 0, alone: [] },
    { file: 'b.test.ts', cpuMs: 900, noticed: 1, alone: [] },
    { file: 'a.test.ts', cpuMs: 2_000, noticed: 2, alone: ['one'] },
  ]);
  const text = describePrices(prices);
  expect(text).toMatch(/^c\.test\.ts +40\.0 +0 +0$/m);
  expect(text).toMatch(/^a\.test\.ts +2\.0 +2 +1$/m);
  expect(text).toMatch(/\nOnly a\.test\.ts notices:\n {2}one$/);
});

/** A copy and tests of three files that run change 1. The tests of `failing` fail while it has an effect. */
function pretend(failing: readonly string[]) {
  let selected = 0;
  const ran: string[] = [];
  const copy: Copy = {
    select: (change) => void (selected = change),
    readReached: () => [{ number: 1, test: 'a test' }],
    readCpuMs: () => 70,
  };
  const tests: WarmTests = {
    find: async () => ['a.test.ts', 'b.test.ts', 'c.test.ts'],
    async run(file) {
      if (selected === 1) ran.push(file);
      const failed = selected === 1 && failing.includes(file);
      return { durationsMs: new Map([['a test', 1]]), ...(failed && { failure: 'broken', failed: 'a test' }) };
    },
    cool: async () => {},
    stop: async () => {},
  };
  return { copy, tests, ran };
}

test.each([
  [false, ['a.test.ts', 'b.test.ts'], ['b.test.ts']],
  [true, ['a.test.ts', 'b.test.ts', 'c.test.ts'], ['b.test.ts', 'c.test.ts']],
])(
  'a change is tried until a file notices it, and with --price in every file: %s',
  async (isPriced, tried, noticedBy) => {
    const { copy, tests, ran } = pretend(['b.test.ts', 'c.test.ts']);
    const files = await observe(copy, tests, [], isPriced);
    expect(files.map(({ file, cpuMs }) => [file, cpuMs])).toEqual(['a', 'b', 'c'].map((it) => [`${it}.test.ts`, 70]));
    const verdict = await tryChange(copy, tests, { number: 1, isTopLevel: false }, files, isPriced);
    expect([ran, verdict]).toEqual([tried, { noticedBy, reason: 'b.test.ts: broken' }]);
  },
);

test('a change that no file notices has no price', async () => {
  const { copy, tests } = pretend([]);
  const files = await observe(copy, tests, [], true);
  const verdict = await tryChange(copy, tests, { number: 1, isTopLevel: false }, files, true);
  expect(verdict).toEqual({ noticedBy: [], reason: 'it runs in 3 files' });
});

test('every source file of a feature exists', () => {
  expect(features.flatMap(({ sources }) => sources).filter((it) => !existsSync(it))).toEqual([]);
});
