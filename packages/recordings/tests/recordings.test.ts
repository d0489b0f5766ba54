import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FitBaseType, FitEncoder } from 'fit-file-parser/encoder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldMap, type Format, formats } from '../field-map.js';
import { Minutes, type RecordedReading } from '../minutes.js';
import { detectFileFormat, readRecordingFile } from '../../tools/recordings/load-recording.js';
import { fit, sampleFiles } from '../../../testkit/recordings.js';
import { root } from '../../../testkit/service.js';

const samples = new URL('samples/recordings/', root);
const sample = (name: string) => new URL(name, samples).pathname;
const nowMs = Date.UTC(2024, 10, 20, 12);
const hourMs = 3_600_000;

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'recordings-test-'))));
afterAll(() => rm(folder, { recursive: true }));

interface Result {
  readonly readings: RecordedReading[];
  readonly skipped: Record<string, number>;
}

async function readAll(paths: readonly string[], { utcOffsetMs = 0, hours = 24 } = {}): Promise<Result> {
  const minutes = new Minutes({ hours, nowMs });
  for (const path of paths) await readRecordingFile(path, { utcOffset: utcOffsetMs }, minutes);
  return { readings: minutes.readings(), skipped: Object.fromEntries(minutes.skipped) };
}

/** Writes a file and reads it with the detected format. */
async function readText(name: string, content: string | Uint8Array, options?: { hours: number }): Promise<Result> {
  const path = join(folder, name);
  await writeFile(path, content);
  return readAll([path], options);
}

/** JSON of other vendors is in field-cases.test.ts. */
type Sampled = Exclude<Format, 'json'>;
const sampleByFormat: Record<Sampled, string> = {
  'apple-health': 'export.xml',
  fit: 'activity.fit',
  tcx: 'activity.tcx',
  gpx: 'activity.gpx',
  'polar-json': 'training-session-2024-11-20.json',
  'polar-csv': 'polar.csv',
  csv: 'heart-rate.csv',
  fitbit: 'heart_rate-2024-11-20.json',
  'health-connect': 'health_connect_export.db',
};
const heartRates = [63, 63, 63, 63, 63, 96.8, 100.8, 104.8, 108.8, 112.8];

test.each(Object.keys(sampleByFormat) as Sampled[])(
  '%s: the format is detected, and heart rates are averaged per minute',
  async (format) => {
    const path = sample(sampleByFormat[format]);
    expect(await detectFileFormat(path)).toBe(format);
    const { readings } = await readAll([path], { utcOffsetMs: format === 'polar-csv' ? hourMs : 0 });
    const ofMinutes = readings.filter(({ values }) => values.heart_rate !== undefined);
    expect(ofMinutes.map(({ values }) => values.heart_rate)).toEqual(heartRates);
    expect(new Date(ofMinutes[0]?.atMs ?? 0).toISOString()).toBe('2024-11-20T09:00:55.000Z');
  },
);

test.each(Object.keys(sampleFiles))('samples/recordings/%s is what its generator writes', async (name) => {
  const content = sampleFiles[name]?.() ?? '';
  expect(Buffer.compare(await readFile(sample(name)), Buffer.from(content))).toBe(0);
});

test('Apple Health: SDNN, respiratory rate and the steps of the device that counted more', async () => {
  const { readings, skipped } = await readAll([sample('export.xml')]);
  expect(readings[0]?.values).toEqual({
    ...{ heart_rate: 63, sdnn: 48.5, respiratory_rate: 14, steps_last_minute: 20, rr_intervals_ms: [968] },
    source_device: 'Watch',
  });
  expect(readings[2]?.values.steps_last_minute).toBe(12);
  expect(skipped).toEqual({ 'a record of a kind that is not read': 1, 'another device measured the same minute': 3 });
});

test('Fitbit: heart rates and steps are merged from two files', async () => {
  const { readings } = await readAll([sample('heart_rate-2024-11-20.json'), sample('steps-2024-11-20.json')]);
  expect(readings.slice(0, 3).map(({ values }) => values.steps_last_minute)).toEqual([20, 0, 12]);
});

test('FIT: beats become readings of at most 64 intervals', async () => {
  const { readings } = await readAll([sample('activity.fit')]);
  expect(readings[0]?.values.rr_intervals_ms).toHaveLength(60);
  expect(readings[0]?.values.rr_intervals_ms?.slice(0, 2)).toEqual([968, 968]);
  const rows = Array.from({ length: 100 }, (_, at) => `2024-11-20T09:00:${String(at % 60).padStart(2, '0')}Z,600\n`);
  const many = await readText('beats.csv', `timestamp,rr_interval_ms\n${rows.join('')}`);
  expect(many.readings.map(({ values }) => values.rr_intervals_ms?.length)).toEqual([64, 36]);
});

