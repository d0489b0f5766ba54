import type { TableDefinition } from './table.js';

/** Times in which at least one process ran. A gap between two rows is an absence of the service. */
export const service_runs: TableDefinition = {
  content: 'times in which the service ran',
  identifies: 'nobody',
  retention: '90 days after the end of the time',
  erasure: 'no data of people',
  readBy: ['getHistory', 'getSubjectSummary'],
  about: { 'started_ms seen_ms': 'start, and last sign of a process' },
  columns(table) {
    table.bigInteger('started_ms').notNullable();
    table.bigInteger('seen_ms').notNullable();
    table.primary(['started_ms']);
  },
};
