import { stripVTControlCharacters } from 'node:util';

export interface Column {
  readonly title: string;
  /** Alignment of the column. Default: left. */
  readonly align?: 'left' | 'right';
}

/** Returns columns that are aligned on the right, for figures. */
export function figureColumns(...titles: readonly string[]): Column[] {
  return titles.map((title) => ({ title, align: 'right' }));
}

/** Returns a share as a percentage, e.g. `12.5 %`. A dash for the share of nothing. */
export function percent(share: number, digits = 1): string {
  // Without the error of the product, which would round 14.5 to 14 if the share is 29 of 200.
  return Number.isNaN(share) ? '–' : `${Number((100 * share).toPrecision(12)).toFixed(digits)} %`;
}

export type TableRow = readonly string[];

/** Returns a table for the terminal, with a rule between sections. Cells may contain colors. */
export function textTable(columns: readonly Column[], sections: readonly (readonly TableRow[])[]): string {
  const titles = columns.map(({ title }) => title);
  const rows = sections.flat();
  const widths = columns.map((_, index) =>
    Math.max(...[titles, ...rows].map((row) => stripVTControlCharacters(row[index] ?? '').length)),
  );
  const line = (row: TableRow) =>
    columns
      .map(({ align }, index) => pad(row[index] ?? '', widths[index] ?? 0, align))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  const parts = sections.filter((section) => section.length > 0).map((section) => section.map(line).join('\n'));
  return [line(titles), ...parts].join(`\n${rule}\n`);
}

/** Returns the same table as Markdown, without sections. */
export function markdownTable(columns: readonly Column[], sections: readonly (readonly TableRow[])[]): string {
  const line = (row: TableRow) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = columns.map(({ align }) => (align === 'right' ? '---:' : '---'));
  return [columns.map(({ title }) => title), rule, ...sections.flat()].map(line).join('\n');
}

/** Returns the same table as JSON: one object per row, with the titles in snake case. Cells of numbers become numbers. */
export function jsonTable(columns: readonly Column[], sections: readonly (readonly TableRow[])[]): object[] {
  return sections.flat().map((row) =>
    Object.fromEntries(
      columns.map(({ title, align }, index) => {
        const cell = stripVTControlCharacters(row[index] ?? '');
        return [title.replaceAll(' ', '_'), align === 'right' ? readNumber(cell) : cell];
      }),
    ),
  );
}

/** How a command prints its tables. At most one is true. */
export interface TableFormat {
  readonly markdown?: boolean;
  readonly json?: boolean;
}

/** Returns a table as text, as Markdown or as JSON. */
export function formatTable({ markdown, json }: TableFormat, ...table: Parameters<typeof textTable>): string {
  if (json) return JSON.stringify(jsonTable(...table));
  return (markdown ? markdownTable : textTable)(...table);
}

/** Returns the number in a cell, e.g. 63 for "63 %" and 0 for "·". Null if it has none. */
function readNumber(cell: string): number | string | null {
  if (cell === '·') return 0;
  if (cell === '–' || cell === '') return null;
  const number = Number(cell.replace(/ %$/, ''));
  return Number.isNaN(number) ? cell : number;
}

/** Pads text to a visible width. Color codes have no width. */
export function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - stripVTControlCharacters(text).length));
  return align === 'left' ? text + fill : fill + text;
}
