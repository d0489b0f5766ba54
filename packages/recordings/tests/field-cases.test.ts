import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFile, writeFile } from 'node:fs/promises';
import { FitBaseType, FitEncoder } from 'fit-file-parser/encoder';
import { expect, test } from 'vitest';
import { type CorpusFile, readContent } from '../../tools/conformance.js';
import { toExercise } from '../sports.js';
import { readTime } from '../times.js';
import { corpus, corpusFolder } from '../../../testkit/corpus.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { type FileOptions, readRecordingFile } from '../../tools/recordings/load-recording.js';
import type { Account } from '../account.js';
import { Minutes } from '../minutes.js';

const nowMs = Date.UTC(2026, 10, 28, 12);
const caseFile = (name: string) => fileURLToPath(new URL(`field-cases/${name}`, import.meta.url));

type Values = ReturnType<Minutes['readings']>[number]['values'];
interface Result {
  /** `HH:MM` of UTC and the values of each reading. */
  readonly rows: (readonly [time: string, values: Values])[];
  readonly skipped: Record<string, number>;
  readonly account: Account;
  readonly notes: readonly string[];
}

async function readFiles(paths: readonly string[], options: FileOptions = {}): Promise<Result> {
  const minutes = new Minutes({ hours: 2160, nowMs, keep: options.keep });
  for (const path of paths) await readRecordingFile(path, options, minutes);
  const rows = minutes
    .readings()
    .map(({ atMs, values }) => [new Date(atMs).toISOString().slice(11, 16), values] as const);
  const { account, notes } = minutes;
  return { rows, skipped: Object.fromEntries(minutes.skipped), account, notes };
}

/** Reads the field cases of these names, separated by `+`. */
const readCases = (names: string, options?: FileOptions) => readFiles(names.split('+').map(caseFile), options);

/** Writes a file and reads it. */
async function readText(name: string, content: string, options?: FileOptions): Promise<Result> {
  const path = join(await temporaryFolder(), basename(name));
  await writeFile(path, content);
  return readFiles([path], options);
}

const rates = ({ rows }: Pick<Result, 'rows' | 'skipped'>) =>
  rows.map(([time, { heart_rate }]) => `${time} ${heart_rate}`);
const minutesOf = (count: number) => Array.from({ length: count }, (_, at) => at);

const five = minutesOf(5).map((at) => `09:0${at} ${70 + at}`);
const readCasesTable: [string, FileOptions, readonly string[]][] = [
  ['ampm.csv', {}, ['09:00 70', '21:01 90']],
  ['apple.csv', {}, ['08:00 70']],
  ['bigquery.csv', {}, ['09:00 70']],
  ['postgres.csv', {}, ['08:00 70', '08:01 71']],
  ['sep.csv', {}, ['09:00 70']],
  ['raw_hr_hr.csv', {}, ['08:00 70', '08:01 74', '08:10 71']],
  ['com.samsung.shealth.tracker.heart_rate.20261120.csv', {}, ['08:00 77', '08:10 79']],
  ['HR.csv', {}, ['09:00 72', '09:01 72']],
  ['oura.json', {}, ['09:00 61', '09:05 62']],
  ['garmin_hr.json', {}, ['09:00 66']],
  ['derived_com.google.heart_rate.bpm.json', {}, ['09:00 71']],
  ['hae.json', {}, ['08:00 66']],
  ['hc-webhook.json', {}, ['09:00 70']],
  ['week-1.csv+week-2.csv', {}, ['09:00 71.7', '09:01 78.7', '09:02 72', '09:03 72.2', '09:04 72.3', '09:05 71.7']],
  ['generic-recorded_at.json', {}, minutesOf(10).map((at) => `09:0${at} ${70 + at}`)],
  ['generic-ts.json', {}, minutesOf(10).map((at) => `09:0${at} ${70 + at}`)],
  ['hae-zh-date.json', {}, ['01:00 64', '08:51 65']],
  ['shortcuts-en.json', { timeZone: 'Europe/Berlin' }, ['08:00 72', '08:01 73']],
  ['heartrate.csv', {}, five],
  ['bangle-rec.csv', {}, ['09:00 70', '09:01 70']],
  ['terra-body.json', {}, minutesOf(4).map((at) => `08:0${at} ${61 + at}`)],
  ['HEARTRATE.csv', {}, five],
  ['history.csv', {}, five.slice(0, 4)],
  ['1-1-P01_2026-11-20_pulse-rate.csv', {}, five.filter((it) => !it.endsWith('72'))],
  ['20261121_1_MiFitness_hlth_center_fitness_data.csv', {}, five],
  ['intraday.json', { timeZone: 'Europe/Berlin' }, minutesOf(5).map((at) => `08:0${at} ${64 + at}`)],
  ['flux2.csv', {}, five],
  ['persons.csv', { person: '2' }, minutesOf(10).map((at) => `09:0${at} 140`)],
  [
    '247ohr_2026-10.json',
    { timeZone: 'Europe/Berlin' },
    // 10:00 is 08:00Z before the change of the clocks, and 09:00Z after it.
    ['08', '09'].flatMap((hour) => minutesOf(5).map((at) => `${hour}:0${at} ${60 + at}`)),
  ],
];

