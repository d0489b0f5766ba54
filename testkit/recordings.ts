import { FitBaseType, FitEncoder } from 'fit-file-parser/encoder';
import Database from 'libsql';

/** A synthetic recording of ten minutes, as the formats of devices and apps represent it. */
const startMs = Date.UTC(2024, 10, 20, 9);
const secondsApart = 5;
const count = 120;

interface Beat {
  readonly atMs: number;
  readonly bpm: number;
}

/** Five calm minutes, then five with a rising heart rate. */
const beats: readonly Beat[] = Array.from({ length: count }, (_, index) => ({
  atMs: startMs + index * secondsApart * 1000,
  bpm: index < 60 ? 62 + (index % 3) : 95 + Math.round((index - 60) / 3),
}));
/** Steps of the first three minutes. */
const steps = [20, 0, 12];

const iso = (atMs: number) => new Date(atMs).toISOString();
const minuteMs = 60_000;

/** The files in samples/recordings/ by name, and the SQLite database that writeDatabase creates. */
export const sampleFiles: Readonly<Record<string, () => string | Uint8Array>> = {
  'export.xml': appleHealth,
  'activity.fit': () => fit(),
  'swim.fit': swim,
  'activity.tcx': tcx,
  'activity.gpx': gpx,
  'training-session-2024-11-20.json': polarJson,
  'polar.csv': polar,
  'heart-rate.csv': () => `timestamp,hr\n${beats.map(({ atMs, bpm }) => `${iso(atMs)},${bpm}\n`).join('')}`,
  'heart_rate-2024-11-20.json': () =>
    json(beats.map(({ atMs, bpm }) => ({ dateTime: fitbitTime(atMs), value: { bpm, confidence: 2 } }))),
  'steps-2024-11-20.json': () =>
    json(steps.map((value, minute) => ({ dateTime: fitbitTime(startMs + minute * minuteMs), value: String(value) }))),
};

function json(entries: readonly object[]): string {
  return `[\n${entries.map((it) => JSON.stringify(it)).join(',\n')}\n]\n`;
}

/** Returns `MM/DD/YY HH:MM:SS`. */
function fitbitTime(atMs: number): string {
  const [year = '', month, day] = iso(atMs).slice(0, 10).split('-');
  return `${month}/${day}/${year.slice(2)} ${iso(atMs).slice(11, 19)}`;
}

function appleHealth(): string {
  // Apple Health writes local times with their offset.
  const time = (atMs: number) =>
    `${iso(atMs + 60 * minuteMs)
      .slice(0, 19)
      .replace('T', ' ')} +0100`;
  const record = (type: string, unit: string, from: number, to: number, value: number, source = 'Watch') =>
    ` <Record type="HKQuantityTypeIdentifier${type}" sourceName="${source}" unit="${unit}" creationDate="${time(to)}" ` +
    `startDate="${time(from)}" endDate="${time(to)}" value="${value}"/>\n`;
  const end = startMs + 10 * minuteMs;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (ExportDate,Me,Record*)>\n' +
    `<!ATTLIST Record type CDATA #REQUIRED>\n]>\n<HealthData locale="en_US">\n <ExportDate value="${time(end)}"/>\n` +
    steps.map((it, at) => stepRecords(record, it, startMs + at * minuteMs)).join('') +
    beats.map(({ atMs, bpm }) => record('HeartRate', 'count/min', atMs, atMs, bpm)).join('') +
    record('RespiratoryRate', 'count/min', startMs, startMs, 14) +
    record('BodyMass', 'kg', startMs, startMs, 70) +
    ` <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="Watch" unit="ms" startDate="${time(startMs)}" ` +
    `endDate="${time(startMs + 30_000)}" value="48.5">\n  <HeartRateVariabilityMetadataList>\n` +
    '   <InstantaneousBeatsPerMinute bpm="62" time="10:00:01,06"/>\n  </HeartRateVariabilityMetadataList>\n </Record>\n' +
    '</HealthData>\n'
  );
}

/** Two devices count the same steps. */
function stepRecords(
  record: (type: string, unit: string, from: number, to: number, value: number, source?: string) => string,
  value: number,
  fromMs: number,
): string {
  const watch = record('StepCount', 'count', fromMs, fromMs + minuteMs, value);
  return watch + record('StepCount', 'count', fromMs, fromMs + minuteMs, Math.floor(value / 2), 'Phone');
}

function polar(): string {
  const rows = beats.map(({ atMs, bpm }) => `,${iso(atMs - startMs).slice(11, 19)},${bpm},,,,,,,,,\n`).join('');
  return (
    'Name,Sport,Date,Start time,Duration,Total distance (km),Average heart rate (bpm)\n' +
    'Example,Other indoor,20-11-2024,10:00:00,00:10:00,,71\n' +
    'Sample rate,Time,HR (bpm),Speed (km/h),Pace (min/km),Cadence,Altitude (m),Stride length (m),Distances (m),' +
    `Temperatures (C),Power (W),\n5,${rows.slice(1)}`
  );
}

function tcx(): string {
  const point = ({ atMs, bpm }: Beat) =>
    ` <Trackpoint><Time>${iso(atMs)}</Time><HeartRateBpm><Value>${bpm}</Value></HeartRateBpm></Trackpoint>\n`;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">\n' +
    `<Activities><Activity Sport="Other"><Id>${iso(startMs)}</Id><Lap StartTime="${iso(startMs)}">` +
    '<AverageHeartRateBpm><Value>82</Value></AverageHeartRateBpm><Track>\n' +
    `${beats.map(point).join('')}</Track></Lap></Activity></Activities>\n</TrainingCenterDatabase>\n`
  );
}

