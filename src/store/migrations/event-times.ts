import type { Knex } from 'knex';
import { createTable } from './create-table.js';

/** Number of deliveries per transaction. A small number holds the locks for milliseconds. */
const batchRows = 300;

/** Adds the time of the event to deliveries. Null if a process of an earlier version created the delivery. */
export async function eventTimes(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('deliveries', 'event_at_ms')))
    await knex.schema.alterTable('deliveries', (table) => void table.bigInteger('event_at_ms').nullable());
  await createTable(knex, 'deliveries', {
    columns() {},
    indexes: { deliveries_by_event: ['account_id', 'webhook_id', 'status', 'event_at_ms', 'delivery_id'] },
  });
}

/**
 * Reads the time of the event from the payload of some deliveries. Returns their number. Skips delivered ones, which are
 * never listed by event.
 */
export async function readEventTimes(transaction: Knex): Promise<number> {
  const rows: Array<{ account_id: string; delivery_id: string; payload: string }> = await transaction('deliveries')
    .select('account_id', 'delivery_id', 'payload')
    .whereIn('status', ['queued', 'due', 'failed'])
    .whereNull('event_at_ms')
    .limit(batchRows)
    .forUpdate();
  for (const { payload, ...key } of rows)
    await transaction('deliveries')
      .where(key)
      .update({ event_at_ms: Date.parse(JSON.parse(payload).timestamp) });
  return rows.length;
}
