import type { Knex } from 'knex';

/** Of rows that were written before there were versions; no transaction makes it. */
const firstVersion = '0';

/** Names the transaction that wrote a row, so that whoever knows what it holds can tell whether that still counts. */
export async function versions(knex: Knex): Promise<void> {
  for (const name of ['sessions', 'subjects'])
    if (!(await knex.schema.hasColumn(name, 'version')))
      await knex.schema.alterTable(name, (table) => {
        table.string('version', 12).collate('ascii_bin').notNullable().defaultTo(firstVersion);
      });
}
