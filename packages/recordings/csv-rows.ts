import { readHead, readText } from './chunks.js';
import type { Chunks } from './measurement.js';

/** Maximum size of a row, characters. Bounds the memory for a cell whose quotation mark is never closed. */
const rowMaxCharacters = 65_536;

export type Delimiter = ',' | ';' | '\t';

export interface Row {
  readonly record: readonly string[];
  /** Number of the last line of the row. The first line is 1. */
  readonly line: number;
}

export interface Rows {
  readonly delimiter: Delimiter;
  readonly rows: AsyncGenerator<Row, undefined>;
}

/** The first line of a CSV for Excel, which names the separator. */
const separatorLine = /^\uFEFF?"?sep=([,;\t])"?\r?\n/;

/**
 * Reads the rows of a CSV of any size, the header first. Calls `onBroken` for a row with a misplaced quotation mark. Rows may
 * have any number of cells, because apps leave out empty ones at the end.
 */
export async function openRows(chunks: Chunks, onBroken?: () => void): Promise<Rows> {
  const head = new TextDecoder().decode(await readHead(chunks));
  const [separatorRow, separator] = separatorLine.exec(head) ?? [];
  const delimiter = (separator as Delimiter | undefined) ?? findDelimiter(head);
  // Old programs end lines with a carriage return alone.
  const ending = head.includes('\n') ? '\n' : '\r';
  const rows = streamRows(chunks, { delimiter, ending }, onBroken);
  if (separatorRow !== undefined) await rows.next();
  return { delimiter, rows };
}

/** Returns the first rows. */
export async function readFirstRows(chunks: Chunks, count: number): Promise<Row[]> {
  const first: Row[] = [];
  for await (const row of (await openRows(chunks)).rows) if (first.push(row) === count) break;
  return first;
}

async function* streamRows(
  chunks: Chunks,
  { delimiter, ending }: { delimiter: Delimiter; ending: string },
  onBroken: (() => void) | undefined,
): AsyncGenerator<Row, undefined> {
  let [rest, line] = ['', 0];
  const read = (text: string): Row[] => {
    line += 1 + countOf('\n', text);
    const record = splitCells(text, delimiter);
    if (!record) onBroken?.();
    return !record || text.trim() === '' ? [] : [{ record, line }];
  };
  for await (const text of readText(chunks)) {
    rest += ending === '\n' ? text : text.replaceAll(ending, '\n');
    let start = 0;
    for (let end = findEnd(rest, start, delimiter); end >= 0; end = findEnd(rest, start, delimiter)) {
      yield* read(rest.slice(start, end));
      start = end + 1;
    }
    rest = rest.slice(start);
    if (rest.length > rowMaxCharacters) throw notClosed(line + 1);
  }
  if (endsInsideCell(rest, delimiter) && countOf('"', rest) % 2 === 1) throw notClosed(line + 1);
  yield* read(rest);
}

function notClosed(line: number): Error {
  return new Error(
    `line ${line}: a row of more than ${rowMaxCharacters} characters, or a quotation mark that is never closed`,
  );
}

/** Returns the position of the line break after the row that begins at `start`. -1 if the row is not complete. */
function findEnd(text: string, start: number, delimiter: Delimiter): number {
  const first = text.indexOf('\n', start);
  // A cell in quotation marks may contain line breaks. A mark within a cell opens nothing.
  if (first < 0 || !endsInsideCell(text.slice(start, first), delimiter)) return first;
  let isOpen = false;
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') isOpen = !isOpen;
    else if (letter === '\n' && !isOpen) return at;
    else if (at - start > rowMaxCharacters) break;
  }
  return -1;
}

/** Returns true if a line ends inside of a cell in quotation marks. */
function endsInsideCell(line: string, delimiter: Delimiter): boolean {
  return line.includes('"') && new RegExp(`(^|${delimiter})[^\\S\\t]*"(?:[^"]|"")*$`).test(line);
}

const cellPatterns: Readonly<Record<Delimiter, RegExp>> = {
  ',': createCellPattern(','),
  ';': createCellPattern(';'),
  '\t': createCellPattern('\t'),
};

/** Spaces before a cell are no part of it, because a run of spaces that two parts of a pattern match takes quadratic time. */
function createCellPattern(delimiter: Delimiter): RegExp {
  const plain = `(?:(?!["${delimiter}])[\\S\\t][^"${delimiter}]*)?`;
  return new RegExp(`[^\\S\\t]*(?:"((?:[^"]|"")*)"[^\\S\\t]*|(${plain}))(${delimiter}|$)`, 'y');
}

/** Returns the cells of a row without spaces around them. Undefined if a quotation mark is misplaced. */
function splitCells(row: string, delimiter: Delimiter): string[] | undefined {
  if (!row.includes('"')) return row.split(delimiter).map((it) => it.trim());
  const pattern = cellPatterns[delimiter];
  const cells: string[] = [];
  pattern.lastIndex = 0;
  for (;;) {
    const [, quoted, plain = '', ending] = pattern.exec(row) ?? [];
    if (ending === undefined) return undefined;
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (ending === '') return cells;
  }
}

function countOf(letter: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) count += 1;
  return count;
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
