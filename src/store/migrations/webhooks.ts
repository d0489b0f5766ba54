import type { Knex } from 'knex';

/**
 * Webhooks; the outbox, an event a row, written with the reading that caused it; and the deliveries that the worker
 * makes of events. Due deliveries are found by time over all accounts, hence an index that does not begin with one.
 * Text that comes from outside (URLs, answers of receivers) may hold any character.
 */
export async function webhooks(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('webhooks')))
    await knex.schema.createTable('webhooks', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('webhook_id', 32).collate('ascii_bin').notNullable();
      table.text('body').collate('utf8mb4_bin').notNullable();
      table.primary(['account_id', 'webhook_id']);
    });
  if (!(await knex.schema.hasTable('outbox')))
    await knex.schema.createTable('outbox', (table) => {
      table.string('account_id', 32).collate('ascii_bin').notNullable();
      table.string('session_id', 256).collate('ascii_bin').notNullable();
      table.bigInteger('seq').notNullable();
      table.text('payload').collate('ascii_bin').notNullable();
      table.bigInteger('created_at_ms').notNullable();
      table.primary(['account_id', 'session_id', 'seq']);
      table.index(['created_at_ms', 'account_id', 'session_id'], 'outbox_by_age');
    });
  if (!(await knex.schema.hasTable('deliveries'))) await knex.schema.createTable('deliveries', defineDeliveries);
}

function defineDeliveries(table: Knex.CreateTableBuilder): void {
  table.string('account_id', 32).collate('ascii_bin').notNullable();
  table.string('delivery_id', 32).collate('ascii_bin').notNullable();
  table.string('webhook_id', 32).collate('ascii_bin').notNullable();
  table.string('session_id', 256).collate('ascii_bin').notNullable();
  // Place in the line of its webhook and session; null for what stands outside the order.
  table.bigInteger('seq').nullable();
  table.specificType('receiver', 'char(16)').collate('ascii_bin').notNullable();
  table.string('status', 10).collate('ascii_bin').notNullable();
  table.string('reason', 24).collate('ascii_bin').nullable();
  table.text('payload').collate('ascii_bin').notNullable();
  table.text('attempts').collate('utf8mb4_bin').notNullable();
  // When it may be claimed; of a claimed one, when its lease ends.
  table.bigInteger('due_at_ms').notNullable();
  table.specificType('owner', 'char(16)').collate('ascii_bin').nullable();
  table.bigInteger('settled_at_ms').nullable();
  table.primary(['account_id', 'delivery_id']);
  table.index(['status', 'due_at_ms', 'receiver'], 'deliveries_by_due');
  table.index(['account_id', 'webhook_id', 'session_id', 'status', 'seq'], 'deliveries_by_line');
  table.index(['account_id', 'webhook_id', 'status', 'settled_at_ms', 'delivery_id'], 'deliveries_by_webhook');
  table.index(['account_id', 'session_id', 'status', 'settled_at_ms', 'delivery_id'], 'deliveries_by_session');
  table.index(['account_id', 'status', 'settled_at_ms', 'delivery_id'], 'deliveries_by_failure');
  table.index(['settled_at_ms'], 'deliveries_by_settlement');
}
