import { stripVTControlCharacters } from 'node:util';

export interface Column {
  readonly title: string;
  /** Alignment of the column. Default: left. */
  readonly align?: 'left' | 'right';
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

/** Pads text to a visible width. Color codes have no width. */
export function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - stripVTControlCharacters(text).length));
  return align === 'left' ? text + fill : fill + text;
}
