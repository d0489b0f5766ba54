import { hash } from 'node:crypto';
import { once } from 'node:events';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { type ExportRowsOptions, lastCursor } from '../client/src/index.js';
import { requireWritable, unwritable } from './terminal/save.js';

/** The selected readings and the format of an export. The position where it continues is separate. */
export type Selection = Omit<ExportRowsOptions, 'onDisconnect'> & { readonly format: 'ndjson' | 'csv' };

/** Where an export is written. The caller writes only complete rows. */
export interface Output {
  /** Number of readings that the output already contains. */
  readonly count: number;
  /** Cursor of the last of these readings. Without readings, the cursor of the selection. */
  readonly cursor: string | undefined;
  /** Whether a terminal shows the rows. */
  readonly isTerminal: boolean;
  /** Resolves when the next rows may be written. */
  write(rows: string): Promise<void>;
  /** Moves the complete export to its final path. */
  complete(): Promise<void>;
  /**
   * Closes the output of an incomplete export. `cursor` is the cursor of its last row. Resolves with a sentence that
   * says how to continue, or with undefined if there is no row.
   */
  abandon(cursor: string | undefined): Promise<string | undefined>;
}

interface Wanted {
  /** `-` or absent for standard output. */
  readonly out?: string;
  readonly resume: boolean;
  /** Aborts when the command must end. */
  readonly signal: AbortSignal;
}

/** Opens the output of an export. */
export async function openOutput(selection: Selection, { out = '-', resume, signal }: Wanted): Promise<Output> {
  if (out === '-') return streamOutput(process.stdout, selection, signal);
  await requireWritable('--out', out);
  const found = await stat(out).catch(() => undefined);
  // A file must not replace a pipe or a device, e.g. /dev/null.
  if (found && !found.isFile()) return streamOutput(createWriteStream(out), selection, signal);
  return openPartialFile(await resolvePartialFile(out, selection), selection, resume);
}

/** The file that contains the rows of an incomplete export. */
interface PartialFile {
  readonly path: string;
  /** The file that the partial file replaces when the export is complete. */
  readonly target: string;
}

/** Returns the partial file of an export. Each query has its own, so that `--resume` never joins rows of two exports. */
export async function resolvePartialFile(path: string, selection: Selection): Promise<PartialFile> {
  // Replaces the target of a symbolic link, not the link.
  const target = await realpath(path).catch(() => path);
  return { target, path: `${target}.${hash('sha256', JSON.stringify(selection)).slice(0, 8)}.partial` };
}

async function openPartialFile({ path, target }: PartialFile, selection: Selection, resume: boolean): Promise<Output> {
  const failed = (error: NodeJS.ErrnoException) => {
    throw unwritable('--out', path, error);
  };
  const empty = { size: 0, count: 0, cursor: selection.cursor };
  const start = resume ? await readPartialRows(path, selection) : empty;
  const file = await open(path, constants.O_RDWR | constants.O_CREAT).catch(failed);
  await file.truncate(start.size);
  let end = start.size;
  return {
    ...{ count: start.count, cursor: start.cursor, isTerminal: false },
    async write(rows) {
      const bytes = Buffer.from(rows);
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, end).catch(failed);
        done += bytesWritten;
        end += bytesWritten;
      }
    },
    async complete() {
      // Before the rename, so that a power failure does not replace an earlier export by an incomplete one.
      await file.sync().catch(failed);
      await file.close();
      await rename(path, target).catch(failed);
    },
    async abandon() {
      await file.close().catch(() => undefined);
      if (end > 0) return `The rows so far are in ${path}. To continue, run the same command with --resume`;
      await rm(path, { force: true });
      return undefined;
    },
  };
}

/**
 * Reads the complete rows of an interrupted export. Returns their size in bytes and number, and where the export
 * continues: at its start if the file does not exist. Rejects if the file contains anything else.
 */
async function readPartialRows(
  path: string,
  { format, cursor: first }: Selection,
): Promise<{ size: number; count: number; cursor: string | undefined }> {
  const start = { size: 0, count: 0, cursor: first };
  // An export that was started with a cursor has no header row.
  let headers = format === 'csv' && first === undefined ? 1 : 0;
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const text = (rest + chunk).slice(0, (rest + chunk).lastIndexOf('\n') + 1);
      rest = (rest + chunk).slice(text.length);
      const count = text.split('\n').length - 1 - headers;
      if (count < 1) rest = text + rest;
      if (count < 1) continue;
      const cursor = lastCursor(text, format);
      if (cursor === undefined) throw new Error(`a row has no cursor, so it is not an export in the format ${format}`);
      headers = 0;
      Object.assign(start, { size: start.size + Buffer.byteLength(text), count: start.count + count, cursor });
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new Error(`cannot continue ${path} (${message}): start again without --resume`);
  }
  return start;
}

/** Writes to standard output, a pipe or a device. The signal ends the wait for a reader. */
function streamOutput(stream: Writable, { cursor }: Selection, signal: AbortSignal): Output {
  const isStandard = stream === process.stdout;
  return {
    ...{ count: 0, cursor, isTerminal: isStandard && process.stdout.isTTY },
    async write(rows) {
      if (!stream.write(rows)) await once(stream, 'drain', { signal });
    },
    async complete() {
      if (!isStandard) return void (await once(stream.end(), 'finish', { signal }));
      // Standard output stays open. Its error arrives after the callback of the write.
      await new Promise((resolve) => stream.write('', () => setImmediate(resolve)));
      signal.throwIfAborted();
    },
    async abandon(cursor) {
      if (cursor === undefined) return undefined;
      return `The output ends after a complete row. To continue, run the same command with --cursor ${cursor} and append its output`;
    },
  };
}