test.each(readCasesTable)('%s is read with its times and heart rates', async (name, options, expected) => {
  expect(rates(await readCases(name, options))).toEqual(expected);
});

test.each([
  ['persons.csv', 'column Person ID has 2 people (1, 2): choose one, e.g. --person 1'],
  ['counts.csv', 'column hr: 593 of 600 values are outside 30 to 220, so it is no heart_rate'],
  ['physiological_cycles.csv', 'one row per day: no heart rate of minutes in it'],
  ['ride.hrm', 'format not known: a text that begins with [Params]'],
  ['rr.txt', 'a list of beats has no times: pass the start of the recording, e.g. --start 2026-11-20T09:00:00Z'],
  ['daily_resting_heart_rate.csv', 'format not known: one row per day'],
  ['Daily Heart Rate Variability Summary - 2026-11.csv', 'format not known: one row per day'],
])('%s is refused with the reason', async (name, message) => {
  await expect(readCases(name)).rejects.toThrow(message);
});

test('hae.csv: means per minute, steps, and the variability of Health Auto Export, which is SDNN', async () => {
  const { rows } = await readCases('hae.csv');
  expect(rows.map(([, values]) => values)).toEqual([
    { heart_rate: 66.5, sdnn: 41, steps_last_minute: 12 },
    { heart_rate: 67, steps_last_minute: 0 },
  ]);
});

test.each(['heart_rate-2026-11-20.json+exercise-0.json', 'exercise-0.json+heart_rate-2026-11-20.json'])(
  '%s: a run of Fitbit is vigorous',
  async (names) => {
    const { rows } = await readCases(names);
    const isRun = ([time]: Result['rows'][number]) => time >= '09:00' && time < '09:30';
    expect(rows.filter(isRun)).toHaveLength(30);
    expect(rows.filter((it) => isRun(it) && it[1].activity_level !== 'vigorous')).toEqual([]);
  },
);

test('takeout.zip: minutes and variability of one night, and the files of days are named', async () => {
  const { rows, skipped } = await readCases('takeout.zip');
  expect(rows.map(([time]) => time)).toEqual([
    ...minutesOf(12).map((at) => `02:${String(at * 5).padStart(2, '0')}`),
    ...minutesOf(5).map((at) => `08:0${at}`),
  ]);
  expect(Object.keys(skipped)).toEqual([
    'a file in the ZIP with one value per day: daily_resting_heart_rate.csv',
    'a file in the ZIP that is no recording: daily_heart_rate_variability.csv',
    'a file in the ZIP with one value per day: Daily Heart Rate Variability Summary - 2',
  ]);
});

test('HRV_STATUS.fit: the variability of each five minutes', async () => {
  const { rows } = await readCases('HRV_STATUS.fit');
  expect(rows.map(([time, { rmssd }]) => `${time} ${rmssd}`)).toEqual(
    minutesOf(5).map((at) => `09:${String(at * 5).padStart(2, '0')} ${42 + at}`),
  );
});

test.each([
  ['holux.gpx', 5, 'vigorous'],
  ['mifitness.tcx', 5, 'moderate'],
  ['hae-run-ja.json', 30, 'vigorous'],
  ['hae-apart-1-metrics.json+hae-apart-2-workouts.json', 30, 'vigorous'],
  ['hae-apart-2-workouts.json+hae-apart-1-metrics.json', 30, 'vigorous'],
  ['hc-apart-2-exercise.json+hc-apart-1-heart.json', 30, 'vigorous'],
])('%s: %i minutes of an exercise', async (names, count, level) => {
  const { rows } = await readCases(names);
  expect(rows.filter(([, { activity_level }]) => activity_level === level)).toHaveLength(count);
});

test('heartrate.csv: a word of a context names no device', async () => {
  const { rows } = await readCases('heartrate.csv');
  expect(rows.filter(([, { source_device }]) => source_device !== undefined)).toEqual([]);
});

test('motion.xml: a heart rate that the watch measured in motion has an activity level', async () => {
  const { rows } = await readCases('motion.xml');
  expect(rows.map(([, { activity_level }]) => activity_level)).toEqual(minutesOf(20).map(() => 'moderate'));
});

test('rmssd.xml: RMSSD of iOS 27', async () => {
  const { rows } = await readCases('rmssd.xml');
  expect(rows.map(([, { rmssd }]) => rmssd)).toEqual([30, 31, 32, 33, 34]);
});

