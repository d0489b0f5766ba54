import type { Knex } from 'knex';
import { selectAfter } from './columns.js';
import { findTables } from './tables/index.js';
import { listColumns } from './tables/table.js';

const tables = findTables((it) => listColumns(it).includes('subject_id')).map(({ name }) => name);

/** Lists all people of the database, for a restore. */
export function createPeopleTable(knex: Knex) {
  return {
    /** Yields the ids of people in pages. An id is yielded once per table that contains it. */
    async *subjects() {
      const columns = { accountId: 'account_id', subjectId: 'subject_id' };
      for (const table of tables)
        yield* listPages<typeof columns>(knex(table).whereNotNull('subject_id'), columns, ['accountId', 'subjectId']);
    },

    /** Yields the sessions without a subject in pages. */
    sessionsWithoutSubject() {
      const columns = { accountId: 'account_id', sessionId: 'session_id', incarnation: 'incarnation' };
      return listPages<typeof columns>(knex('sessions').whereNull('subject_id'), columns, ['accountId', 'sessionId']);
    },
  };
}

const pageRows = 1_000;

/**
 * Yields distinct rows of a query in pages, with the names of `columns`. Together, the two keys are unique among the
 * rows. Used by commands: a page may scan the table.
 */
export async function* listPages<Row>(
  query: Knex.QueryBuilder,
  columns: Readonly<Record<keyof Row & string, string>>,
  [one, other]: readonly [keyof Row & string, keyof Row & string],
): AsyncGenerator<Row[]> {
  const order = [columns[one], columns[other]] as const;
  const select = () =>
    query
      .clone()
      .distinct(columns)
      .orderBy([...order])
      .limit(pageRows);
  let rows: Row[] = await select();
  while (rows.length > 0) {
    yield rows;
    const last = rows.at(-1) as Readonly<Record<string, string>>;
    if (rows.length < pageRows) return;
    rows = await selectAfter(select(), '>', [
      [order[0], last[one] ?? ''],
      [order[1], last[other] ?? ''],
    ]);
  }
}
