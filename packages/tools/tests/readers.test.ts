import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { detectFormat, readRecording } from '../recordings/load-recording.js';
import { Minutes } from '../recordings/minutes.js';
import { readWindows } from '../recordings/read-windows.js';
import { root } from '../../../testkit/service.js';

const sample = (name: string) => new URL(`samples/readers/${name}`, root).pathname;
const startMs = Date.UTC(2024, 10, 20, 9);
const nowMs = startMs + 3 * 3_600_000;

async function readSample(name: string) {
  const minutes = new Minutes({ hours: 24, nowMs });
  const format = await detectFormat(sample(name));
  if (format === 'windows') throw new Error('a recording with labels');
  await readRecording({ path: sample(name), utcOffsetMs: 0 }, format, minutes);
  return { format, readings: minutes.readings(), skipped: Object.fromEntries(minutes.skipped) };
}

const wholes = [62, 64, 70, 90];
const halves = wholes.map((bpm) => bpm + 0.5);

test.each([
  ['date-before-datetime.csv', wholes],
  ['date-before-timestamp.csv', wholes],
  ['date-and-time.csv', wholes],
  ['midnight-and-time.csv', wholes],
  ['semicolon-decimal-comma.csv', halves],
  ['semicolon-comma-in-title.csv', wholes],
  ['tab.csv', halves],
  ['google-beats-per-minute.csv', wholes],
])('every row of %s is read at its time', async (name, expected) => {
  const { format, readings, skipped } = await readSample(name);
  expect(format).toBe('csv');
  expect(readings.map(({ values }) => values.heart_rate)).toEqual(expected);
  expect(readings.map(({ atMs }) => atMs)).toEqual(expected.map((_, minute) => startMs + minute * 60_000));
  expect(skipped).toEqual({});
});

test.each([
  ['broken-row.csv', 'a row with a misplaced quotation mark'],
  ['broken-entry.json', 'not an entry with value.bpm'],
])('a broken record of %s is counted, and the others are read', async (name, reason) => {
  const { readings, skipped } = await readSample(name);
  expect(readings.map(({ values }) => values.heart_rate)).toEqual([62, 70, 90]);
  expect(skipped).toEqual({ [reason]: 1 });
});

test('a decimal comma is read in a recording with labels, too', async () => {
  const name = 'semicolon-labels.csv';
  expect(await detectFormat(sample(name))).toBe('windows');
  const windows = readWindows(await readFile(sample(name), 'utf8'));
  expect(windows.map(({ values }) => values.heart_rate)).toEqual(halves);
});
