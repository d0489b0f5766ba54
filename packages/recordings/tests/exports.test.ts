import { readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FitBaseType, FitEncoder } from 'fit-file-parser/encoder';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { sampleFiles, writeDatabase } from '../../../testkit/recordings.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { type Entry, zip } from '../../../testkit/zip.js';
import { readRecordingFile } from '../../tools/recordings/load-recording.js';
import { Minutes } from '../minutes.js';

const startMs = Date.UTC(2024, 10, 20, 9);
const minuteMs = 60_000;

async function readPath(path: string) {
  const minutes = new Minutes({ hours: 48, nowMs: startMs + 24 * 60 * minuteMs });
  const formats = await readRecordingFile(path, {}, minutes);
  return { formats, readings: minutes.readings(), skipped: Object.fromEntries(minutes.skipped) };
}

async function readZipOf(entries: readonly Entry[], comment?: string) {
  const path = join(await temporaryFolder(), 'export.zip');
  await writeFile(path, zip(entries, comment));
  return readPath(path);
}

const appleExport = sampleFiles['export.xml']?.() ?? '';

test('a ZIP of Apple Health is opened, and its other files are named', async () => {
  const { formats, readings, skipped } = await readZipOf(
    [
      { name: 'apple_health_export/', content: '', isStored: true },
      { name: 'apple_health_export/export_cda.xml', content: '<ClinicalDocument/>' },
      { name: 'apple_health_export/export.xml', content: appleExport },
      {
        name: 'apple_health_export/electrocardiograms/ecg.csv',
        content: 'Name,X\nRecorded Date,2024\n',
        isStored: true,
      },
    ],
    'PK\x05\x06 in a comment',
  );
  expect([formats, readings.length]).toEqual([['apple-health'], 10]);
  expect(skipped).toMatchObject({
    'a file in the ZIP that is no recording: export_cda.xml': 1,
    'a file in the ZIP that is no recording: ecg.csv': 1,
  });
});

test('a file in a ZIP that is too large, and files after the tenth one that are no recordings, are skipped', async () => {
  const others = Array.from({ length: 12 }, (_, at) => ({ name: `notes/${at}.txt`, content: 'hello' }));
  const large = Buffer.alloc(64 * 1024 * 1024 + 1, ' ');
  large.write('[{"bpm": 70');
  const { readings, skipped } = await readZipOf([
    { name: 'all/export.xml', content: appleExport },
    { name: 'all/heart_rate.json', content: large },
    ...others,
  ]);
  expect(readings).toHaveLength(10);
  expect(skipped).toMatchObject({
    'a file in the ZIP of more than 64 MB: heart_rate.json': 1,
    'a file in the ZIP that is no recording: 8.txt': 1,
    'a file in the ZIP that is no recording': 3,
  });
});

test('a ZIP of Fitbit merges heart rates, steps and workouts, and reads the fields of ZIP64', async () => {
  const workout = [{ activityName: 'Run', startTime: '11/20/24 09:05:00', duration: 5 * minuteMs }];
  const names = ['heart_rate-2024-11-20.json', 'steps-2024-11-20.json'];
  const { readings } = await readZipOf([
    ...names.map((name) => ({ name: `Takeout/Fitbit/${name}`, content: sampleFiles[name]?.() ?? '', is64: true })),
    { name: 'Takeout/Fitbit/exercise-0.json', content: JSON.stringify(workout) },
  ]);
  expect(readings[0]?.values).toEqual({ heart_rate: 63, steps_last_minute: 20 });
  expect(readings.at(-1)?.values).toEqual({ heart_rate: 112.8, activity_level: 'vigorous' });
});

test('a ZIP of Health Connect is read from a temporary file, which is removed', async () => {
  const path = join(await temporaryFolder(), 'health_connect_export.db');
  writeDatabase(path);
  const listTemporary = async () => (await readdir(tmpdir())).filter((it) => it.startsWith('state-service-import-'));
  const before = await listTemporary();
  const { formats, readings } = await readZipOf([
    { name: '../../health_connect_export.db', content: await readFile(path) },
  ]);
  expect([formats, readings.length]).toEqual([['health-connect'], 10]);
  expect(await listTemporary()).toEqual(before);
});

