import { expect, test } from 'vitest';
import { timestamps } from '../../../generated/spec.js';
import { groupBySubject } from '../recordings/recorded-window.js';
import { clampToContract } from '../../recordings/signals.js';
import { readWindows } from '../recordings/read-windows.js';
import { stampsUntil } from '../replay.js';

const csv = `subject,task,heart_rate,sdnn,label
a,Rest,60.5,NaN,rest

b,Rest,20,1608.092,rest
a,Math,,,stressor
`;

test('a row becomes a window with the line number of the row and only the recorded signals', () => {
  const [first, second, third] = readWindows(csv);
  expect(first).toMatchObject({ line: 2, subject: 'a', task: 'Rest', label: 'rest', clamped: [] });
  expect(first?.values).toEqual({ heart_rate: 60.5 });
  expect(second?.line).toBe(4);
  expect(third?.values).toEqual({});
});

test('values outside the contract are clamped to the nearest allowed value and reported', () => {
  const [, window] = readWindows(csv);
  expect(window?.values).toEqual({ heart_rate: 30, sdnn: 500 });
  expect(window?.clamped).toEqual([
    { signal: 'heart_rate', recorded: 20, sent: 30 },
    { signal: 'sdnn', recorded: 1608.092, sent: 500 },
  ]);
  expect(clampToContract('sentiment', -1)).toBe(-1);
});

test('a file without the required columns is rejected with their names', () => {
  expect(() => readWindows('subject,heart_rate\na,60\n')).toThrow('columns task, label');
  expect(() => readWindows('')).toThrow('columns subject, task, label');
});

test('the windows of a subject keep the order of the file', () => {
  const groups = groupBySubject(readWindows(csv));
  expect([...groups].map(([subject, windows]) => [subject, windows.map(({ task }) => task)])).toEqual([
    ['a', ['Rest', 'Math']],
    ['b', ['Rest']],
  ]);
});

test('the timestamps of twelve windows are 24 seconds apart and end at the current time', () => {
  const stamps = stampsUntil(1_000_000, 12);
  expect(stamps.at(-1)).toBe(1_000_000);
  expect(stamps[0]).toBe(1_000_000 - 264_000);
  expect(new Set(stamps.slice(1).map((stamp, index) => stamp - (stamps[index] ?? 0)))).toEqual(new Set([24_000]));
});

test('the interval of a long recording shrinks until its first window is within the allowed age', () => {
  const [first = 0] = stampsUntil(1_000_000, 100);
  expect(1_000_000 - first).toBeLessThan(timestamps.max_age_seconds * 1000);
  expect(stampsUntil(1_000_000, 1)).toEqual([1_000_000]);
});
