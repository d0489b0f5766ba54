import type { Knex } from 'knex';

/** Adds the mark of migrations after which earlier versions refuse the schema. */
export async function schemaLedger(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('schema_migrations', 'breaks_earlier')) return;
  await knex.schema.alterTable('schema_migrations', (table) => {
    table.specificType('breaks_earlier', 'smallint').notNullable().defaultTo(0);
  });
}