const csv = 'time,hr\n2024-11-20T09:00:00Z,70\n';
const entry = { name: 'a.csv', content: csv };
test.each<[string, Entry[], RegExp]>([
  [
    'that states fewer bytes than it has',
    [{ ...entry, stated: { bytes: 5 } }],
    /^a.csv in the ZIP: the ZIP is damaged/,
  ],
  ['with another checksum', [{ ...entry, stated: { checksum: 1 } }], /the ZIP is damaged/],
  ['that is encrypted', [{ ...entry, stated: { flags: 1 } }], /^the ZIP is encrypted/],
  ['with another compression', [{ ...entry, stated: { method: 12 } }], /method 12, which is not read/],
  ['with content that cannot be inflated', [{ ...entry, isStored: true, stated: { method: 8 } }], /the ZIP is damaged/],
  ['without recordings', [{ name: 'a.txt', content: 'hello' }], /^format not known: a ZIP without recordings/],
  [
    'with a file of several people',
    [{ ...entry, content: 'time,hr,person\n2024-11-20T09:00:00Z,70,1\n2024-11-20T09:00:00Z,70,2\n' }],
    /^a.csv in the ZIP: column person has 2 people/,
  ],
])('a ZIP %s is refused', async (_, entries, message) => {
  await expect(readZipOf(entries)).rejects.toThrow(message);
});

test('a ZIP that is cut off, or whose list lies outside of it, is refused', async () => {
  const whole = zip([entry]);
  const outside = Buffer.from(whole);
  outside.writeUInt32LE(0xfffffff0, outside.length - 6);
  const path = join(await temporaryFolder(), 'cut.zip');
  for (const bytes of [whole.subarray(0, -1), whole.subarray(0, 40), outside]) {
    await writeFile(path, bytes);
    await expect(readPath(path)).rejects.toThrow('the ZIP is damaged or cut off');
  }
});

test('Health Connect: the minutes of a workout have the activity of its sport', async () => {
  const path = join(await temporaryFolder(), 'health_connect_export.db');
  const database = new Database(path);
  const beats = Array.from({ length: 4 }, (_, at) => `(1, 140, ${startMs + at * minuteMs})`);
  // 33 is running and 57 is yoga in Android's database. 79 is walking in the library of apps.
  database.exec(`
    CREATE TABLE heart_rate_record_series_table (parent_key INTEGER, beats_per_minute INTEGER, epoch_millis INTEGER);
    INSERT INTO heart_rate_record_series_table VALUES ${beats.join()};
    CREATE TABLE exercise_session_record_table (row_id INTEGER PRIMARY KEY, start_time INTEGER, end_time INTEGER, exercise_type INTEGER);
    INSERT INTO exercise_session_record_table VALUES
      (1, ${startMs}, ${startMs + 1}, 33), (2, ${startMs + minuteMs}, ${startMs + minuteMs + 1}, 57), (3, ${startMs + 2 * minuteMs}, ${startMs + 2 * minuteMs + 1}, 79)`);
  database.close();
  const { readings } = await readPath(path);
  expect(readings.map(({ values }) => values.activity_level)).toEqual(['vigorous', 'light', 'moderate', undefined]);
});

test('another SQLite database is no format that is known', async () => {
  const path = join(await temporaryFolder(), 'other.db');
  const database = new Database(path);
  database.exec('CREATE TABLE notes (text TEXT)');
  database.close();
  await expect(readPath(path)).rejects.toThrow(
    'format not known: a SQLite database without the tables of Health Connect',
  );
});

test('FIT: a strap and the watch in one file are two devices, and stored heart rates have the sport of the session', async () => {
  const encoder = new FitEncoder({ protocolVersion: 0x20 });
  const uint32 = (number: number, value: number) => ({ number, size: 4, baseType: FitBaseType.Uint32, value });
  const byte = (number: number, value: number) => ({ number, size: 1, baseType: FitBaseType.Uint8, value });
  const time = (ms: number) => uint32(253, FitEncoder.toFitTimestamp(new Date(startMs + ms)));
  // The strap is connected over ANT+, and stores what it measures under water.
  encoder.writeMessage(23, [time(0), byte(1, 120), byte(25, 1)], 2);
  for (const minute of [0, 1]) encoder.writeMessage(20, [time(minute * minuteMs), byte(3, 150)]);
  const filtered = { number: 6, size: 1, baseType: FitBaseType.Uint8, value: new Uint8Array([120]) };
  encoder.writeMessage(132, [time(5_000), filtered, uint32(9, 1024)], 1);
  const swim = { ...byte(5, 5), baseType: FitBaseType.Enum };
  encoder.writeMessage(18, [time(2 * minuteMs), uint32(2, FitEncoder.toFitTimestamp(new Date(startMs))), swim], 3);
  const path = join(await temporaryFolder(), 'swim.fit');
  await writeFile(path, encoder.close());
  const { readings } = await readPath(path);
  expect(readings.map(({ values }) => values)).toEqual([
    { heart_rate: 120, activity_level: 'vigorous', source_device: 'heart rate strap' },
    { heart_rate: 150, activity_level: 'vigorous' },
  ]);
});