test('beats.xml: the beats below a record of SDNN', async () => {
  const { rows } = await readCases('beats.xml');

  expect(rows).toHaveLength(1);
  expect(rows[0]?.[1].sdnn).toBe(41.5);
  expect(rows[0]?.[1].rr_intervals_ms).toHaveLength(50);
  expect(rows[0]?.[1].rr_intervals_ms?.slice(0, 3)).toEqual([1000, Math.round(60_000 / 61), Math.round(60_000 / 62)]);
});

test('lists of beats: with a usual name, and without a header from a start', async () => {
  const named = await readCases('rr-name.csv');
  expect(named.rows.flatMap(([, { rr_intervals_ms = [] }]) => rr_intervals_ms)).toHaveLength(60);
  const { rows } = await readCases('rr.txt', { start: Date.UTC(2026, 10, 20, 9) });
  expect(rows.flatMap(([, { rr_intervals_ms = [] }]) => rr_intervals_ms)).toHaveLength(300);
  expect(rows[0]?.[0]).toBe('09:00');
});

// Further inputs of the same kinds.

const csv = (...rows: string[]) => `${rows.join('\n')}\n`;

test.each([
  ['subject_id', 'time,hr,subject_id', ['2026-11-20T09:00:00Z,60,a', '2026-11-20T09:00:05Z,140,b']],
  ['Id', 'Id,Time,bpm', ['7,11/20/2026 9:00:00 AM,60', '7,11/20/2026 9:00:05 AM,61', '8,11/20/2026 9:00:05 AM,140']],
])('people in the column %s are never averaged', async (column, header, rows) => {
  await expect(readText('p.csv', csv(header, ...rows))).rejects.toThrow(`column ${column} has 2 people`);
});

test('a column of names with heart rates is of people', async () => {
  const rows = ['Ann,2026-11-20 09:00,60', 'Bob,2026-11-20 09:00,140', 'Ann,2026-11-20 09:01,60'];
  await expect(readText('n.csv', csv('Name,Time,hr', ...rows))).rejects.toThrow('column Name has 2 people (Ann, Bob)');
});

test('a column of ids that never repeat numbers the rows', async () => {
  const rows = await readText('ids.csv', csv('id,time,hr', '1,2026-11-20T09:00:00Z,60', '2,2026-11-20T09:01:00Z,61'));
  expect(rates(rows)).toEqual(['09:00 60', '09:01 61']);
});

test.each([
  ['no person of this name', { person: '9' }, 'column Person ID has no 9. It has: 1, 2'],
  ['a file without people', { person: '1' }, 'no column of people'],
])('--person: %s is an error', async (_, options, message) => {
  const files = [caseFile('persons.csv'), caseFile('postgres.csv')];
  await expect(readFiles([files['9' === options.person ? 0 : 1] ?? ''], options)).rejects.toThrow(message);
});

test.each([
  ['day first', ['01/02/2026 9:00', '13/02/2026 9:00'], ['2026-02-01', '2026-02-13']],
  ['month first', ['02/01/2026 9:00', '02/13/2026 9:00'], ['2026-02-01', '2026-02-13']],
  ['a year of two digits', ['20/11/26 9:00', '21/11/26 9:00'], ['2026-11-20', '2026-11-21']],
  ['the year first, with two digits', ['26/11/20 9:00', '26/11/21 9:00'], ['2026-11-20', '2026-11-21']],
  ['points', ['01.02.2026 9:00', '02.02.2026 9:00'], ['2026-02-01', '2026-02-02']],
  ['points, with the month first', ['02.01.2026 9:00', '02.13.2026 9:00'], ['2026-02-01', '2026-02-13']],
  ['names of months', ['Nov 20, 2026 9:00 AM', '21 November 2026 09:00'], ['2026-11-20', '2026-11-21']],
])('dates: %s', async (_, texts, expected) => {
  const minutes = new Minutes({ hours: 24 * 400, nowMs });
  const path = join(await temporaryFolder(), 'dates.csv');
  await writeFile(path, csv('time;hr', ...texts.map((text) => `${text};70`)));
  await readRecordingFile(path, {}, minutes);
  expect(minutes.readings().map(({ atMs }) => new Date(atMs).toISOString().slice(0, 10))).toEqual(expected);
});

test('dates of two orders are refused, unless an option states the order', async () => {
  const text = csv('time,hr', '01/11/2026 9:00,70', '02/11/2026 9:00,71');
  await expect(readText('d.csv', text)).rejects.toThrow('pass --date-order dmy, mdy or ymd');
  expect((await readText('d.csv', text, { dateOrder: 'dmy' })).rows).toHaveLength(2);
  await expect(readText('e.csv', csv('time,hr', '13/11/2026 9:00,70', '11/14/2026 9:00,71'))).rejects.toThrow(
    'no order of day, month and year fits',
  );
});

