import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { requireWritable } from '../../terminal/save.js';
import type { ExportQuery } from './connection.js';
import type { Start } from './download.js';
import { openPartialFile, type Output, partialFileOf, streamOutput } from './output.js';
import { readPartialRows } from './partial-rows.js';
import type { Rows } from './rows.js';

export interface Opened {
  readonly output: Output;
  /** Where the export starts, or continues. */
  readonly start: Start;
  /** Number of readings that the output already contains. */
  readonly count: number;
  /** Whether a terminal shows the rows. */
  readonly isTerminal: boolean;
}

interface Wanted {
  /** `-` or absent for standard output. */
  readonly out?: string;
  readonly resume: boolean;
}

/** Opens the output of an export. `onRows` is called with the rows that an interrupted export wrote, if it is continued. */
export async function openOutput(
  { out = '-', resume }: Wanted,
  query: ExportQuery,
  { signal, onRows }: { readonly signal: AbortSignal; readonly onRows: (rows: Rows) => void },
): Promise<Opened> {
  const start = { cursor: query.cursor, hasHeader: false };
  const toStream = { start, count: 0, isTerminal: false };
  if (out === '-')
    return { ...toStream, output: streamOutput(process.stdout, signal), isTerminal: process.stdout.isTTY };
  await requireWritable('--out', out);
  if (await isSpecial(out)) return { ...toStream, output: streamOutput(createWriteStream(out), signal) };
  const file = await partialFileOf(out, query);
  let count = 0;
  const take = (rows: Rows) => {
    count += rows.count;
    onRows(rows);
  };
  const at = resume ? await readPartialRows(file.path, query, take) : { ...start, size: 0 };
  return { output: await openPartialFile(file, at.size), start: at, count, isTerminal: false };
}

/** Returns whether the path is a pipe or a device, e.g. /dev/null, which a file must not replace. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile();
}
