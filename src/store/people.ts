import type { Knex } from 'knex';
import { findTables } from './tables/index.js';
import type { TableDefinition } from './tables/table.js';

const isOfPeople = ({ about }: TableDefinition) =>
  Object.keys(about).some((names) => names.split(' ').includes('subject_id'));
const tables = findTables(isOfPeople).map(({ name }) => name);

/** Lists all people of the database, for a restore. */
export function createPeopleTable(knex: Knex) {
  return {
    /** Yields the ids of people in pages. An id is yielded once per table that contains it. */
    async *subjects(): AsyncGenerator<Array<{ accountId: string; subjectId: string }>> {
      for (const table of tables)
        yield* listPages(knex, {
          ...{ table, keys: ['account_id', 'subject_id'], columns: ['account_id', 'subject_id'] },
          select: (query) => query.whereNotNull('subject_id'),
          read: (row) => ({ accountId: String(row['account_id']), subjectId: String(row['subject_id']) }),
        });
    },

    /** Yields the sessions without a subject in pages. */
    sessionsWithoutSubject: (): AsyncGenerator<Array<{ accountId: string; sessionId: string; incarnation: string }>> =>
      listPages(knex, {
        ...{
          table: 'sessions',
          keys: ['account_id', 'session_id'],
          columns: ['account_id', 'session_id', 'incarnation'],
        },
        select: (query) => query.whereNull('subject_id'),
        read: (row) => ({
          accountId: String(row['account_id']),
          sessionId: String(row['session_id']),
          incarnation: String(row['incarnation']),
        }),
      }),
  };
}

type Row = Readonly<Record<string, unknown>>;

export interface PagedQuery<T> {
  readonly table: string;
  /** Columns that order the rows. Together they are unique among the selected rows. */
  readonly keys: readonly [string, string];
  readonly columns: readonly string[];
  readonly select: (query: Knex.QueryBuilder) => Knex.QueryBuilder;
  readonly read: (row: Row) => T;
}

const pageRows = 1_000;

/** Yields distinct rows of a table in pages. Used by commands: a page may scan the table. */
export async function* listPages<T>(
  knex: Knex,
  { table, keys, columns, select, read }: PagedQuery<T>,
): AsyncGenerator<T[]> {
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
