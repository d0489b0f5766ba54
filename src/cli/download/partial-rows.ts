import { createReadStream } from 'node:fs';
import type { ExportQuery } from './connection.js';
import type { Start } from './download.js';
import { createRowSplitter, type Rows } from './rows.js';

export interface PartialStart extends Start {
  /** Length of the complete rows, bytes. */
  readonly size: number;
}

/**
 * Reads the rows of an interrupted export. Returns where it continues: at the start if the file does not exist. Rejects
 * if the file contains anything else than complete rows and the start of a further one.
 */
export async function readPartialRows(
  path: string,
  { format, cursor: first }: ExportQuery,
  onRows: (rows: Rows) => void,
): Promise<PartialStart> {
  // An export that was started with a cursor has no header row.
  const splitter = createRowSplitter(format, format === 'csv' && first === undefined ? 'expected' : 'absent');
  let [size, cursor] = [0, first];
  try {
    for await (const chunk of createReadStream(path)) {
      const rows = splitter.push(chunk);
      if (!rows) continue;
      size += rows.bytes.length;
      cursor = rows.cursor ?? cursor;
      onRows(rows);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new Error(`cannot continue ${path} (${message}): start again without --resume`);
  }
  return { size, cursor, hasHeader: size > 0 };
}
