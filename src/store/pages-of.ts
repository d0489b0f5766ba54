import type { Knex } from 'knex';

type Row = Readonly<Record<string, unknown>>;

export interface Paged<T> {
  readonly table: string;
  /** Columns that order the rows. Together they are unique among the selected rows. */
  readonly keys: readonly [string, string];
  readonly columns: readonly string[];
  readonly select: (query: Knex.QueryBuilder) => Knex.QueryBuilder;
  readonly read: (row: Row) => T;
}

const pageRows = 1_000;

/** Yields distinct rows of a table in pages. Used by commands: a page may scan the table. */
export async function* pagesOf<T>(knex: Knex, { table, keys, columns, select, read }: Paged<T>): AsyncGenerator<T[]> {
  const [one, other] = keys;
  let last: Row | undefined;
  for (;;) {
    const query = select(knex(table).distinct(...columns));
    if (last) {
      const after = [last[one], last[other]] as [string, string];
      query.where((it) =>
        it.where(one, '>', after[0]).orWhere((same) => same.where(one, after[0]).where(other, '>', after[1])),
      );
    }
    const rows: Row[] = await query.orderBy([one, other]).limit(pageRows);
    if (rows.length > 0) yield rows.map(read);
    last = rows.at(-1);
    if (rows.length < pageRows) return;
  }
}