test('FIT: times of 16 bits continue the last full time, also when they start again at 0', async () => {
  const encoder = new FitEncoder({ protocolVersion: 0x20 });
  // The lower 16 bits of this time are 0xfff0.
  const fullTime = Date.UTC(2024, 10, 20, 2, 39, 44);
  const seconds = FitEncoder.toFitTimestamp(new Date(fullTime));
  const heartRate = (value: number) => ({ number: 27, size: 1, baseType: FitBaseType.Uint8, value });
  const time = { number: 253, size: 4, baseType: FitBaseType.Uint32, value: seconds };
  encoder.writeMessage(55, [time, heartRate(60)]);
  for (const [after, bpm] of [
    [60, 70],
    [120, 71],
    [7200, 72],
  ] as const) {
    const time16 = { number: 26, size: 2, baseType: FitBaseType.Uint16, value: (seconds + after) & 0xffff };
    encoder.writeMessage(55, [time16, heartRate(bpm)], 1);
  }
  const { readings } = await readText('monitoring.fit', encoder.close());
  expect(readings).toMatchObject(
    [0, 60, 120, 7200].map((after, index) => ({
      atMs: fullTime + after * 1000,
      values: { heart_rate: [60, 70, 71, 72][index] },
    })),
  );
});

test('FIT: the heart rate of a swim has the time at which the strap measured it', async () => {
  const { readings, skipped } = await readAll([sample('swim.fit')]);
  expect(readings.map(({ values }) => values)).toEqual(
    heartRates.map((heart_rate) => ({ heart_rate, source_device: 'heart rate strap' })),
  );
  expect(readings.map(({ atMs }) => new Date(atMs).toISOString().slice(14, 19))).toEqual(
    heartRates.map((_, minute) => `0${minute}:59`),
  );
  expect(skipped).toEqual({});
});

test('FIT: chained files and protocol version 0 are read', async () => {
  const chained = Buffer.concat([fit(0), fit(), fit(0x10)]);
  const { readings } = await readText('chained.fit', chained);
  const single = await readAll([sample('activity.fit')]);
  expect(readings.filter(({ values }) => values.heart_rate !== undefined)).toHaveLength(heartRates.length);
  expect(readings.flatMap(({ values }) => values.rr_intervals_ms ?? [])).toHaveLength(
    3 * single.readings.flatMap(({ values }) => values.rr_intervals_ms ?? []).length,
  );
  await expect(readText('tail.fit', Buffer.concat([fit(), fit().slice(0, 200)]))).rejects.toThrow(
    /cut off: copy the file/,
  );
});

test('FIT: headers with compressed times and fields of developers are read', async () => {
  const fullTime = Date.UTC(2024, 10, 20, 9, 0, 30);
  const seconds = FitEncoder.toFitTimestamp(new Date(fullTime));
  const definition = (header: number, ...fields: number[][]) => [header, 0, 1, 0, 20, fields.length, ...fields.flat()];
  const records = [
    ...definition(0x40, [253, 4, 0x86], [3, 1, 2]),
    ...[0, seconds >>> 24, (seconds >>> 16) & 255, (seconds >>> 8) & 255, seconds & 255, 60],
    // Local message 1 has a developer field of two bytes and no time.
    ...[...definition(0x61, [3, 1, 2]), 1, 0, 2, 0],
    ...[0xa0 | ((seconds + 20) & 31), 70, 9, 9],
    ...[0xa0 | ((seconds + 50) & 31), 80, 9, 9],
  ];
  const { readings } = await readText('compressed.fit', encodeFit(records));
  expect(readings).toEqual(
    [
      { atMs: fullTime + 20_000, values: { heart_rate: 65 } },
      { atMs: fullTime + 50_000, values: { heart_rate: 80 } },
    ].map((it) => expect.objectContaining(it)),
  );
});

