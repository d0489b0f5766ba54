import type { Knex } from 'knex';

/** Accounts own keys, tier and data. Keys are found by hash before their account is known, hence the unique index. */
export async function accounts(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('accounts')))
    await knex.schema.createTable('accounts', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('name', 64).collate('ascii_bin').notNullable();
      table.string('tier', 16).collate('ascii_bin').notNullable();
      table.bigInteger('created_at_ms').notNullable();
      table.primary(['account_id']);
      table.unique(['name'], { indexName: 'accounts_by_name' });
    });
  if (!(await knex.schema.hasTable('api_keys')))
    await knex.schema.createTable('api_keys', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('key_id', 32).collate('ascii_bin').notNullable();
      table.specificType('key_hash', 'char(64)').collate('ascii_bin').notNullable();
      table.string('display_prefix', 16).collate('ascii_bin').notNullable();
      table.bigInteger('created_at_ms').notNullable();
      table.bigInteger('expires_at_ms').nullable();
      table.bigInteger('revoked_at_ms').nullable();
      table.primary(['account_id', 'key_id']);
      table.unique(['key_hash'], { indexName: 'api_keys_by_hash' });
    });
}