test.each([
  ['2026-11-20 09:00 Europe/Berlin', '08:00'],
  ['2026-11-20T09:00+01:00[Europe/Berlin]', '08:00'],
  ['2026-11-20 09:00:00 CET', '08:00'],
  ['2026-11-20 09:00:00 UTC+1', '08:00'],
  ['2026-11-20 09:00:00.5 GMT', '09:00'],
  ['2026-11-20 12:30 AM', '00:30'],
  ['20261120T090000Z', '09:00'],
  ['1795165200000000000', '09:00'],
  ['Fri Nov 20 2026 09:00:00 GMT+0100 (CET)', '08:00'],
])('the time %s is %s in UTC', async (text, expected) => {
  const { rows } = await readText('t.csv', csv('timestamp;hr', `${text};70`));
  expect(rows.map(([time]) => time)).toEqual([expected]);
});

test('a time that is not read is an error that names it', async () => {
  await expect(readText('t.csv', csv('time,hr', '9 o’clock,70'))).rejects.toThrow('line 2: "9 o’clock" is not a time');
  await expect(readText('t.csv', csv('time,hr', '2026-11-20 09:00 CST,70'))).rejects.toThrow('is not a time');
});

test.each([
  ['ascending', ['01:59', '02:00', '02:59', '02:00', '02:59', '03:00']],
  ['descending', ['03:00', '02:59', '02:00', '02:59', '02:00', '01:59']],
])('a recording over a change of the clocks, %s, has each of its minutes once', async (_, local) => {
  const rows = local.map((time, at) => `2026-10-25 ${time},${70 + at}`);
  const { rows: read } = await readText('night.csv', csv('time,hr', ...rows), { timeZone: 'Europe/Berlin' });
  expect(read.map(([time]) => time)).toEqual(['23:59', '00:00', '00:59', '01:00', '01:59', '02:00']);
});

test('a list of beats with a header requires a start', async () => {
  const text = csv('RR', '800', '810');
  await expect(readText('l.csv', text)).rejects.toThrow('the beats have no times: pass the start');
  const { rows } = await readText('l.csv', text, { start: Date.UTC(2026, 10, 20, 9) });
  expect(rows.map(([, values]) => values)).toEqual([{ rr_intervals_ms: [800, 810] }]);
});

test('times that count from the start require it', async () => {
  const text = csv('seconds,hr', '0,70', '60,71');
  await expect(readText('s.csv', text)).rejects.toThrow('--start');
  expect(rates(await readText('s.csv', text, { start: Date.UTC(2026, 10, 20, 9) }))).toEqual(['09:00 70', '09:01 71']);
});

test.each([
  ['IBI [s]', ['0.8', '0.81', '0.79']],
  ['RR-interval [ms]', ['800', '810', '790']],
  ['nn', ['800', '810', '790']],
  ['ppi', ['0.800', '0.810', '0.790']],
])('beats in the column %s', async (title, values) => {
  const rows = values.map((value, at) => `2026-11-20T09:00:0${at}Z;${value}`);
  const { rows: read } = await readText('b.csv', csv(`Phone timestamp;${title}`, ...rows));
  expect(read[0]?.[1].rr_intervals_ms).toEqual([800, 810, 790]);
});

test('Empatica: IBI.csv has beats, and other tables are refused by name', async () => {
  const beats = await readText('IBI.csv', csv('1795165200.0, IBI', '1.5,0.8', '2.3,0.81'));
  expect(beats.rows[0]?.[1].rr_intervals_ms).toEqual([800, 810]);
  for (const name of ['TEMP.csv', 'temperature.csv'])
    await expect(readText(name, csv('1795165200.0', '4.0', '33.1', '33.2'))).rejects.toThrow('Empatica: this table');
});

test('Samsung Health: tables without heart rates of minutes are refused by name', async () => {
  const titles = 'com.samsung.health.exercise.start_time,heart_rate,mean_heart_rate';
  for (const table of ['com.samsung.shealth.exercise', 'com.samsung.shealth.exercise.hr_zone'])
    await expect(
      readText(`${table}.1.csv`, csv(`${table},6312000,4`, titles, '2026-11-20 09:00:00.000,120,130')),
    ).rejects.toThrow(`format not known: Samsung Health: the table ${table}`);
});

