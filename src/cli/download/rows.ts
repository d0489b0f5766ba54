import type { ExportQuery } from './connection.js';

/** Complete rows of an export. */
export interface Rows {
  /** The rows with their line breaks, and the header row of a CSV. */
  readonly bytes: Uint8Array;
  /** Number of readings. */
  readonly count: number;
  /** Cursor of the last row. Undefined if there is only a header row. */
  readonly cursor: string | undefined;
}

/** The header row of a CSV. `repeated` if the output already contains it. */
export type Header = 'absent' | 'expected' | 'repeated';

export interface RowSplitter {
  /** Returns the rows that a chunk completes. Undefined if there is none. */
  push(chunk: Uint8Array): Rows | undefined;
  /** Returns whether the last chunk ended inside a row. */
  isInRow(): boolean;
}

const lineBreak = 10;
/** Longest row that is accepted, bytes. The service sends at most a few thousand. */
const rowBytesMax = 1_000_000;

/** Splits an export into complete rows, so that an interrupted output never ends inside a row. */
export function createRowSplitter(format: ExportQuery['format'], header: Header): RowSplitter {
  let rest: Uint8Array = new Uint8Array();
  let awaited = header;
  return {
    push(chunk) {
      const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = all.lastIndexOf(lineBreak) + 1;
      // Copied, because the rest would keep the memory of the whole chunk.
      rest = new Uint8Array(all.subarray(end));
      if (rest.length > rowBytesMax)
        throw new Error(`a row is longer than ${rowBytesMax} bytes, so it is not an export`);
      if (end === 0) return undefined;
      const lines = all.subarray(0, end);
      const headerEnd = awaited === 'absent' ? 0 : lines.indexOf(lineBreak) + 1;
      const bytes = awaited === 'repeated' ? lines.subarray(headerEnd) : lines;
      const count = countLines(lines.subarray(headerEnd));
      awaited = 'absent';
      if (bytes.length === 0) return undefined;
      return { bytes, count, cursor: count === 0 ? undefined : lastCursor(bytes, format) };
    },
    isInRow: () => rest.length > 0,
  };
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, at + 1)) count += 1;
  return count;
}

/** Returns the cursor of the last row. Throws an error if the row has none, because an export could not continue. */
function lastCursor(bytes: Uint8Array, format: ExportQuery['format']): string {
  const start = bytes.subarray(0, -1).lastIndexOf(lineBreak) + 1;
  const row = Buffer.from(bytes.subarray(start)).toString().trimEnd();
  const cursor = format === 'csv' ? /,(\d+)$/.exec(row)?.[1] : cursorIn(row);
  if (typeof cursor !== 'string')
    throw new Error(`a row has no cursor, so it is not an export in the format ${format}`);
  return cursor;
}

function cursorIn(line: string): unknown {
  try {
    return (JSON.parse(line) as { cursor?: unknown }).cursor;
  } catch {
    return undefined;
  }
}
