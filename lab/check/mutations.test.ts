import { expect, test } from 'vitest';
import { runScript } from '../../testkit/process.js';
import { describePrices, findPrices } from './mutations/price.js';

const limitMs = 240_000;

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

test(
  'with --price, every test file that runs a change is tried',
  async () => {
    const args = ['--only', 'windows', '--at', 'packages/text/linear.ts:12', '--price'];
    const { stdout, stderr } = await runScript('lab/check/mutations', args);
    expect(stderr).toContain('noticed: packages/text/linear.ts:12');
    expect(stdout).toMatch(/^test file +CPU s +noticed +alone$/m);
    expect(stdout).toMatch(/^packages\/text\/\S+\.test\.ts +\d+\.\d +1 +\d$/m);
  },
  limitMs,
);