test('TCX and GPX: only the points of a track with a heart rate count, with any prefix and with spaces before the declaration', async () => {
  const tcx = await readText(
    'spaces.tcx',
    `\n   ${'<?xml version="1.0"?>'}<a:TrainingCenterDatabase xmlns:a="u"><a:Lap><a:MaximumHeartRateBpm><a:Value>190</a:Value>
    </a:MaximumHeartRateBpm><a:Track><a:Trackpoint><a:Time>2024-11-20T09:00:00.000Z</a:Time><a:AltitudeMeters>1</a:AltitudeMeters>
    </a:Trackpoint><a:Trackpoint><a:Time> 2024-11-20T10:01:00+01:00 </a:Time><a:HeartRateBpm><a:Value>70</a:Value></a:HeartRateBpm>
    </a:Trackpoint><a:Trackpoint><a:HeartRateBpm><a:Value>71</a:Value></a:HeartRateBpm></a:Trackpoint></a:Track></a:Lap>
    </a:TrainingCenterDatabase>`,
  );
  expect(tcx.readings).toMatchObject([{ atMs: Date.UTC(2024, 10, 20, 9, 1), values: { heart_rate: 70 } }]);
  expect(tcx.skipped).toEqual({ 'time missing or not readable': 1 });
  const gpx = await readText(
    'other.gpx',
    `<gpx><wpt><time>2024-11-20T09:00:00Z</time><extensions><hr>99</hr></extensions></wpt><trk><trkseg>
    <trkpt><extensions><heartrate>72</heartrate></extensions><time>2024-11-20T09:02:00Z</time></trkpt>
    <trkpt><time>2024-11-20T09:03:00Z</time><extensions><ns3:TrackPointExtension><ns3:hr>fast</ns3:hr></ns3:TrackPointExtension>
    </extensions></trkpt></trkseg></trk></gpx>`,
  );
  expect(gpx.readings).toMatchObject([{ atMs: Date.UTC(2024, 10, 20, 9, 2), values: { heart_rate: 72 } }]);
  expect(gpx.skipped).toEqual({ 'heart_rate missing or not a number': 1 });
});

test('Polar Flow: heart rate of a day and beats are local times with the offset of the caller', async () => {
  const ohr = {
    deviceDays: [
      {
        userId: 1,
        date: '2024-11-20',
        samples: [{ heartRate: 61, secondsFromDayStart: 3600, source: 'SOURCE_TIMED_247_OHR' }],
      },
      {
        userId: 1,
        date: '2024-11-19',
        samples: [{ heartRate: 62, secondsFromDayStart: 86_399 }, { heartRate: 63 }, null],
      },
    ],
  };
  const ppi = [
    {
      date: '2024-11-20',
      devicePpiSamplesList: [
        { deviceId: 'A', ppiSamples: [{ sampleDateTime: '2024-11-20T01:01:00.500', pulseLength: 812 }] },
      ],
    },
  ];
  const paths = [join(folder, '247ohr_2024_11.json'), join(folder, 'ppi_samples_2024.json')];
  await writeFile(paths[0] ?? '', JSON.stringify(ohr));
  await writeFile(paths[1] ?? '', JSON.stringify(ppi));
  const { readings, skipped } = await readAll(paths, { utcOffsetMs: hourMs });
  expect(readings).toMatchObject([
    { atMs: Date.UTC(2024, 10, 19, 22, 59, 59), values: { heart_rate: 62 } },
    { atMs: Date.UTC(2024, 10, 20), values: { heart_rate: 61 } },
    { atMs: Date.UTC(2024, 10, 20, 0, 1, 0, 500), values: { rr_intervals_ms: [812] } },
  ]);
  expect(skipped).toEqual({ 'time missing or not readable': 2 });
});

test('the mean of a minute is an integer where the contract requires one', async () => {
  const rows = [74, 75].map((count, second) => `2024-11-20T10:00:0${second}Z,60,${count},97.5`);
  const { readings } = await readText('counts.csv', ['time,hr,ibi_count,spo2', ...rows].join('\n'));
  expect(readings[0]?.values).toEqual({ heart_rate: 60, ibi_count: 75, spo2: 97.5 });
});

test('Health Connect: RMSSD, respiratory rate and steps', async () => {
  const { readings } = await readAll([sample('health_connect_export.db')]);
  expect(readings[0]?.values).toEqual({ heart_rate: 63, rmssd: 41.5, respiratory_rate: 14, steps_last_minute: 20 });
});

test('every name in the field map belongs to a format and is listed once', () => {
  expect(new Set(fieldMap.map(({ format, name }) => `${format} ${name}`)).size).toBe(fieldMap.length);
  expect(new Set(fieldMap.map(({ format }) => format))).toEqual(new Set(formats));
});

const appleRecord = (value: string, time = '2024-11-20 10:00:00 +0100', unit = 'count/min') =>
  `<Record type="HKQuantityTypeIdentifierHeartRate" unit="${unit}" startDate="${time}" endDate="${time}" value="${value}"/>`;

