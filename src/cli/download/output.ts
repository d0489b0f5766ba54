import { hash } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { unwritable } from '../../terminal/save.js';
import type { ExportQuery } from './connection.js';

/** Where an export is written. The caller writes only complete rows. */
export interface Output {
  /** Resolves when the next rows may be written. */
  write(rows: Uint8Array): Promise<void>;
  /** Puts the complete export in its place. */
  complete(): Promise<void>;
  /**
   * Closes the output of an incomplete export. `cursor` is that of its last row. Resolves with a sentence that says how to
   * continue, or with undefined if there is no row.
   */
  abandon(cursor: string | undefined): Promise<string | undefined>;
}

/** The file that contains the rows of an incomplete export. */
export interface PartialFile {
  readonly path: string;
  /** The file that it replaces when the export is complete. */
  readonly target: string;
}

/** Returns the partial file of an export. Each query has its own, so that `--resume` never joins rows of two exports. */
export async function partialFileOf(path: string, query: ExportQuery): Promise<PartialFile> {
  // A link keeps pointing to its file.
  const target = await realpath(path).catch(() => path);
  return { target, path: `${target}.${hash('sha256', JSON.stringify(query)).slice(0, 8)}.partial` };
}

/** Opens a partial file, and keeps its first `size` bytes. */
export async function openPartialFile({ path, target }: PartialFile, size: number): Promise<Output> {
  const failed = (error: NodeJS.ErrnoException) => {
    throw unwritable('--out', path, error);
  };
  const file = await open(path, constants.O_RDWR | constants.O_CREAT).catch(failed);
  await file.truncate(size);
  let end = size;
  return {
    async write(rows) {
      await writeAt(file, rows, end).catch(failed);
      end += rows.length;
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

async function writeAt(file: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
}

/** Writes to standard output, a pipe or a device. The signal ends the wait for a reader. */
export function streamOutput(stream: Writable, signal: AbortSignal): Output {
  return {
    async write(rows) {
      if (!stream.write(rows)) await once(stream, 'drain', { signal });
    },
    async complete() {
      if (stream !== process.stdout) return void (await once(stream.end(), 'finish', { signal }));
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
