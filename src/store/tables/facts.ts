import { addAscii, type TableDefinition } from './table.js';

/** What happened to a person in an interval, e.g. a workout. */
export const facts: TableDefinition = {
  content: 'what happened to a person in an interval, e.g. a workout',
  notice: 'Your workouts, rest and sleep, as your apps or you state them, and when you did not wear a device',
  identifies: 'person',
  retention: 'RETENTION_READINGS_HOURS',
  expiry: { kind: 'facts', column: 'until_ms', key: ['account_id', 'subject_id', 'fact_id'] },
  erasure: 'deleted',
  erasesBySubject: { batchKey: 'fact_id', time: 'recorded_at_ms' },
  readBy: ['putFact', 'listFacts', 'exportReadings'],
  about: {
    'account_id subject_id fact_id': 'account, person and fact. The integrator or the source chooses the ids',
    'kind level': 'what happened, and how much the person moved',
    'start_ms end_ms until_ms': 'start, end, and the time until which the fact counts',
    'revision source recorded_at_ms': 'version, source and time of storage',
    'pending_from_ms pending_until_ms is_removed':
      'the time whose readings are to be scored again, and whether the fact is removed then',
  },
  columns(table) {
    addAscii(table, 'account_id', 32).notNullable();
    addAscii(table, 'subject_id', 256).notNullable();
    addAscii(table, 'fact_id', 256).notNullable();
    addAscii(table, 'kind', 16).notNullable();
    // Null for a level that is not known, and for other kinds than exercise.
    addAscii(table, 'level', 16).nullable();
    table.bigInteger('start_ms').notNullable();
    // Null for a fact that has not ended.
    table.bigInteger('end_ms').nullable();
    table.bigInteger('until_ms').notNullable();
    table.bigInteger('revision').notNullable();
    // Null for a fact of the API. `person` for one that the person stated on the page of a link.
    addAscii(table, 'source', 32).nullable();
    table.bigInteger('recorded_at_ms').notNullable();
    // Null together when all readings are scored.
    table.bigInteger('pending_from_ms').nullable();
    table.bigInteger('pending_until_ms').nullable();
    table.specificType('is_removed', 'smallint').notNullable();
    table.primary(['account_id', 'subject_id', 'fact_id']);
  },
  indexes: {
    facts_by_start: ['account_id', 'subject_id', 'start_ms', 'fact_id'],
    facts_by_age: ['until_ms'],
    facts_by_pending: ['pending_from_ms'],
    facts_by_source: ['source', 'account_id', 'kind', 'subject_id'],
  },
  isClustered: true,
};
