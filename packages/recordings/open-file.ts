import { readHead, TooLargeError } from './chunks.js';
import type { Format } from './field-map.js';
import { detectFormat, readRecording } from './load.js';
import type { Seen } from './account.js';
import { type Chunks, DaySummaryError, NotReadError, type Recording } from './measurement.js';
import type { Minutes } from './minutes.js';
import { shown } from './names.js';
import { isZip, type OpenZip, readZip } from './zip.js';

/** A file as the caller opened it. */
export interface OpenFile {
  /** Name without its folder. */
  readonly name: string;
  /** Distinguishes files of one name. */
  readonly path: string;
  readonly chunks: Chunks;
  /** Opens the file as a ZIP. Called if it is one. */
  readonly openZip: () => Promise<OpenZip>;
}

/** What a caller may state about a file. The format is detected from the content if it is absent. */
export interface FileOptions extends Partial<Omit<Recording, 'name' | 'chunks'>> {
  readonly format?: Format | 'labeled' | undefined;
}

/** Adds a database of Health Connect to the minutes. `isInZip` is true if `chunks` are of a file in a ZIP. */
export type ReadDatabase = (chunks: Chunks, name: string, isInZip: boolean) => Promise<void>;

/**
 * Adds the measurements of a file, or of all files in a ZIP, to the minutes. Returns the formats. Rejects with an error of one
 * line without the name of the file.
 */
export async function readRecordingFile(
  file: OpenFile,
  options: FileOptions,
  minutes: Minutes,
  readDatabase: ReadDatabase,
): Promise<Format[]> {
  const { name, path, chunks } = file;
  const head = await readHead(chunks);
  if (isZip(head)) return readAllInZip(file, options, minutes, readDatabase);
  const format = options.format ?? detectFormat(head);
  if (format === 'labeled') throw new Error('the file has the columns subject, task and label');
  if (format === 'health-connect') await readDatabase(chunks, path, false);
  else await readRecording({ zone: 0, ...options, name, chunks }, format, minutes, path);
  return [format];
}

/** Maximum number of files of a ZIP that are skipped by name. More are counted. */
const namedMax = 10;

/** Reads the files of a ZIP that are recordings. An export contains many others. */
async function readAllInZip(
  { path, openZip }: OpenFile,
  options: FileOptions,
  minutes: Minutes,
  readDatabase: ReadDatabase,
): Promise<Format[]> {
  const formats: Format[] = [];
  let skipped = 0;
  for (const { name, chunks } of await readZip(await openZip())) {
    const baseName = name.slice(name.lastIndexOf('/') + 1);
    try {
      const format = detectFormat(await readHead(chunks));
      if (format === 'labeled') throw new NotReadError('a CSV with the columns subject, task and label');
      if (format === 'health-connect') await readDatabase(chunks, name, true);
      else await readRecording({ zone: 0, ...options, name: baseName, chunks }, format, minutes, `${path}/${name}`);
      formats.push(format);
    } catch (error) {
      const isSkipped = error instanceof NotReadError || error instanceof TooLargeError;
      if (!isSkipped) throw new Error(`${shown(name)} in the ZIP: ${(error as Error).message}`);
      const reason = describeSkipped(error);
      const days = error instanceof DaySummaryError ? countDays(error.seen) : { values: 0 };
      const which = (skipped += 1) > namedMax ? '' : `: ${shown(baseName)}`;
      minutes.add([{ skipped: `a file in the ZIP ${reason}${which}`, ...days }]);
      if (error instanceof DaySummaryError) minutes.add([error.seen]);
    }
  }
  if (formats.length === 0) throw new NotReadError('a ZIP without recordings');
  return formats;
}

function describeSkipped(error: unknown): string {
  if (error instanceof TooLargeError) return 'of more than 64 MB';
  return error instanceof DaySummaryError ? 'with one value per day' : 'that is no recording';
}

function countDays({ seen, context }: Seen) {
  return { as: 'day_summary', values: seen - context } as const;
}
