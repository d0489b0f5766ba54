import type { Knex } from 'knex';
import { asciiJson } from './create-table.js';

/** Adds the settings of an account. Null means that every setting has its default. */
export async function accountSettings(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('accounts', 'settings')) return;
  await knex.schema.alterTable('accounts', (table) => void asciiJson(table, 'settings').nullable());
}