test.each([
  ['2026-11-20T09:00:00Z', '2026-11-20T09:01:30Z'],
  ['2026-11-20 09:00:00+0000', '2026-11-20 09:01:30+0000'],
])('UserExercises of Google: a workout from %s is the sport of its minutes', async (from, until) => {
  const folder = await temporaryFolder();
  const paths = ['heart_rate.csv', 'UserExercises_2026-11-20.csv'].map((name) => join(folder, name));
  const minutes = minutesOf(3).map((at) => `2026-11-20T09:0${at}:05Z,150,Watch`);
  await writeFile(paths[0] ?? '', csv('timestamp,beats per minute,data source', ...minutes));
  const workouts = [`7,${from},${until},+01:00,Outdoor Run,"[{""a"": 1, ""b"": 2}]"`];
  await writeFile(
    paths[1] ?? '',
    csv('exercise_id,exercise_start,exercise_end,utc_offset,activity_name,intervals', ...workouts),
  );
  const { rows } = await readFiles(paths);
  expect(rows.map(([, { activity_level }]) => activity_level)).toEqual(['vigorous', 'vigorous', undefined]);
});

test('a value is what the type of its row says', async () => {
  const text = csv(
    'type,unit,startDate,endDate,value',
    'HKQuantityTypeIdentifierHeartRate,count/min,2026-11-20 09:00:05 +0100,2026-11-20 09:00:05 +0100,70',
    'HKQuantityTypeIdentifierBodyMass,kg,2026-11-20 09:00:05 +0100,2026-11-20 09:00:05 +0100,80',
  );
  const { rows, skipped } = await readText('health.csv', text);
  expect([rows[0]?.[1].heart_rate, skipped]).toEqual([70, { 'a row of a type or unit that is not read': 1 }]);
});

test.each([
  [
    'HRV4Training with times',
    csv('timestamp_measurement, HR, rMSSD, SDNN, HRV4T_Recovery_Points', '2026-11-20 07:01:02 +0000, 55, 60, 70, 8'),
    [{ heart_rate: 55, rmssd: 60, sdnn: 70 }],
  ],
  [
    'beats of our own export',
    csv('timestamp,rr_intervals_ms', '2026-11-20T09:00:00Z,800 810 790'),
    [{ rr_intervals_ms: [800, 810, 790] }],
  ],
])('%s is read', async (_, text, expected) => {
  expect((await readText('x.csv', text)).rows.map(([, values]) => values)).toEqual(expected);
});

test.each([
  ['v.json', '{"measuregrps": [{"date": 1, "type": 9}]}'],
  ['v.json', '[{"when": "2026-11-20T09:00:00Z", "glucose": 90}]'],
  ['v.kml', '<?xml version="1.0"?><kml><Document/></kml>'],
  ['v.csv', csv('time,glucose', '2026-11-20T09:00:00Z,90')],
  ['v.pdf', '%PDF-1.7\n'],
  ['v.bin', 'abc\0def\0\0\0'],
  ['calories-2026-11-20.json', '[{"dateTime": "11/20/26 09:00:00", "value": "1.5"}]'],
])('%s of another vendor: "format not known"', async (name, content) => {
  await expect(readText(name, content)).rejects.toThrow('format not known: ');
});

const record = (type: string, unit: string, value: string, inside = '') =>
  `<Record type="HKQuantityTypeIdentifier${type}" unit="${unit}" startDate="2026-11-20 23:59:30 +0100" endDate="2026-11-21 00:00:30 +0100" value="${value}">${inside}</Record>`;

test('Apple Health: what is not read is counted as skipped', async () => {
  const { rows, skipped } = await readText(
    'export.xml',
    `<HealthData><Me/>${record('HeartRate', 'count/min', '70')}${record('BodyMass', 'kg', '80')}${record('RestingHeartRate', 'count/min', '50')}
    <StateOfMind kind="1" valence="0.5"/><ActivitySummary/></HealthData>`,
  );
  expect(rows).toHaveLength(1);
  expect(skipped).toEqual({
    'a record of a kind that is not read': 1,
    'a heart rate of another kind, e.g. a resting heart rate or an average': 1,
    'a StateOfMind, which is no signal': 1,
    'an element of a kind that is not read': 1,
  });
});

test('Apple Health: beats after midnight have the next day', async () => {
  const beats = ['11:59:59.50 PM', '12:00:00.50 AM', '0:00:01,50'].map(
    (time) => `<InstantaneousBeatsPerMinute bpm="60" time="${time}"/>`,
  );
  const inside = `<HeartRateVariabilityMetadataList>${beats.join('')}</HeartRateVariabilityMetadataList>`;
  const { rows } = await readText(
    'export.xml',
    `<HealthData>${record('HeartRateVariabilitySDNN', 'ms', '40', inside)}</HealthData>`,
  );
  expect(rows.map(([time, values]) => [time, values.rr_intervals_ms?.length])).toEqual([
    ['22:59', 1],
    ['23:00', 2],
  ]);
});

test('Apple Health: what is inside of a damaged record does not count for the next one', async () => {
  const motion = '<MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="2"/>';
  const damaged = record('HeartRate', 'count/min', '70', `${motion}<MetadataEntry key="a" value="&x;"/>`);
  const { rows } = await readText(
    'export.xml',
    `<HealthData>${damaged}${record('HeartRate', 'count/min', '80')}</HealthData>`,
  );
  expect(rows.map(([, values]) => values)).toEqual([{ heart_rate: 80 }]);
});

