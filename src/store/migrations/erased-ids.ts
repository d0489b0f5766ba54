import type { Knex } from 'knex';
import { ascii, asciiOf, createTable } from './create-table.js';

/**
 * Creates the table of erased ids. With this table, the service rejects readings whose token is from before the
 * erasure. Deletes the learned data of the subjects `.` and `..`. These ids are no longer valid, so no request could
 * erase their data.
 */
export async function erasedIds(knex: Knex): Promise<void> {
  await createTable(knex, 'erased_ids', {
    columns(table) {
      ascii(table, 'account_id', 32).notNullable();
      // Keyed digest of the kind and the id. The row never contains the id of an erased person.
      asciiOf(table, 'digest', 32).notNullable();
      table.bigInteger('erased_at_ms').notNullable();
      table.primary(['account_id', 'digest']);
    },
    indexes: { erased_ids_by_time: ['erased_at_ms'] },
  });
  for (const table of ['triggers', 'subjects']) await knex(table).whereIn('subject_id', ['.', '..']).delete();
}
