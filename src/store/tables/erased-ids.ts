import { addAscii, addFixedAscii, type TableDefinition } from './table.js';

/** Erased ids. With them, the service rejects readings whose token is from before the erasure. */
export const erased_ids: TableDefinition = {
  content: 'keyed hashes of erased ids, so that earlier tokens send no more data, and a restore erases them again',
  identifies: 'pseudonym',
  retention: 'RETENTION_ERASURES_DAYS',
  expiry: { kind: 'erasures', column: 'erased_at_ms' },
  erasure: 'created',
  readBy: [],
  about: {
    ...{ account_id: 'account', digest: 'keyed hash of the id', erased_at_ms: 'time of the erasure' },
    code: 'keyed digest of the row, so that changes are detected',
  },
  columns(table) {
    addAscii(table, 'account_id', 32).notNullable();
    // Keyed digest of the kind and the id. The row never contains the id of an erased person.
    addFixedAscii(table, 'digest', 32).notNullable();
    table.bigInteger('erased_at_ms').notNullable();
    table.primary(['account_id', 'digest']);
  },
  indexes: { erased_ids_by_time: ['erased_at_ms'] },
  coded: { key: ['account_id', 'digest'], fields: ['erased_at_ms'] },
};
