import type { Knex } from 'knex';

/** Adds the version of the model that computed a reading. Earlier readings are of version 1. */
export async function modelVersions(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('readings', 'model_version')) return;
  await knex.schema.alterTable(
    'readings',
    (table) => void table.specificType('model_version', 'smallint').notNullable().defaultTo(1),
  );
}
