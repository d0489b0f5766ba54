import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { splitHead } from '../../recordings/chunks.js';
import type { Format } from '../../recordings/field-map.js';
import { detectFormat, readRecording } from '../../recordings/load.js';
import { Minutes, type RecordedReading } from '../../recordings/minutes.js';
import { readWindows } from './read-windows.js';
import type { RecordedWindow } from './recorded-window.js';

export interface RecordingOptions {
  /** Files of one recording. A text if the option was not given. */
  readonly file: string | readonly string[];
  /** Detected from the content if absent. */
  readonly format?: Format | 'labeled';
  /** Number of hours of a device recording that are sent, the newest ones. */
  readonly hours: number;
  /** Offset of local times in recordings of devices, ms. */
  readonly utcOffset: number;
  readonly subject?: string;
  /** Sends readings with the times of the recording. */
  readonly backfill: boolean;
}

/** A file up to this size ends before the heap grows. */
const smallFileMaxBytes = 8 * 1024 * 1024;
/** A longer recording is shown per day, because a row per hour would not fit on a screen. */
const hoursPerRowMax = 48;

/** Returns the windows of all files. Rejects with an error that names the file or the option. */
export async function loadRecording(options: RecordingOptions): Promise<RecordedWindow[]> {
  const files = [options.file].flat();
  const formats = await Promise.all(
    files.map((file) => naming(file, async () => options.format ?? detectFileFormat(file))),
  );
  const devices = formats.filter((format) => format !== 'labeled');
  if (devices.length === 0) return loadWindows(files, options);
  if (devices.length < files.length)
    throw new Error('pass files with the columns subject, task and label separately from recordings of devices');
  return loadDevices(files, devices, options);
}

async function loadWindows(
  [file = '', ...more]: readonly string[],
  { backfill, subject }: RecordingOptions,
): Promise<RecordedWindow[]> {
  if (backfill) throw new Error('--backfill requires a recording of a device, which has times');
  if (subject !== undefined)
    throw new Error('--subject requires a recording of a device: this file names its subjects');
  if (more.length > 0) throw new Error('pass one file with the columns subject, task and label');
  return naming(file, async () => readWindows(await readFile(file, 'utf8')));
}

/**
 * Returns the readings of a person's recordings, oldest first, at most one per minute (more only with beats). Prints the
 * number of readings and of skipped values per reason to standard error.
 */
async function loadDevices(
  files: readonly string[],
  formats: readonly Format[],
  { hours, utcOffset, backfill }: RecordingOptions,
): Promise<RecordedWindow[]> {
  const minutes = new Minutes({ hours, nowMs: Date.now() });
  for (const [index, format] of formats.entries()) {
    const path = files[index] ?? '';
    if ((await stat(path)).size > smallFileMaxBytes) keepHeapSmall();
    await naming(path, () => readRecordingFile({ path, utcOffsetMs: utcOffset }, format, minutes));
  }
  const readings = minutes.readings();
  const label = [...new Set(formats)].join(', ');
  console.error(`Read ${label}: ${readings.length} readings${formatSpan(readings)}.`);
  const skipped = [...minutes.skipped].sort(([, a], [, b]) => b - a);
  if (skipped.length > 0) console.error('Skipped values:');
  for (const [reason, count] of skipped) console.error(`  ${reason}: ${count}`);
  if (readings.length === 0)
    throw new Error(`no heart rate, variability or beats in ${files.join(', ')}: see docs/recordings.md`);
  const isLong = (readings.at(-1)?.atMs ?? 0) - (readings[0]?.atMs ?? 0) > hoursPerRowMax * 3_600_000;
  return readings.map(({ atMs, values }, index) => {
    const hour = new Date(atMs).toISOString().slice(0, 13);
    const day = hour.slice(0, 10);
    // Live readings need a session per hour, because it accepts 120 per minute (LIMIT_SESSION_REQUESTS_PER_MINUTE).
    const part = backfill ? `import-${day}` : hour;
    const task = isLong ? day : `${hour.replace('T', ' ')}:00`;
    return { line: index + 1, atMs, part, subject: 'recording', task, label, values, clamped: [] };
  });
}

/**
 * Makes V8 collect garbage more often. Otherwise its heap grows by 65 MB while it reads a file of 1 GB, although hardly any
 * object survives. Costs 15 % CPU time.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}

function formatSpan(readings: readonly RecordedReading[]): string {
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last) return '';
  return `, ${new Date(first.atMs).toISOString()} to ${new Date(last.atMs).toISOString()}`;
}

/** Adds the name of the file to an error. */
async function naming<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`cannot read --file ${file}: ${(error as Error).message}`);
  }
}

/** Adds the measurements of a file to the minutes. Rejects with an error of one line without the name of the file. */
export async function readRecordingFile(
  { path, utcOffsetMs }: { readonly path: string; readonly utcOffsetMs: number },
  format: Format,
  minutes: Minutes,
): Promise<void> {
  if (format === 'health-connect') return addAll(path, minutes);
  const chunks = createReadStream(path);
  try {
    await readRecording({ name: basename(path), chunks, utcOffsetMs }, format, minutes, path);
  } finally {
    chunks.destroy();
  }
}

/** The library of SQLite is loaded when a database is read. */
async function addAll(path: string, minutes: Minutes): Promise<void> {
  const { readHealthConnect } = await import('./health-connect.js');
  for (const items of readHealthConnect(path)) minutes.add(items, path);
}

/** Returns the format of a file. Throws an error that names the remedy if the format is not known. */
export async function detectFileFormat(path: string): Promise<Format | 'labeled'> {
  const chunks = createReadStream(path, { end: 4095 });
  return detectFormat((await splitHead(chunks)).head);
}
