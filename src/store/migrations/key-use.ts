import type { Knex } from 'knex';

/** When a key was last used, to the hour: so that keys which nobody needs any more can be told and revoked. */
export async function keyUse(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('api_keys', 'last_used_at_ms')))
    await knex.schema.alterTable('api_keys', (table) => void table.bigInteger('last_used_at_ms').nullable());
}
