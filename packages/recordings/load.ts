import { findDelimiter } from './csv-rows.js';
import type { Format } from './field-map.js';
import type { Reader, Recording } from './measurement.js';
import type { Minutes } from './minutes.js';

/** The formats of this package. Health Connect's database requires SQLite, so its reader is in packages/tools. */
type Streamed = Exclude<Format, 'health-connect'>;

/** Each reader loads its library when a recording of its format is read. */
const readers: Readonly<Record<Streamed, () => Promise<Reader>>> = {
  'apple-health': async () => (await import('./xml.js')).readAppleHealth,
  fit: async () => (await import('./fit.js')).readFit,
  tcx: async () => (await import('./xml.js')).readTracks('tcx'),
  gpx: async () => (await import('./xml.js')).readTracks('gpx'),
  'polar-json': async () => (await import('./polar-json.js')).readPolarJson,
  'polar-csv': async () => (await import('./csv.js')).readPolarCsv,
  csv: async () => (await import('./csv.js')).readCsv,
  fitbit: async () => (await import('./fitbit.js')).readFitbit,
};

/**
 * Adds the measurements of a recording to the minutes. `path` distinguishes recordings of one name. Rejects with an error of
 * one line without the name of the recording.
 */
export async function readRecording(
  recording: Recording,
  format: Streamed,
  minutes: Minutes,
  path = recording.name,
): Promise<void> {
  const read = await readers[format]();
  for await (const items of read(recording)) minutes.add(items, path);
}

/**
 * Returns the format of a recording from its first 4 kB. `labeled` is a CSV with the columns subject, task and label. Throws
 * an error that names the remedy if the format is not known.
 */
export function detectFormat(head: Uint8Array): Format | 'labeled' {
  const bytes = new TextDecoder('latin1').decode(head);
  if (bytes.startsWith('SQLite format 3\0')) return 'health-connect';
  if (bytes.slice(8, 12) === '.FIT') return 'fit';
  if (bytes.startsWith('PK\x03\x04') || (head[0] === 0x1f && head[1] === 0x8b))
    throw new Error('the file is an archive: extract it, and pass the file in it');
  if (head.includes(0)) throw new Error('the file is not text in UTF-8: save it as UTF-8');
  const text = new TextDecoder().decode(head).trimStart();
  if (text.startsWith('<')) return detectXml(text);
  if (text.startsWith('{') || /^\[[^]*"devicePpiSamplesList"/.test(text)) return 'polar-json';
  if (text.startsWith('[')) return 'fitbit';
  const first = text.split('\n', 1)[0] ?? '';
  const titles = first.split(findDelimiter(first)).map((it) => it.replaceAll('"', '').trim());
  if (['subject', 'task', 'label'].every((title) => titles.includes(title))) return 'labeled';
  return /^"?Name"?[,;\t]"?Sport"?[,;\t]"?Date"?[,;\t]/.test(first) ? 'polar-csv' : 'csv';
}

function detectXml(text: string): Format {
  const [, root] = /<(?:\w+:)?(TrainingCenterDatabase|gpx)[\s>]/.exec(text) ?? [];
  return root === undefined ? 'apple-health' : root === 'gpx' ? 'gpx' : 'tcx';
}