test('impossible values and times are skipped and counted', async () => {
  const records = [
    appleRecord('70'),
    appleRecord('0'),
    appleRecord('900'),
    appleRecord('fast'),
    appleRecord(''),
    appleRecord('70', 'yesterday'),
    appleRecord('70', '2024-02-30 10:00:00 +0100'),
    appleRecord('70', '1980-01-01 10:00:00 +0100'),
    appleRecord('70', '2099-01-01 10:00:00 +0100'),
    appleRecord('1.2', '2024-11-20 10:00:00 +0100', 'count/s'),
  ];
  const { readings, skipped } = await readText('impossible.xml', `<HealthData>${records.join('\n')}</HealthData>`);
  expect(readings.map(({ values }) => values)).toEqual([{ heart_rate: 70 }]);
  expect(skipped).toEqual({
    'heart_rate outside 30 to 220': 2,
    'heart_rate missing or not a number': 2,
    'time missing or not readable': 2,
    'time before the year 2000': 1,
    'time in the future': 1,
    'heart_rate in a unit other than count/min': 1,
  });
});

test('Fitbit entries with confidence 0 and entries of other files are skipped and counted', async () => {
  const entries = [
    { dateTime: '11/20/24 09:00:00', value: { bpm: 70, confidence: 0 } },
    { dateTime: '11/20/24 09:00:05', value: { bpm: 64, confidence: 1 } },
    { dateTime: '11/20/24 09:00:10', value: '1.5' },
    null,
  ];
  const { readings, skipped } = await readText('heart_rate-2024-11-21.json', JSON.stringify(entries));
  expect(readings.map(({ values }) => values)).toEqual([{ heart_rate: 64 }]);
  expect(skipped).toEqual({ 'heart_rate with confidence 0': 1, 'not an entry with value.bpm': 2 });
});

test('values older than the newest hours are skipped and counted, in any order', async () => {
  const rows = '2024-11-20T01:00:00Z,60\n2024-11-20T09:00:00Z,70\n2024-11-20T02:00:00Z,61\n';
  const { readings, skipped } = await readText('hours.csv', `time,hr\n${rows}`, { hours: 2 });
  expect(readings.map(({ values }) => values.heart_rate)).toEqual([70]);
  expect(skipped).toEqual({ 'older than the newest 2 hours (see --hours)': 2 });
});

test.each([
  ['ascending', '2024-11-20T07:00:00Z,60\n2024-11-20T07:01:00Z,61\n2024-11-20T09:00:00Z,70\n'],
  ['descending', '2024-11-20T09:00:00Z,70\n2024-11-20T07:01:00Z,61\n2024-11-20T07:00:00Z,60\n'],
])('two hours are 120 minutes, in %s order', async (order, rows) => {
  const { readings, skipped } = await readText(`${order}.csv`, `time,hr\n${rows}`, { hours: 2 });
  expect(readings.map(({ values }) => values.heart_rate)).toEqual([61, 70]);
  expect(skipped).toEqual({ 'older than the newest 2 hours (see --hours)': 1 });
});

test('a declared entity is not expanded, and its record is skipped', async () => {
  const declared = '<!DOCTYPE HealthData [\n<!ENTITY a "70">\n<!ENTITY b SYSTEM "file:///etc/passwd">\n]>\n';
  for (const entity of ['&a;', '&b;'])
    expect(
      await readText(
        'entity.xml',
        `${declared}<HealthData>\n${appleRecord(entity)}\n${appleRecord('71')}</HealthData>`,
      ),
    ).toMatchObject({
      readings: [{ values: { heart_rate: 71 } }],
      skipped: { 'a damaged record of an XML file': 1 },
    });
});

/** Returns a FIT file with these records. */
function encodeFit(records: readonly number[]): Buffer {
  const file = Buffer.alloc(14 + records.length);
  file.set([14, 0x20], 0);
  file.writeUInt32LE(records.length, 4);
  file.write('.FIT', 8, 'latin1');
  file.set(records, 14);
  // CRC-16/ARC
  let sum = 0;
  for (const byte of file) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xa001 : 0);
  }
  return Buffer.concat([file, Buffer.from([sum & 255, sum >>> 8])]);
}

/** Ten entities, each of ten of the one before: `&i;` would have 10 GB. */
const billionLaughs = `<!DOCTYPE gpx [<!ENTITY a "${'lol'.repeat(3)}">${[...'bcdefghi']
  .map((name, at) => `<!ENTITY ${name} "${`&${'abcdefgh'[at]};`.repeat(10)}">`)
  .join('')}]>\n<gpx><trk><trkseg><trkpt><time>&i;</time></trkpt></trkseg></trk></gpx>`;

function manyAttributes(count: number): string {
  const attributes = Array.from({ length: count }, (_, index) => `a${index}="1"`);
  return `<HealthData><Record ${attributes.join(' ')}/></HealthData>`;
}

