import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { parse as parseText } from 'csv-parse/sync';
import { readHead } from './measurement.js';

/** Maximum size of a row, bytes. Bounds the memory for a cell whose quotation mark is never closed. */
const recordMaxBytes = 65_536;
const options = { bom: true, trim: true, info: true, skip_empty_lines: true, max_record_size: recordMaxBytes } as const;

const wholeFileCodes: readonly string[] = ['CSV_MAX_RECORD_SIZE', 'CSV_QUOTE_NOT_CLOSED'];

export type Delimiter = ',' | ';' | '\t';

export interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** The rows of a CSV, the header first. Every command reads its CSV here, so that all accept the same separators. */
export interface Rows<All> {
  readonly delimiter: Delimiter;
  readonly rows: All;
}

/** Parses a text. Rejects a row with another number of cells than the header. */
export function parseRows(csv: string): Rows<readonly Row[]> {
  const delimiter = findDelimiter(csv);
  // The library's types do not cover `info` without `columns`.
  return { delimiter, rows: parseText(csv, { ...options, delimiter }) as unknown as readonly Row[] };
}

/**
 * Opens a file of any size. Calls `onBroken` for a row with a misplaced quotation mark, and throws without it. Its rows may have any number of cells, because apps leave out empty ones at the end.
 */
export async function openRows(path: string, onBroken?: () => void): Promise<Rows<AsyncGenerator<Row, undefined>>> {
  const delimiter = findDelimiter((await readHead(path)).toString('utf8'));
  return { delimiter, rows: streamRows(path, delimiter, onBroken) };
}

async function* streamRows(
  path: string,
  delimiter: Delimiter,
  onBroken: (() => void) | undefined,
): AsyncGenerator<Row, undefined> {
  const parser = parse({
    ...options,
    ...{ delimiter, relax_column_count: true, skip_records_with_error: onBroken !== undefined },
    on_skip(error) {
      // A cell that is never closed hides all rows after it, so the file is damaged and not the row.
      if (error && wholeFileCodes.includes(error.code)) throw error;
      onBroken?.();
      return undefined;
    },
  });
  const source = createReadStream(path);
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const row of source.pipe(parser)) yield row as Row;
  } catch (error) {
    const { lines } = error as { lines?: number };
    throw new Error(`${lines === undefined ? '' : `line ${lines}: `}${(error as Error).message}`);
  } finally {
    source.destroy();
  }
}

/** Returns the separator that the header has most often outside of quotation marks. A comma may be part of a title. */
export function findDelimiter(csv: string): Delimiter {
  const header = (/^.*$/m.exec(csv.replace(/^\uFEFF/, '').trimStart())?.[0] ?? '').replace(/"[^"]*"/g, '');
  const count = (it: Delimiter) => header.split(it).length;
  const [first] = (['\t', ';', ','] as const).toSorted((a, b) => count(b) - count(a));
  return first && count(first) > 1 ? first : ',';
}

/**
 * Returns the number in a cell, with a decimal comma where the separator is no comma. Undefined for an empty cell, and for
 * NaN and NA, which statistics tools write. NaN for another text.
 */
export function readCell(text: string | undefined, delimiter: Delimiter): number | undefined {
  if (text === undefined || /^(nan|na)?$/i.test(text)) return undefined;
  // Between tabs, three digits after a comma may be thousands.
  const isUnclear = delimiter === '\t' && /^\d{1,3},\d{3}$/.test(text);
  return Number(delimiter === ',' || isUnclear ? text : text.replace(/^([+-]?\d+),(\d+)$/, '$1.$2'));
}