test('the format of an XML file is found behind a long comment', async () => {
  const track = '<trk><trkseg><trkpt><time>2026-11-20T09:00:00Z</time><hr>70</hr></trkpt></trkseg></trk>';
  expect(
    rates(await readText('a.gpx', `<!--${' <TrainingCenterDatabase>'.repeat(1000)}--><gpx>${track}</gpx>`)),
  ).toEqual(['09:00 70']);
});

test('an XML comment of any size is read in a time that grows with its size, and ends no file', async () => {
  const [before, after] = [record('HeartRate', 'count/min', '70'), record('HeartRate', 'count/min', '80')];
  const comment = `<!--${'<a b="c">\n-- '.repeat(400_000)}-->`;
  const { rows, skipped } = await readText(
    'export.xml',
    `<?xml version="1.0"?><!-- x --><!DOCTYPE HealthData [<!-- y -->]><HealthData>${before}${comment}${after}<!----></HealthData>`,
  );
  expect(rates({ rows, skipped })).toEqual(['22:59 75']);
  expect(skipped).toEqual({});
  const broken = readText('broken.xml', `<HealthData>\n${comment}\n${after}<Record`);
  await expect(broken).rejects.toThrow('line 400003: not valid XML');
});

// What the values show counts before what the names say.

const stamp = (at: number) => `2026-11-20T09:0${at}:00Z`;
const table = (header: string, row: (at: number) => string) => csv(header, ...minutesOf(5).map(row));

test.each<[string, string, FileOptions, string]>([
  ['any name', table('when,hr', (at) => `${stamp(at)},7${at}`), {}, 'time: the column when'],
  [
    'two columns of one time',
    table('a;b;hr', (at) => `${stamp(at)};${1_795_165_200 + 60 * at};7${at}`),
    {},
    'time: the column a',
  ],
  ['ms', table('t,hr', (at) => `${(1_795_165_200 + 60 * at) * 1000},7${at}`), {}, 'time: the column t'],
  [
    'a date and a time of day',
    table('Datum;Uhrzeit;Puls', (at) => `20.11.2026;09:0${at};7${at}`),
    {},
    'time: the column Datum, Uhrzeit',
  ],
  ['Japanese', table('日時,心拍数', (at) => `2026年11月20日 午前9:0${at},7${at}`), {}, 'time: the column 日時'],
  [
    'an option',
    table('created;updated;hr', (at) => `${stamp(at)};${stamp(9)};7${at}`),
    { timeColumn: 'created' },
    'fields that are not read: updated',
  ],
  [
    'a header with more columns than its rows',
    table('date,heartRate,lastSyncTime', (at) => `7${at},${1_795_165_200 + 60 * at}`),
    {},
    'the rows have 2 columns: a time and heartrate',
  ],
  ['digits alone', table('t,hr', (at) => `20261120090${at}00,7${at}`), {}, 'time: the column t'],
  ['counts of ms', table('elapsed,hr', (at) => `${60_000 * at},7${at}`), { start: Date.UTC(2026, 10, 20, 9) }, ''],
])('the time is found by its values: %s', async (_, content, options, note) => {
  const read = await readText('x.csv', content, options);
  expect(rates(read)).toEqual(five);
  expect(read.notes.join('; ')).toContain(note);
});

test('several columns that may be the time are refused by name', async () => {
  await expect(
    readText(
      'x.csv',
      table('created;updated;hr', (at) => `${stamp(at)};${stamp(9)};7${at}`),
    ),
  ).rejects.toThrow('several columns may be the time (created, updated): name one, e.g. --time-column created');
});

test('a day may follow the year, if all dates show it', async () => {
  const days = minutesOf(5).map((at) => `2026/${String(5 + 3 * at).padStart(2, '0')}/11 09:00,70`);
  const { rows, notes } = await readText('x.csv', csv('time,hr', ...days));
  expect([rows.length, notes]).toEqual([5, ['order of dates: ydm']]);
});

test.each([
  ['dates', (at: number) => `2026-11-2${at}`, {}],
  ['midnights', (at: number) => `2026-11-2${at}T00:00:00`, {}],
  ['midnights of the zone', (at: number) => `2026-11-2${at}T23:00:00Z`, { timeZone: 'Europe/Berlin' }],
  ['midnights in s', (at: number) => String(1_795_132_800 + 86_400 * at), {}],
])('one value per day is of no minute, unless an option keeps it: %s', async (name, time, options) => {
  const content = table('timestamp,bpm', (at) => `${time(at)},6${at}`);
  await expect(readText('x.csv', content, options)).rejects.toThrow('one row per day');
  const kept = readText('x.csv', content, { ...options, keep: ['day-summary'] });
  if (name !== 'dates') expect((await kept).rows).toHaveLength(5);
  else await expect(kept).rejects.toThrow('is not a time');
});

