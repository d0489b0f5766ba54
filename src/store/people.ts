import type { Knex } from 'knex';
import { nameColumns, startAfter } from './columns.js';
import { findTables } from './tables/index.js';
import { listColumns } from './tables/table.js';

const tables = findTables((it) => listColumns(it).includes('subject_id')).map(({ name }) => name);

/** Lists all people of the database, for a restore. */
export function createPeopleTable(knex: Knex) {
  return {
    /** Yields the ids of people in pages. An id is yielded once per table that contains it. */
    async *subjects() {
      const columns = nameColumns('accountId subjectId');
      for (const table of tables)
        yield* listPages<typeof columns>(
          knex(table).whereNotNull('subject_id').distinct(columns),
          'accountId subjectId',
        );
    },

    /** Yields the sessions without a subject in pages. */
    sessionsWithoutSubject() {
      const columns = nameColumns('accountId sessionId incarnation');
      return listPages<typeof columns>(knex('sessions').whereNull('subject_id').select(columns), 'accountId sessionId');
    },
  };
}

const pageRows = 1_000;

/**
 * Yields the rows of a query in pages. Together, the fields `keys`, with spaces between them, are unique among the rows.
 * They have the names of `nameColumns`, or those of their columns. Used by commands: a page may scan the table.
 */
export async function* listPages<Row extends object>(query: Knex.QueryBuilder, keys: string): AsyncGenerator<Row[]> {
  let last: Readonly<Record<string, string | number>> | undefined;
  do {
    const place = Object.entries(nameColumns(keys)).map(([field, column]) => [column, last?.[field]]);
    const rows: Row[] = await startAfter(query.clone(), 'asc', Object.fromEntries(place)).limit(pageRows);
    if (rows.length > 0) yield rows;
    last = rows.length === pageRows ? (rows.at(-1) as typeof last) : undefined;
  } while (last);
}
