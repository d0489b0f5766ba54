import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { readHead } from '../../recordings/chunks.js';
import type { Format } from '../../recordings/field-map.js';
import { detectFormat } from '../../recordings/load.js';
import { describeAccount } from '../../recordings/account.js';
import type { Chunks, Fact, Inference } from '../../recordings/measurement.js';
import { Minutes, type RecordedReading } from '../../recordings/minutes.js';
import { readRecordingFile as readOpenFile } from '../../recordings/open-file.js';
import { createPause } from '../../recordings/pause.js';
import type { DateOrder } from '../../recordings/times.js';
import { isZip } from '../../recordings/zip.js';
import { readWindows } from './read-windows.js';
import type { RecordedWindow } from './recorded-window.js';
import { openZip } from './zip.js';

export interface RecordingOptions {
  /** Files of one recording. A text if the option was not given. */
  readonly file: string | readonly string[];
  /** Detected from the content if absent. */
  readonly format?: Format | 'labeled';
  /** Number of hours of a device recording that are sent, the newest ones. */
  readonly hours: number;
  /** Offset of local times in recordings of devices, ms. */
  readonly utcOffset: number;
  /** Zone of local times, e.g. `Europe/Berlin`. It replaces the offset. */
  readonly timeZone?: string;
  /** Start of a recording whose times count from its start, epoch ms. */
  readonly start?: number;
  /** The person to read, if a CSV has several. */
  readonly person?: string;
  /** Order of the dates of a CSV, if it does not show it. */
  readonly dateOrder?: DateOrder;
  /** Column or field with the times, if its name does not show it. */
  readonly timeColumn?: string;
  /** What is read although its values look like something else. */
  readonly keep?: readonly Inference[];
  readonly subject?: string;
  /** Sends readings with the times of the recording. */
  readonly backfill: boolean;
}

/** A file up to this size ends before the heap grows. */
const smallFileMaxBytes = 8 * 1024 * 1024;
/** The subject of a recording of a device. */
export const recordingSubject = 'recording';
/** A longer recording is shown per day, because a row per hour would not fit on a screen. */
const hoursPerRowMax = 48;

export interface LoadedRecording {
  readonly windows: readonly RecordedWindow[];
  /** What happened to the person, if the readings are of the history. Other readings state it themselves. */
  readonly facts: readonly Fact[];
}

/** Returns the windows and facts of all files. Rejects with an error that names the file or the option. */
export async function loadRecording(options: RecordingOptions): Promise<LoadedRecording> {
  const files = [options.file].flat();
  const formats = await Promise.all(
    files.map((file) => naming(file, async () => options.format ?? detectFileFormat(file))),
  );
  if (formats.every((format) => format === 'labeled')) return { windows: await loadWindows(files, options), facts: [] };
  if (formats.includes('labeled'))
    throw new Error('pass files with the columns subject, task and label separately from recordings of devices');
  return loadDevices(files, options);
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
async function loadDevices(files: readonly string[], options: RecordingOptions): Promise<LoadedRecording> {
  const { hours, keep, backfill } = options;
  const minutes = new Minutes({ hours, nowMs: Date.now(), keep, marksFacts: !backfill });
  const formats = new Set<string>();
  for (const path of files) {
    if ((await stat(path)).size > smallFileMaxBytes) keepHeapSmall();
    for (const format of await naming(path, () => readRecordingFile(path, options, minutes))) formats.add(format);
  }
  const readings = minutes.readings();
  const label = [...formats].join(', ');
  const facts = backfill ? minutes.facts : [];
  console.error(`Read ${label}: ${readings.length} readings${formatSpan(readings)}.`);
  const skipped = [...minutes.skipped].sort(([, a], [, b]) => b - a);
  if (skipped.length > 0) console.error('Skipped values:');
  for (const [reason, count] of skipped) console.error(`  ${reason}: ${count}`);
  console.error(`Values: ${describeAccount(minutes.account)}.`);
  for (const note of minutes.notes) console.error(`  ${note}`);
  if (readings.length === 0 && facts.length === 0)
    throw new Error(
      `no heart rate, variability or beats in ${files.join(', ')} (${describeAccount(minutes.account)}): see docs/recordings.md`,
    );
  const isLong = (readings.at(-1)?.atMs ?? 0) - (readings[0]?.atMs ?? 0) > hoursPerRowMax * 3_600_000;
  const windows = readings.map((reading, index) => {
    const hour = new Date(reading.atMs).toISOString().slice(0, 13);
    // Current readings need a session per hour, because it accepts 120 per minute (LIMIT_SESSION_REQUESTS_PER_MINUTE).
    const task = isLong ? hour.slice(0, 10) : `${hour.replace('T', ' ')}:00`;
    return { line: index + 1, ...reading, part: hour, subject: recordingSubject, task, label, clamped: [] };
  });
  return { windows, facts };
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

/** What a caller may state about a file. */
export type FileOptions = Partial<Omit<RecordingOptions, 'file' | 'hours' | 'subject' | 'backfill'>>;

/**
 * Adds the measurements of a file, or of all files in a ZIP, to the minutes. Returns the formats. Rejects with an error of one
 * line without the name of the file.
 */
export function readRecordingFile(path: string, options: FileOptions, minutes: Minutes): Promise<Format[]> {
  const { utcOffset = 0, timeZone, start, ...rest } = options;
  const file = { name: basename(path), path, chunks: readChunks(path), openZip: () => openZip(path) };
  return readOpenFile(
    file,
    { ...rest, zone: timeZone ?? utcOffset, startMs: start },
    minutes,
    (chunks, name, isInZip) =>
      isInZip
        ? extractDatabase(chunks, (database) => readDatabase(database, minutes, name))
        : readDatabase(path, minutes, name),
  );
}

/** Each iteration opens the file, and closes it at its end. */
function readChunks(path: string): Chunks {
  return { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() };
}

/** The library of SQLite is loaded when a database is read. */
async function readDatabase(path: string, minutes: Minutes, name: string): Promise<void> {
  const { readHealthConnect } = await import('./health-connect.js');
  const pause = createPause();
  for (const items of readHealthConnect(path)) {
    minutes.add(items, name);
    await pause();
  }
}

/** Writes the database of a ZIP to a temporary file, because SQLite reads files only. */
async function extractDatabase(chunks: Chunks, read: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'state-service-import-'));
  try {
    const path = join(folder, 'health_connect_export.db');
    await writeFile(path, chunks);
    await read(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the format of a file. Throws an error that names the remedy if the format is not known. */
export async function detectFileFormat(path: string): Promise<Format | 'labeled' | 'zip'> {
  const head = await readHead(readChunks(path));
  return isZip(head) ? 'zip' : detectFormat(head);
}