test('several values of a day at midnight, and minutes from midnight, are read', async () => {
  const twice = (at: number) => `2026-11-2${Math.floor(at / 2)}T00:00:00,60`;
  expect((await readText('x.csv', table('time,hr', twice))).rows).toHaveLength(3);
  expect(
    (
      await readText(
        'x.csv',
        table('time,hr', (at) => `2026-11-20T00:0${at}:00,60`),
      )
    ).rows,
  ).toHaveLength(5);
});

test.each([
  ['confidence', '0', '1'],
  ['HR Confidence (%)', '0%', '95%'],
  ['konfidenz', '0.0', '0.9'],
])('a value with the %s %s is a placeholder', async (title, none, some) => {
  const { rows, account } = await readText(
    'x.csv',
    table(`time,hr,${title}`, (at) => `${stamp(at)},7${at},${at % 2 ? none : some}`),
  );
  expect([rows.length, account]).toEqual([3, expect.objectContaining({ used: 3, placeholder: 2, context: 10 })]);
});

test('one value in more than a third of the first minutes after gaps is a placeholder, unless an option keeps it', async () => {
  const rows = minutesOf(9).flatMap((gap) =>
    minutesOf(20).map(
      (at) =>
        `${new Date(Date.UTC(2026, 10, 20, 8 + gap, at)).toISOString()},${at > 0 ? 60 + ((at * 7 + gap) % 9) : gap % 2 ? 70 : 80 + gap}`,
    ),
  );
  const read = await readText('x.csv', csv('time,hr', ...rows));
  expect([read.rows.length, read.account.placeholder]).toEqual([176, 4]);
  expect(read.notes).toEqual(['placeholder: 70 bpm in 4 of 9 first minutes after gaps']);
  expect((await readText('x.csv', csv('time,hr', ...rows), { keep: ['placeholder'] })).rows).toHaveLength(180);
});

test('entities of Home Assistant: those of several people are refused, and summaries are not read', async () => {
  const header = 'entity_id,state,last_changed';
  const content = table(header, (at) => `sensor.${at % 2 ? 'ann' : 'bob'}_heart_rate,7${at},${stamp(at)}`);
  await expect(readText('x.csv', content)).rejects.toThrow('choose one, e.g. --person sensor.bob_heart_rate');
  expect((await readText('x.csv', content, { person: 'sensor.ann_heart_rate' })).rows).toHaveLength(2);
  const resting = await readText(
    'x.csv',
    table(header, (at) => `sensor.resting_heart_rate,7${at},${stamp(at)}`),
  );
  expect([resting.rows, resting.account.unknown_field]).toEqual([[], 5]);
});

test('a chain of FIT files is one recording: the session of one covers the records of the other', async () => {
  const [start, session] = [1_164_100_000, 18];
  const records = (times: readonly number[]) => {
    const encoder = new FitEncoder({ protocolVersion: 0x20 });
    for (const time of times)
      encoder.writeMessage(20, [
        { number: 253, size: 4, baseType: FitBaseType.Uint32, value: time },
        { number: 3, size: 1, baseType: FitBaseType.Uint8, value: 150 },
      ]);
    return encoder;
  };
  const last = records([start + 60]);
  last.writeMessage(
    session,
    [
      { number: 253, size: 4, baseType: FitBaseType.Uint32, value: start + 120 },
      { number: 2, size: 4, baseType: FitBaseType.Uint32, value: start },
      { number: 7, size: 4, baseType: FitBaseType.Uint32, value: 120_000 },
      { number: 5, size: 1, baseType: FitBaseType.Enum, value: 1 },
    ],
    1,
  );
  const path = join(await temporaryFolder(), 'chain.fit');
  await writeFile(path, Buffer.concat([records([start]).close(), last.close()]));
  expect((await readFiles([path])).rows.map(([, { activity_level }]) => activity_level)).toEqual([
    'vigorous',
    'vigorous',
  ]);
});

/** Counts the values of a text without the code of the package. */
function countCells(content: string): number {
  if (content.startsWith('{') || content.startsWith('[')) {
    let count = 0;
    JSON.parse(content, (_, value: unknown) => ((count += typeof value === 'object' && value !== null ? 0 : 1), value));
    return count;
  }
  const separator = content.includes(';') ? ';' : ',';
  return content
    .trim()
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(separator))
    .filter(Boolean).length;
}

