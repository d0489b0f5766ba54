import { addAscii, type TableDefinition } from './table.js';

/** Load per account and hour. Each process adds its sums once per minute. */
export const usage_hours: TableDefinition = {
  content: 'load per account and hour',
  identifies: 'nobody',
  retention: '48 hours',
  expiry: { column: 'hour_ms', maxAgeMs: 48 * 3_600_000 },
  erasure: 'no data of people',
  readBy: [],
  about: { 'account_id hour_ms': 'account and hour', 'calls cpu_ms row_count bytes': 'numbers' },
  columns(table) {
    addAscii(table, 'account_id', 32).notNullable();
    table.bigInteger('hour_ms').notNullable();
    for (const column of ['calls', 'cpu_ms', 'row_count', 'bytes']) table.bigInteger(column).notNullable();
    table.primary(['account_id', 'hour_ms']);
  },
  indexes: { usage_hours_by_time: ['hour_ms'] },
};
