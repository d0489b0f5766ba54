import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { readFit } from '../fit.js';
import { detectFileFormat, readRecordingFile } from '../../tools/recordings/load-recording.js';
import { Minutes } from '../minutes.js';
import { readWindows } from '../../tools/recordings/read-windows.js';
import { classifySport } from '../sports.js';
import { root } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

const sample = (name: string) => new URL(`samples/readers/${name}`, root).pathname;
const startMs = Date.UTC(2024, 10, 20, 9);
const nowMs = startMs + 3 * 3_600_000;

async function readSample(name: string) {
  const minutes = new Minutes({ hours: 24, nowMs });
  const format = await detectFileFormat(sample(name));
  if (format === 'labeled' || format === 'zip') throw new Error('a recording with labels');
  await readRecordingFile(sample(name), { format: format }, minutes);
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
  ['broken-row.csv', ['a row with a misplaced quotation mark']],
  ['broken-row-polar.csv', ['a row with a misplaced quotation mark']],
  ['broken-entry.json', ['not an entry with value.bpm']],
  ['broken-record.xml', ['a damaged record of an XML file']],
  ['broken-point.tcx', ['a damaged record of an XML file']],
  ['broken-point.gpx', ['a damaged record of an XML file']],
  ['broken-record.fit', ['the checksum of a FIT file, which has a damaged record', 'a damaged record of a FIT file']],
])('a broken record of %s is counted, and the others are read', async (name, reasons) => {
  const { readings, skipped } = await readSample(name);
  expect(readings.map(({ values }) => values.heart_rate)).toEqual([62, 70, 90]);
  expect(skipped).toEqual(Object.fromEntries(reasons.map((it) => [it, 1])));
});

test('a damaged byte in the messages of a FIT file costs at most two of its readings', async () => {
  const bytes = await readFile(sample('broken-record.fit'));
  const [start, size, count] = [26, 6, 4];
  // Repairs the second message, so that only the damage of this test is left.
  bytes[start + size] = 0;
  const path = join(await temporaryFolder(), 'damaged.fit');
  for (let at = start; at < start + size * count; at += 1)
    for (const bit of [1, 4, 16, 64, 128]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ bit;
      await writeFile(path, damaged);
      const minutes = new Minutes({ hours: 24, nowMs: startMs + 24 * 3_600_000 });
      await readRecordingFile(path, { format: 'fit' }, minutes);
      const rates = minutes.readings().map(({ values }) => values.heart_rate ?? 0);
      expect(wholes.filter((it) => rates.includes(it)).length, `byte ${at}, bit ${bit}`).toBeGreaterThanOrEqual(2);
      expect([...minutes.skipped.keys()]).toContain('the checksum of a FIT file, which has a damaged record');
    }
});

test('two devices in one minute: a strap before a watch before a phone, then the one with more values', async () => {
  const { readings, skipped } = await readSample('two-devices.csv');
  expect(readings.map(({ values }) => [values.heart_rate, values.source_device])).toEqual([
    [62, 'Polar H10'],
    [64, 'Pixel Watch'],
    [70, 'Galaxy S24'],
    [90, 'Right sensor'],
  ]);
  expect(skipped).toEqual({ 'another device measured the same minute': 7 });
});

test('Apple Health: the chosen device names all heart data of a minute, and others may add what is not of the heart', async () => {
  const { readings } = await readSample('two-devices.xml');
  expect(readings.map(({ values }) => values)).toEqual([
    { heart_rate: 62, respiratory_rate: 14, source_device: 'Polar Beat (Polar H10 7A)' },
    { heart_rate: 64, source_device: 'Tom (Apple Watch)' },
  ]);
});

test.each([undefined, 'garmin'])('files of devices named %s are devices, and their values are merged', async (name) => {
  const folder = await temporaryFolder();
  const minutes = new Minutes({ hours: 24, nowMs });
  const files = { few: ['hr', 120], many: ['hr', 70, 72], hrv: ['sdnn', 50] };
  for (const [file, [field, ...values]] of Object.entries(files)) {
    const path = join(folder, `${file}.csv`);
    const rows = values.map((value, second) => `2024-11-20T09:00:0${second}Z,${value},${name ?? ''}\n`);
    await writeFile(path, `time,${field},device\n${rows.join('')}`);
    await readRecordingFile(path, { format: 'csv' }, minutes);
  }
  const named = name === undefined ? {} : { source_device: name };
  expect(minutes.readings().map(({ values }) => values)).toEqual([{ heart_rate: 71, sdnn: 50, ...named }]);
});

test('more than 64 files that name no device are read', () => {
  const minutes = new Minutes({ hours: 24, nowMs });
  for (let file = 0; file < 100; file += 1)
    minutes.add([{ field: 'heart_rate', atMs: startMs + file * 60_000, value: 60 }], `${file}.fit`);
  expect([minutes.readings().length, minutes.skipped.size]).toEqual([100, 0]);
});

