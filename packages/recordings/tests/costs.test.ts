import { expect, test } from 'vitest';
import type { Format } from '../field-map.js';
import { readRecording } from '../load.js';
import { Minutes } from '../minutes.js';

const startMs = Date.UTC(2026, 10, 20, 9);
const nowMs = startMs + 3_600_000;
/** Repetitions that take seconds if their time is quadratic. */
const many = 30_000;
const time = '2026-11-20T09:00:00Z';
const row = `${time},70\n`;
const rows = `timestamp,heart_rate\n${row.repeat(2_000)}`;
type Content = string | Uint8Array;

/** Reads a recording twice. Returns the least CPU time, and the turns of the event loop of the last run. */
async function measure(format: Exclude<Format, 'health-connect'>, content: Content) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const recording = { name: 'heart_rate.x', chunks: [bytes], zone: 0 };
  let [cpu, turns] = [Number.POSITIVE_INFINITY, 0];
  for (const _ of ['warm', 'again']) {
    turns = 0;
    const counting = setInterval(() => (turns += 1));
    const begun = process.cpuUsage();
    // A broken file is rejected, which is as good.
    await readRecording(recording, format, new Minutes({ hours: 24, nowMs })).catch(() => undefined);
    const { user, system } = process.cpuUsage(begun);
    clearInterval(counting);
    cpu = Math.min(cpu, user + system);
  }
  return { cpu, turns };
}

const gpx = (inside: string) => `<gpx><trk><trkseg><trkpt><time>${time}</time>${inside}</trkpt></trkseg></trk></gpx>`;
const names = Array.from({ length: 20 }, (_, index) => `n${index}${'x'.repeat(many)}`);
const points = `<Trackpoint><Time>${time}</Time><HeartRateBpm><Value>70</Value></HeartRateBpm></Trackpoint>`.repeat(
  500,
);
const record = (startDate: string) =>
  `<HealthData><Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" value="70" startDate="${startDate}"/></HealthData>`;

type Messages = readonly [number: number, fields: readonly number[][], message: readonly number[]];

/** A FIT file with 4,000 messages of each of these definitions, one definition after another. */
function fit(...parts: readonly Messages[]): Uint8Array {
  const records = parts.flatMap(([number, fields, message], local) => [
    ...[0x40 | local, 0, 0, number, 0, fields.length, ...fields.flat()],
    ...Array.from({ length: 4_000 }, () => [local, ...message]).flat(),
  ]);
  const header = new Uint8Array([14, 0x20, 0, 0, 0, 0, 0, 0, 0x2e, 0x46, 0x49, 0x54, 0, 0]);
  new DataView(header.buffer).setUint32(4, records.length, true);
  return Uint8Array.from([...header, ...records, 0, 0]);
}
const rates: Messages = [
  20,
  [
    [253, 4, 0x86],
    [3, 1, 0x02],
  ],
  [1, 0, 0, 0x40, 70],
];
const empty: Messages = [20, Array.from({ length: 255 }, (_, id) => [id, 0, 0x02]), []];

const hostile: ReadonlyArray<readonly [string, Exclude<Format, 'health-connect'>, Content, Content]> = [
  ['a CSV with many tabs', 'csv', `timestamp\theart_rate\n${time}\t70${'\t'.repeat(many)}x"\n`, rows],
  ['a CSV with a cell of spaces', 'csv', `timestamp,heart_rate\n${time},70,${' '.repeat(many)}x"y\n`, rows],
  ['a CSV with many brackets', 'csv', `timestamp,heart_rate,${'('.repeat(many)}\n${row}`, rows],
  [
    'a CSV with brackets for a type',
    'csv',
    `timestamp,value,type\n${`${time},70,${'('.repeat(many)}\n`.repeat(2)}`,
    rows,
  ],
  [
    'a CSV with many times in a date',
    'csv',
    `date,time,heart_rate\n2026-11-20,09:00:00,70\n"2026-11-20${' 1:'.repeat(many / 2)}\n",09:00:00,70\n`,
    rows,
  ],
  [
    'a GPX with long names of elements',
    'gpx',
    gpx(
      `${names.map((it) => `<${it}>`).join('')}${'<a/>'.repeat(4_000)}${names
        .reverse()
        .map((it) => `</${it}>`)
        .join('')}`,
    ),
    gpx('<hr>70</hr>'.repeat(20_000)),
  ],
  [
    'a TCX with a long sport',
    'tcx',
    `<TrainingCenterDatabase><Activity Sport="${'a'.repeat(many)}">${points}</Activity></TrainingCenterDatabase>`,
    `<TrainingCenterDatabase><Activity Sport="Running">${points}</Activity></TrainingCenterDatabase>`,
  ],
  [
    'an export of Apple Health with a long date',
    'apple-health',
    record(`a ${'b'.repeat(many)}\nc`),
    record(time).repeat(200),
  ],
  ['a FIT file of empty fields', 'fit', fit(empty), fit(rates)],
];

test.each(hostile)('%s costs no more than its size', async (_, format, content, ordinary) => {
  const { cpu } = await measure(format, ordinary);
  expect((await measure(format, content)).cpu).toBeLessThan(4 * cpu);
});

test('a large recording in memory is read in parts, between which other work runs', async () => {
  const entry = JSON.stringify({ dateTime: '11/20/26 09:00:00', value: { bpm: 70, confidence: 3 } });
  const list = (count: number) => `[${Array.from({ length: count }, () => entry).join()}]`;
  expect((await measure('fitbit', list(60_000))).turns).toBeGreaterThan(1);
  // No entry of this text is read.
  expect((await measure('json', `{"other":${list(60_000)}}`)).turns).toBeGreaterThan(1);
});