const hostile: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
  ['cut.xml', '<HealthData>\n<Record', /^line 2: not valid XML/],
  [
    'other.xml',
    '<html><body/></html>',
    /^format not known: the root element of the XML is html, not HealthData. Formats that are read: apple-health, fit,/,
  ],
  ['deep.xml', `<HealthData>${'<a>'.repeat(100_000)}`, /^line 1: more than 32 nested elements/],
  ['long.xml', `<HealthData a="${'x'.repeat(1_000_000)}"/>`, /^line 1: .*Max buffer length/],
  ['many.xml', manyAttributes(101), /^line 1: more than 100 attributes in one element/],
  ['nested.json', `[${'['.repeat(20_000)}`, /^line 1: an entry has more than 16384 characters/],
  ['text.json', `[\n"${'x'.repeat(20_000)}`, /^line 2: an entry has more than 16384/],
  ['bracket.json', '[1}', /^line 1: not valid JSON/],
  ['comma.json', '[1,]', /^line 1: not valid JSON/],
  ['after.json', '[1] 2', /^line 1: not valid JSON/],
  ['cut.tcx', '<TrainingCenterDatabase>\n<Lap><Track><Trackp', /^line 2: not valid XML .*: export the activity/],
  ['utf16.gpx', Buffer.from('\uFEFF<gpx></gpx>', 'utf16le'), /^the file is not text in UTF-8/],
  ['utf16.csv', Buffer.from('time,hr\n1,2\n', 'utf16le'), /^the file is not text in UTF-8/],
  ['v3.fit', encodeFit([]).fill(0x30, 1, 2), /^FIT protocol version 3 is not read/],
  [
    'none.json',
    '{"exercises": [{"samples": {}}]}',
    /^format not known: a JSON file without a heart rate and beats. Its names: exercises, samples/,
  ],
  ['deep.json', `{"a":${'['.repeat(10_000)}`, /^line 1: more than 32 nested values/],
  ['cutpolar.json', '{"exercises":[{"samples":{"heartRate":[\n{"dateTime"', /^line 2: not valid JSON/],
  ['large.json', `{"deviceDays":[{"samples":[{"a":"${'x'.repeat(20_000)}`, /^line 1: an entry has/],
  ['mix.json', '{"deviceDays":[{"samples":[1}]}', /^line 1: not valid JSON/],
  ['export.zip', 'PK\x03\x04', /^the ZIP is damaged or cut off/],
  ['cut.fit', fit().slice(0, 300), /^the FIT header is invalid or the file is cut off/],
  ['cut.json', '[\n{"dateTime":\n', /^lines? [\d to]+: not valid JSON/],
  ['object.json', '{}', /^format not known: a JSON file.*Its names: none.*Formats that are read: apple-health, fit,/],
  [
    'notime.csv',
    'hr\n70\n',
    /^format not known: no column with times.*Its names: hr\. Formats that are read: apple-health, fit,/,
  ],
  [
    'unknown.csv',
    'time,mood\n1,2\n',
    /^format not known: no column is known.*Its names: time, mood\. Formats that are read: apple-health, fit,/,
  ],
  [
    'quote.csv',
    `time,hr\n"${'x'.repeat(200_000)}`,
    /^line 2: a row of more than 65536 characters, or a quotation mark/,
  ],
  ['polar.csv', 'Name,Sport,Date,Start time\na,b,c,d\n', /^line 2: no Date/],
  ['bad.db', `SQLite format 3\0${'x'.repeat(5000)}`, /database/],
];

test.each([
  ['a billion laughs', 'laughs.gpx', billionLaughs],
  ['a FIT message without definition', 'nodef.fit', encodeFit([1, 2, 3])],
  ['a FIT definition that is cut off', 'def.fit', encodeFit([0x40, 0, 0, 20, 0, 255, 1])],
])('a file with only %s has no readings, and one skipped record', async (_, name, content) => {
  const { readings, skipped } = await readText(name, content);
  expect([readings, Object.values(skipped)]).toEqual([[], [1]]);
});

test.each(hostile)('%s is rejected with place and remedy', async (name, content, message) => {
  await expect(readText(name, content)).rejects.toThrow(message);
});

test('attributes and entries up to their limits are read', async () => {
  await expect(readText('hundred.xml', manyAttributes(100))).resolves.toMatchObject({ readings: [] });
  await expect(readText('empty.json', ' [ ] ')).resolves.toMatchObject({ readings: [] });
  for (const text of ['[{"a":"],}[{\\""}, [[]]]', `["${'x'.repeat(16_381)}"]`])
    await expect(readText('parsed.json', text)).rejects.toThrow('format not known: a JSON file');
});