test('Health Connect: a row names its device, directly or by its record', async () => {
  const path = join(await temporaryFolder(), 'health_connect_export.db');
  const database = new Database(path);
  database.exec(`
    CREATE TABLE device_info_table (row_id INTEGER PRIMARY KEY, manufacturer TEXT, model TEXT, device_type INTEGER);
    INSERT INTO device_info_table VALUES (1, 'Polar', 'H10', 7), (2, 'Google', 'Pixel Watch', 1);
    CREATE TABLE heart_rate_record_table (row_id INTEGER PRIMARY KEY, device_info_id INTEGER, app_info_id INTEGER);
    INSERT INTO heart_rate_record_table VALUES (7, 1, 1), (8, 2, 1);
    CREATE TABLE heart_rate_record_series_table (parent_key INTEGER, beats_per_minute INTEGER, epoch_millis INTEGER);
    INSERT INTO heart_rate_record_series_table VALUES (8, 120, ${startMs}), (8, 120, ${startMs + 1}), (7, 62, ${startMs + 2});
    CREATE TABLE heart_rate_variability_rmssd_record_table
      (row_id INTEGER PRIMARY KEY, time INTEGER, heart_rate_variability_millis REAL, device_info_id INTEGER);
    INSERT INTO heart_rate_variability_rmssd_record_table VALUES (1, ${startMs}, 41.5, 1), (2, ${startMs}, 20, 2)`);
  database.close();
  const minutes = new Minutes({ hours: 24, nowMs });
  await readRecordingFile(path, { format: 'health-connect' }, minutes);
  expect(minutes.readings().map(({ values }) => values)).toEqual([
    { heart_rate: 62, rmssd: 41.5, source_device: 'Polar H10 chest strap' },
  ]);
});

const vigorous = { activity_level: 'vigorous' };
test.each([
  [
    'running.tcx',
    [
      { heart_rate: 125, ...vigorous, steps_last_minute: 162 },
      { heart_rate: 140, ...vigorous },
    ],
  ],
  [
    'walking.gpx',
    [
      { heart_rate: 100, activity_level: 'moderate', steps_last_minute: 110 },
      { heart_rate: 120, ...vigorous },
      { heart_rate: 80 },
    ],
  ],
  [
    'run-and-ride.fit',
    [{ heart_rate: 125, ...vigorous, steps_last_minute: 162 }, { heart_rate: 140, ...vigorous }, { heart_rate: 80 }],
  ],
  [
    'workout.xml',
    [
      { heart_rate: 62 },
      { heart_rate: 140, ...vigorous, steps_last_minute: 20 },
      { heart_rate: 80, activity_level: 'light' },
    ],
  ],
  [
    'running-polar.csv',
    [
      { heart_rate: 120, ...vigorous },
      { heart_rate: 130, ...vigorous },
    ],
  ],
  ['running-polar.json', [{ heart_rate: 120, ...vigorous }, { heart_rate: 60 }]],
])('%s: the sport of a file becomes the activity of its minutes', async (name, expected) => {
  const { readings, skipped } = await readSample(name);
  expect(readings.map(({ values }) => values)).toEqual(expected);
  expect(skipped).toEqual({});
});

test.each([
  [
    'vigorous',
    [
      'Running',
      'trail_running',
      'Biking',
      'lap_swimming',
      'HKWorkoutActivityTypeHighIntensityIntervalTraining',
      '9',
      'VirtualRide',
    ],
  ],
  [
    'moderate',
    ['Other', 'generic generic', 'Walking', 'StrengthTraining', 'Alpine Ski', 'HKWorkoutActivityTypeElliptical'],
  ],
  ['light', ['training yoga', 'HKWorkoutActivityTypeTaiChi', 'Cooldown']],
  [
    undefined,
    ['', undefined, 'meditation', 'HKWorkoutActivityTypeMindAndBody', 'motorcycling', 'driving', 'training breathing'],
  ],
])('%s is the level of its sports', (level, names) => {
  expect(names.filter((it) => classifySport(it) !== level)).toEqual([]);
});

/**
 * Little-endian bytes by hand after the profile of the FIT SDK: `hr` has fractional_timestamp (0, 1/32768 s), time256 (1,
 * 1/256 s), filtered_bpm (6), event_timestamp (9, 1/1024 s) and event_timestamp_12 (10, 12 bits per value, the lowest bits
 * first, each continuing the last event_timestamp).
 */
const strapTicks = `
  40 00 00 84 00 04  fd 04 86  00 02 84  06 01 02  09 04 86
  00  10 59 a0 41  00 40  3e  00 f8 ff ff
  41 00 00 84 00 02  06 04 02  0a 06 0d
  01  3f 40 41 ff  00 0c 40  a0 f3 ff
  43 00 00 84 00 02  06 01 02  09 04 86
  03  42  00 24 00 00
  42 00 01 00 84 04  fd 04 86  01 01 02  06 01 02  09 04 86
  02  41 a0 59 4c  80  46  00 00 20 00
  01  47 48 49 4a  00 04 80  00 0c 00`;

test('FIT: ticks of a strap have 12 or 32 bits, start again at 0, and count from a time with a fraction', async () => {
  const file = await readFile(sample('strap-ticks.fit'));
  expect(file.subarray(14, -2).toString('hex')).toBe(strapTicks.replace(/\s/g, ''));
  const found: number[][] = [];
  for await (const items of readFit({ name: '', chunks: createReadStream(sample('strap-ticks.fit')), zone: 0 }))
    for (const item of items) if ('field' in item) found.push([(item.atMs - startMs) / 1000, item.value]);
  expect(found).toEqual([
    [0.5, 62], // event_timestamp 0xfffff800 at 09:00:00 and 16384/32768 s
    [1.5, 63], // 0xc00: 1024 ticks later
    [3.5, 64], // 0x400: 2048 ticks later, after 32 bits have started again at 0
    [7.406, 65], // 0x3a0: 4000 ticks later. The last value, 0xff and 0xfff, fills the array
    [11.5, 66], // event_timestamp 0x2400 without a time: 11264 ticks after the first
    [60.5, 70], // big-endian, 128/256 s
    [61.5, 71],
    [62.5, 72],
    [63.5, 73],
    [64.5, 74],
  ]);
});

test('a decimal comma is read in a recording with labels, too', async () => {
  const name = 'semicolon-labels.csv';
  expect(await detectFileFormat(sample(name))).toBe('labeled');
  const windows = readWindows(await readFile(sample(name), 'utf8'));
  expect(windows.map(({ values }) => values.heart_rate)).toEqual(halves);
});
