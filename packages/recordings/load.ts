import { findDelimiter } from './csv-rows.js';
import type { Format } from './field-map.js';
import { NotReadError, type Reader, type Recording } from './measurement.js';
import type { Minutes } from './minutes.js';
import { shown } from './names.js';
import { createPause } from './pause.js';

/** The formats of this package. Health Connect's database requires SQLite, so its reader is in packages/tools. */
type Streamed = Exclude<Format, 'health-connect'>;

/** Each reader loads its library when a recording of its format is read. */
const readers: Readonly<Record<Streamed, () => Promise<Reader>>> = {
  'apple-health': async () => (await import('./apple-health.js')).readAppleHealth,
  fit: async () => (await import('./fit.js')).readFit,
  tcx: async () => (await import('./xml.js')).readTracks('tcx'),
  gpx: async () => (await import('./xml.js')).readTracks('gpx'),
  'polar-json': async () => (await import('./polar-json.js')).readPolarJson,
  'polar-csv': async () => (await import('./csv.js')).readPolarCsv,
  csv: async () => (await import('./csv.js')).readCsv,
  json: async () => (await import('./json-vendors.js')).readJsonVendors,
  fitbit: async () => (await import('./fitbit.js')).readFitbit,
};

/**
 * Adds the measurements of a recording to the minutes. `path` distinguishes recordings of one name. Rejects with an error of
 * one line without the name of the recording, a `NotReadError` if it is of another kind.
 */
export async function readRecording(
  recording: Recording,
  format: Streamed,
  minutes: Minutes,
  path = recording.name,
): Promise<void> {
  if (recording.person !== undefined && format !== 'csv')
    throw new Error(`a recording of the format ${format} is of one person: --person is for CSV`);
  const read = await readers[format]();
  const pause = createPause();
  for await (const items of read(recording)) {
    minutes.add(items, path);
    await pause();
  }
}

/** The start of files that are no text, by what they are. */
const binaries = [
  { start: '%PDF', kind: 'a PDF' },
  { start: '\xd0\xcf\x11\xe0', kind: 'an Excel or Access file: save it as CSV' },
  { start: '\x1f\x8b', kind: 'an archive of gzip: extract it, and pass the file in it' },
  { start: 'PK\x03\x04', kind: 'a ZIP, which is opened by its reader only' },
];
/** Names in the first 4 kB of JSON that is not of Polar. */
const vendorNames =
  /"(activities-heart|metrics|workouts|dates|hr_samples|event_type|samples|heartRateValues|Data Points|Data Source|fitValue|bpm|heart_?[rR]ate|rr_intervals_ms|hr|pulse|sdnn|rmssd|rmssd_millis|exercise|steps)"/;
const polarNames = /"(deviceDays|exercises|devicePpiSamplesList|exportVersion)"/;
const fitbitNames = /"(dateTime|activityName)"/;

/**
 * Returns the format of a recording from its first 4 kB. `labeled` is a CSV with the columns subject, task and label. Throws
 * a `NotReadError` if the format is not known.
 */
export function detectFormat(head: Uint8Array): Format | 'labeled' {
  const bytes = Array.from(head.subarray(0, 16), (byte) => String.fromCharCode(byte)).join('');
  if (bytes.startsWith('SQLite format 3\0')) return 'health-connect';
  if (bytes.slice(8, 12) === '.FIT') return 'fit';
  const binary = binaries.find(({ start }) => bytes.startsWith(start));
  if (binary) throw new NotReadError(binary.kind);
  if (/^(\xff\xfe|\xfe\xff)/.test(bytes) || /^[\n -~]\0[\n -~]\0/.test(bytes))
    throw new Error('the file is not text in UTF-8: save it as UTF-8');
  if (head.includes(0)) throw new NotReadError('the file is no text');
  const text = new TextDecoder().decode(head).trimStart();
  if (text.startsWith('<')) return detectXml(text);
  if (/^(\{|\[\s*([[{"\]\d-]|$))/.test(text)) return detectJson(text);
  return detectCsv(text);
}

function detectXml(text: string): Format {
  const [, root] = /<(?:\w+:)?(TrainingCenterDatabase|gpx)[\s>]/.exec(text) ?? [];
  return root === undefined ? 'apple-health' : root === 'gpx' ? 'gpx' : 'tcx';
}

function detectJson(text: string): Format {
  if (text.includes('"activities-heart')) return 'json';
  if (polarNames.test(text)) return 'polar-json';
  if (text.startsWith('[') && (fitbitNames.test(text) || !vendorNames.test(text))) return 'fitbit';
  return vendorNames.test(text) ? 'json' : 'polar-json';
}

function detectCsv(text: string): Format | 'labeled' {
  const [first = ''] = text.split(/[\r\n]/, 1);
  if (/^\[[^\]]*\]$/.test(first.trim())) throw new NotReadError(`a text that begins with ${shown(first)}`);
  const titles = first.split(findDelimiter(first)).map((it) => it.replaceAll('"', '').trim());
  if (['subject', 'task', 'label'].every((title) => titles.includes(title))) return 'labeled';
  return /^"?Name"?[,;\t]"?Sport"?[,;\t]"?Date"?[,;\t]/.test(first) ? 'polar-csv' : 'csv';
}
