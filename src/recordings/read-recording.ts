import { open } from 'node:fs/promises';
import type { Format } from './field-map.js';
import type { Reader, RecordingFile } from './measurement.js';
import type { Minutes } from './minutes.js';

const headBytes = 4096;

/** Each reader loads its library when a file of its format is read. */
const readers: Readonly<Record<Format, () => Promise<Reader>>> = {
  'apple-health': async () => (await import('./apple-health.js')).readAppleHealth,
  fit: async () => (await import('./fit.js')).readFit,
  'polar-csv': async () => (await import('./csv.js')).readPolarCsv,
  csv: async () => (await import('./csv.js')).readCsv,
  fitbit: async () => (await import('./fitbit.js')).readFitbit,
  'health-connect': async () => (await import('./health-connect.js')).readHealthConnect,
};

/** Adds the measurements of a file to the minutes. Rejects with an error of one line without the name of the file. */
export async function readRecording(file: RecordingFile, format: Format, minutes: Minutes): Promise<void> {
  const read = await readers[format]();
  for await (const items of read(file)) minutes.add(items);
}

/**
 * Returns the format of a file from its first bytes. `windows` is a CSV with the columns subject, task and label. Throws
 * an error that names the remedy if the format is not known.
 */
export async function detectFormat(path: string): Promise<Format | 'windows'> {
  const head = await readHead(path);
  const bytes = head.toString('latin1');
  if (bytes.startsWith('SQLite format 3\0')) return 'health-connect';
  if (bytes.slice(8, 12) === '.FIT') return 'fit';
  if (bytes.startsWith('PK\x03\x04') || bytes.startsWith('\x1f\x8b'))
    throw new Error('the file is an archive: extract it, and pass the file in it');
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (text.startsWith('<')) return detectXml(text);
  if (/^[[{]/.test(text)) return 'fitbit';
  const first = text.split('\n', 1)[0] ?? '';
  if (['subject', 'task', 'label'].every((title) => first.split(',').some((it) => it.trim() === title)))
    return 'windows';
  return /^"?Name"?,"?Sport"?,"?Date"?,/.test(first) ? 'polar-csv' : 'csv';
}

function detectXml(text: string): Format {
  if (/<(TrainingCenterDatabase|gpx)\b/.test(text))
    throw new Error('TCX and GPX are not read: export the original FIT file or a CSV');
  return 'apple-health';
}

async function readHead(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
