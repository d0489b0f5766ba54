import type { Knex } from 'knex';

/** Adds the number of times that a transaction on a cluster has locked the webhook. Nothing reads it. */
export async function webhookLocks(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('webhooks', 'locks')) return;
  await knex.schema.alterTable('webhooks', (table) => void table.bigInteger('locks').notNullable().defaultTo(0));
}