function gpx(): string {
  const point = ({ atMs, bpm }: Beat) =>
    ` <trkpt lat="48.2" lon="16.4"><time>${iso(atMs)}</time><extensions><gpxtpx:TrackPointExtension>` +
    `<gpxtpx:hr>${bpm}</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>\n`;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Example" xmlns="http://www.topografix.com/GPX/1/1" ' +
    'xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">\n' +
    `<metadata><time>${iso(startMs)}</time></metadata>\n<trk><trkseg>\n${beats.map(point).join('')}</trkseg></trk>\n</gpx>\n`
  );
}

/** A training session of the Polar Flow data export. Times are local, at UTC+1. */
function polarJson(): string {
  const local = (atMs: number) => iso(atMs + 60 * minuteMs).slice(0, 23);
  const times = { startTime: local(startMs), stopTime: local(startMs + count * secondsApart * 1000) };
  const heartRate = beats.map(({ atMs, bpm }) => JSON.stringify({ dateTime: local(atMs), value: bpm })).join(',\n');
  return (
    `${JSON.stringify({ exportVersion: '1.3', ...times, timeZoneOffset: 60 }).slice(0, -1)},\n` +
    `"exercises": [${JSON.stringify({ ...times, timezoneOffset: 60, sport: 'OTHER_INDOOR' }).slice(0, -1)},\n` +
    `"samples": {"heartRate": [\n${heartRate}\n]}}]}\n`
  );
}

/** A FIT activity: records with heart rate, and beats of the first minute. */
export function fit(protocolVersion = 0x20): Uint8Array {
  const encoder = new FitEncoder({ protocolVersion });
  const field = (number: number, size: number, baseType: FitBaseType, value: number | Uint8Array) => ({
    number,
    size,
    baseType,
    value,
  });
  for (const [index, { atMs, bpm }] of beats.entries()) {
    encoder.writeMessage(20, [
      field(253, 4, FitBaseType.Uint32, FitEncoder.toFitTimestamp(new Date(atMs))),
      field(3, 1, FitBaseType.Uint8, bpm),
    ]);
    if (index >= 12) continue;
    const intervals = Array.from({ length: 5 }, () => Math.round(60_000 / bpm));
    // The last value means "no value". Devices fill the array with it.
    const bytes = new Uint8Array(new Uint16Array([...intervals, 0xffff]).buffer);
    encoder.writeMessage(78, [field(0, bytes.length, FitBaseType.Uint16, bytes)], 1);
  }
  return encoder.close();
}

/** A FIT activity of a swim: records without a heart rate, then what the strap had stored, one value per second. */
function swim(): Uint8Array {
  const encoder = new FitEncoder({ protocolVersion: 0x20 });
  const uint32 = (number: number, value: number) => ({ number, size: 4, baseType: FitBaseType.Uint32, value });
  const timeAt = (atMs: number) => uint32(253, FitEncoder.toFitTimestamp(new Date(atMs)));
  const bytes = (number: number, baseType: FitBaseType, value: number[]) => ({
    ...{ number, baseType, size: value.length },
    value: new Uint8Array(value),
  });
  for (const { atMs } of beats) encoder.writeMessage(20, [timeAt(atMs)]);
  // The strap has counted for an hour before the swim.
  const ticksAt = (second: number) => (3600 + second) * 1024;
  const bpmAt = (second: number) => beats[Math.floor(second / secondsApart)]?.bpm ?? 0xff;
  const first = [timeAt(startMs), bytes(6, FitBaseType.Uint8, [bpmAt(0)]), uint32(9, ticksAt(0))];
  encoder.writeMessage(132, first, 1);
  for (let from = 1; from < count * secondsApart; from += 8) {
    const seconds = Array.from({ length: 8 }, (_, index) => from + index);
    const packed = [0, 2, 4, 6].flatMap((index) => {
      const [even = 0, odd = 0] = seconds.slice(index, index + 2).map((second) => ticksAt(second) & 0xfff);
      return [even & 0xff, (even >>> 8) | ((odd & 15) << 4), odd >>> 4];
    });
    encoder.writeMessage(
      132,
      [bytes(6, FitBaseType.Uint8, seconds.map(bpmAt)), bytes(10, FitBaseType.Byte, packed)],
      2,
    );
  }
  return encoder.close();
}

/** Creates `health_connect_export.db` with the tables and columns that are read. */
export function writeDatabase(path: string): void {
  const database = new Database(path);
  database.exec(`
    CREATE TABLE heart_rate_record_series_table (parent_key INTEGER, beats_per_minute INTEGER, epoch_millis INTEGER);
    CREATE TABLE heart_rate_variability_rmssd_record_table
      (row_id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, heart_rate_variability_millis REAL);
    CREATE TABLE respiratory_rate_record_table (row_id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, rate REAL);
    CREATE TABLE steps_record_table
      (row_id INTEGER PRIMARY KEY AUTOINCREMENT, start_time INTEGER, end_time INTEGER, count INTEGER, app_info_id INTEGER);`);
  database.exec(
    `INSERT INTO heart_rate_record_series_table VALUES ${beats.map(({ atMs, bpm }) => `(1, ${bpm}, ${atMs})`).join()}`,
  );
  database.exec(`INSERT INTO heart_rate_variability_rmssd_record_table VALUES (1, ${startMs}, 41.5)`);
  database.exec(`INSERT INTO respiratory_rate_record_table VALUES (1, ${startMs}, 14)`);
  const rows = steps.map(
    (it, at) => `(${at + 1}, ${startMs + at * minuteMs}, ${startMs + (at + 1) * minuteMs}, ${it}, 1)`,
  );
  database.exec(`INSERT INTO steps_record_table VALUES ${rows.join()}`);
  database.close();
}
