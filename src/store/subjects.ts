import type { Knex } from 'knex';
import type { Baseline } from '../domain/baseline.js';
import { lockRows } from './lock-rows.js';

interface SubjectRow {
  readonly subject_id: string;
  readonly baseline: string | null;
}

/** One account's subjects. */
export function subjectTable(knex: Knex, accountId: string) {
  return {
    /** Locks the named subjects until the transaction ends, and tells what is usual for them. */
    async lock(subjectIds: readonly string[]): Promise<Map<string, Baseline | undefined>> {
      const rows = await lockRows<SubjectRow>(knex, accountId, subjectIds, {
        table: 'subjects',
        idColumn: 'subject_id',
        columns: ['subject_id', 'baseline'],
        blank: () => ({ baseline: null }),
      });
      return new Map(rows.map((row) => [row.subject_id, row.baseline === null ? undefined : JSON.parse(row.baseline)]));
    },

    /** Takes away the rows that the lock laid for subjects of which nothing came to be known: their readings were refused. */
    async unlay(subjectIds: readonly string[]): Promise<void> {
      if (subjectIds.length > 0)
        await knex('subjects')
          .where({ account_id: accountId, baseline: null })
          .whereIn('subject_id', subjectIds)
          .delete();
    },

    async save(baselines: ReadonlyMap<string, Baseline>): Promise<void> {
      const rows = [...baselines].map(([subject_id, baseline]) => ({
        account_id: accountId,
        subject_id,
        baseline: JSON.stringify(baseline),
      }));
      if (rows.length > 0) await knex('subjects').insert(rows).onConflict(['account_id', 'subject_id']).merge();
    },
  };
}
