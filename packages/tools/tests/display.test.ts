import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { startLines, startProgress } from '../terminal/progress.js';
import { draw, scenes, seededRandom } from '../terminal/scenes.js';
import { jsonTable, markdownTable, pad, percent, textTable } from '../terminal/table.js';
import { quantile } from '../terminal/quantile.js';
import { protocolOrder } from '../task-summary.js';
import { readWindows } from '../recordings/read-windows.js';
import { colorsFor, scoreBar } from '../colors.js';
import { wrap } from '../demo.js';

const plain = colorsFor({ isTTY: false }, {});
const colored = colorsFor({ isTTY: true }, {});
const columns = [{ title: 'task' }, { title: 'mean', align: 'right' }] as const;

test('a text table aligns its columns and separates its sections with lines', () => {
  const table = textTable(columns, [[['Reading', '7.5']], [], [['all', '107.5']]]);
  expect(table.split('\n')).toEqual([
    'task      mean',
    '──────────────',
    'Reading    7.5',
    '──────────────',
    'all      107.5',
  ]);
});

test('a Markdown table escapes characters that would end a cell', () => {
  expect(markdownTable(columns, [[['a|b', '1']]])).toBe('| task | mean |\n| --- | ---: |\n| a\\|b | 1 |');
});

test('color codes do not count towards the width of a table', () => {
  expect(pad(colored.red('no'), 4)).toBe(`${colored.red('no')}  `);
});

test('colors are used only on terminals that support them', () => {
  expect(colored.isColorSupported).toBe(true);
  expect(colorsFor({ isTTY: true }, { NO_COLOR: '1' }).isColorSupported).toBe(false);
  expect(colorsFor({}, { CI: 'true', FORCE_COLOR: '1' }).isColorSupported).toBe(false);
});

test('a score bar has a fixed width and is full only at the highest score', () => {
  const bars = Array.from({ length: 101 }, (_, score) => scoreBar(score, 25, plain));
  expect(new Set(bars.map((bar) => bar.length))).toEqual(new Set([25]));
  expect(bars[0]).toBe('░'.repeat(25));
  expect(bars[100]).toBe('█'.repeat(25));
  expect(bars[60]).toBe('█'.repeat(15) + '░'.repeat(10));
});

test('each block of a score bar has the color of its band', () => {
  const bar = scoreBar(100, 5, colored);
  const { cyan, green, yellow, magenta, red } = colored;
  expect(bar).toBe([cyan, green, yellow, magenta, red].map((paint) => paint('█')).join('') + colored.dim(''));
});

test('a share is a percentage without the error of its product, and that of nothing is a dash', () => {
  expect([percent(29 / 200, 0), percent(0.125), percent(Number.NaN)]).toEqual(['15 %', '12.5 %', '–']);
});

test('the protocol order includes a task that the first subject skipped', () => {
  const rows = ['a,Rest', 'a,Math', 'b,Intro', 'b,Rest', 'b,Stroop', 'b,Math'];
  const windows = readWindows(`subject,task,label\n${rows.map((row) => `${row},x`).join('\n')}\n`);
  expect(protocolOrder(windows)).toEqual(['Intro', 'Rest', 'Stroop', 'Math']);
});

test('the median of an even count is the mean of the two middle values', () => {
  expect([[1, 2, 9], [1, 2, 4, 9], [5]].map((values) => quantile(values, 0.5))).toEqual([2, 3, 5]);
  expect(quantile([], 0.5)).toBeNaN();
});

test('random values stay in the ranges of their scene and repeat with the seed', () => {
  const random = seededRandom(3);
  for (const scene of scenes)
    for (let index = 0; index < 200; index += 1) {
      const { heart_rate, sentiment } = draw(scene, random);
      expect(heart_rate).toBeGreaterThanOrEqual(scene.heartRate[0]);
      expect(heart_rate).toBeLessThanOrEqual(scene.heartRate[1]);
      expect(sentiment).toBeGreaterThanOrEqual(scene.sentiment[0]);
      expect(sentiment).toBeLessThanOrEqual(scene.sentiment[1]);
    }
  expect([1, 2, 3].map(seededRandom(5))).toEqual([1, 2, 3].map(seededRandom(5)));
});

test('a log gets one line of progress per fifth of the work', () => {
  const lines: string[] = [];
  const progress = startLines((line) => lines.push(line), 12, 'windows');
  for (let index = 0; index < 12; index += 1) progress.advance();
  progress.wait(41.2, '429 Rate limit exceeded');
  expect(lines).toEqual([
    ...[3, 5, 8, 10, 12].map((done) => `${done}/12 windows`),
    '12/12 windows, waits 42 s: 429 Rate limit exceeded',
  ]);
});

test('a progress bar counts the seconds of a wait down and removes them after it', async () => {
  const shown: string[] = [];
  const stream = new Writable({ write: (chunk, _, done) => (shown.push(String(chunk)), done()) });
  const progress = startProgress(Object.assign(stream, { isTTY: true, columns: 200 }) as never, 9, 'windows');
  progress.wait(2, '429 Rate limit exceeded');
  await expect.poll(() => shown.join('')).toMatch(/waits 2 s: 429 Rate limit exceeded.*waits 1 s: /s);
  shown.length = 0;
  progress.advance();
  progress.stop();
  expect(shown.join('')).toMatch(/1\/9 windows/);
  expect(shown.at(-1)).not.toContain('waits');
});

test('a long sentence wraps at spaces', () => {
  expect(wrap('one two three four', 9)).toEqual(['one two', 'three', 'four']);
});

test('a table as JSON has one object per row, with numbers and names in snake case', () => {
  const columns = [
    { title: 'task' },
    { title: 'heart rate', align: 'right' },
    { title: 'calm', align: 'right' },
  ] as const;
  const sections = [
    [
      ['talk', '61.5', '63 %'],
      ['rest', '–', '·'],
    ],
  ];
  expect(jsonTable(columns, sections)).toEqual([
    { task: 'talk', heart_rate: 61.5, calm: 63 },
    { task: 'rest', heart_rate: null, calm: 0 },
  ]);
});