test.each([
  'bangle-rec.csv heartrate.csv history.csv week-2.csv 1-1-P01_2026-11-20_pulse-rate.csv HEARTRATE.csv hae.csv postgres.csv',
  'generic-ts.json hae-run-ja.json terra-body.json intraday.json oura.json garmin_hr.json 247ohr_2026-10.json exercise-0.json',
])('the numbers of outcomes add up: %s', async (names) => {
  for (const name of names.split(' ')) {
    const { account } = await readCases(name);
    const content = await readFile(caseFile(name), 'utf8');
    expect(
      Object.values(account).reduce((total, it) => total + it, 0),
      name,
    ).toBe(countCells(content));
  }
});

test.each([
  ['Nov 20, 2026 at 9:00 AM', '20. Nov. 2026 um 09:00', '20 nov. 2026 à 09:00', '20 de noviembre de 2026 a las 9:00'],
  ['2026年11月20日 上午9:00', '2026年11月20日金曜日 午前9:00', '2026. 11. 20. 오전 9:00', '2026年11月20日 9時00分'],
  ['٢٠ نوفمبر ٢٠٢٦ في ٩:٠٠ ص', '20 พ.ย. 2569 09:00', '20/11/2569 09:00', '๒๐ พ.ย. ๒๕๖๙ ๐๙:๐๐', '令和8年11月20日 9:00'],
  ['20 ноября 2026 г. в 09:00', '20 Νοεμβρίου 2026 στις 9:00 π.μ.', '20 listopada 2026 o 09:00', '20 Kas 2026 ÖÖ 9:00'],
  [
    'Fri Nov 20 10:00:00 GMT+01:00 2026',
    'lúc 09:00 20 tháng 11, 2026',
    '20 בנובמבר 2026 בשעה 9:00',
    '20.11.2026 klo 9.00',
  ],
])('dates as phones write them: %s, …', (...texts) => {
  for (const text of texts) expect(new Date(readTime(text)).toISOString(), text).toBe('2026-11-20T09:00:00.000Z');
});

test('a month whose name languages use for different months, and a text that is no time, are not read', () => {
  expect(['20. lis 2026. 09:00', 'yesterday at 9:00', '20 foo 2026 9:00'].map((text) => readTime(text))).toEqual([
    NaN,
    NaN,
    NaN,
  ]);
  expect(new Date(readTime('20. listopada 2026. u 09:00')).getUTCMonth()).toBe(9);
});

test.each([
  [
    'vigorous',
    '屋外ランニング 户外跑步 Бег Велосипед Outdoor-Lauf Utomhuslöpning Ulkojuoksu الجري วิ่ง ריצה 야외·달리기',
  ],
  ['moderate', '室内ウォーキング 室外步行 Ходьба Spaziergang Camminata 걷기 Krafttraining 筋力トレーニング Other'],
  ['light', 'ヨガ 瑜伽 Йога Restorative·Yoga'],
  [undefined, '瞑想 Méditation Rest·day Sleep'],
])('sports in the languages of the apps: %s', (level, names) => {
  expect(names.split(' ').filter((it) => toExercise(it.replace('·', ' '), 0, 1)?.level !== level)).toEqual([]);
});

test('a name without a known word is an exercise of unknown level', () => {
  expect(toExercise('Morning with Rex', 0, 1)).toEqual({ kind: 'exercise', level: undefined, atMs: 0, untilMs: 1 });
  expect(toExercise('Meditation', 0, 1)).toBeUndefined();
});

test('each file of the corpus is what its generator writes, and is read right by this package', async () => {
  const read = (file: string) => readFile(new URL(file, corpusFolder), 'utf8');
  for (const [file, content] of corpus) expect(await read(file), file).toBe(content);
  const files = JSON.parse(await read('corpus.json')) as readonly CorpusFile[];
  expect(files.length).toBeGreaterThan(50);
  for (const { file, zone, minutes, facts } of files)
    expect(await readContent(file, zone, Buffer.from(await read(file))), file).toEqual({
      minutes: minutes.map((it) => expect.objectContaining(it)),
      facts: facts ?? expect.any(Array),
    });
});

test.each([
  ['rmssd', (at: number) => (30 + at) / 1000, 'rmssd', [30, 31, 32, 33, 34]],
  ['SDNN (s)', (at: number) => (30 + at) / 1000, 'sdnn', [30, 31, 32, 33, 34]],
  ['skin_temperature', (at: number) => 91.4 + at * 1.8, 'skin_temperature', [33, 34, 35, 36, 37]],
  ['skin_temperature (°C)', (at: number) => 33 + at, 'skin_temperature', [33, 34, 35, 36, 37]],
] as const)('the unit of %s is found by its title or values', async (title, value, field, expected) => {
  const { rows } = await readText(
    'x.csv',
    table(`time,hr,${title}`, (at) => `${stamp(at)},70,${value(at)}`),
  );
  expect(rows.map(([, values]) => values[field])).toEqual(expected);
});
