import type { Knex } from 'knex';
import { pagesOf } from './pages-of.js';

/** Every table with ids of people. `erased_ids` contains only digests. */
const tables = [
  ...['subjects', 'sessions', 'triggers', 'consents', 'feedback', 'subject_hours', 'webhooks', 'outbox', 'deliveries'],
  ...['idempotency_keys', 'access_subjects'],
] as const;

/** Lists all people of the database, for a restore. */
export function peopleTable(knex: Knex) {
  return {
    /** Yields the ids of people in pages. An id is yielded once per table that contains it. */
    async *subjects(): AsyncGenerator<Array<{ accountId: string; subjectId: string }>> {
      for (const table of tables)
        yield* pagesOf(knex, {
          ...{ table, keys: ['account_id', 'subject_id'], columns: ['account_id', 'subject_id'] },
          select: (query) => query.whereNotNull('subject_id'),
          read: (row) => ({ accountId: String(row['account_id']), subjectId: String(row['subject_id']) }),
        });
    },

    /** Yields the sessions without a subject in pages. */
    sessionsWithoutSubject: (): AsyncGenerator<Array<{ accountId: string; sessionId: string; incarnation: string }>> =>
      pagesOf(knex, {
        ...{
          table: 'sessions',
          keys: ['account_id', 'session_id'],
          columns: ['account_id', 'session_id', 'incarnation'],
        },
        select: (query) => query.whereNull('subject_id'),
        read: (row) => ({
          accountId: String(row['account_id']),
          sessionId: String(row['session_id']),
          incarnation: String(row['incarnation']),
        }),
      }),
  };
}
