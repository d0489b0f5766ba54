import type { Knex } from 'knex';
import type { Subject } from '../domain/subject.js';
import { insertRows } from './insert-rows.js';
import { lockRows } from './lock-rows.js';

interface SubjectRow {
  readonly subject_id: string;
  readonly body: string | null;
}

/** One account's subjects. */
export function subjectTable(knex: Knex, accountId: string) {
  const mine = () => knex('subjects').where({ account_id: accountId });

  return {
    async find(subjectId: string): Promise<Subject | undefined> {
      const row: SubjectRow | undefined = await mine().select('body').where({ subject_id: subjectId }).first();
      return row && toSubject(row);
    },

    /** Locks the named subjects until the transaction ends; one of whom nothing is known is undefined. */
    async lock(subjectIds: readonly string[]): Promise<Map<string, Subject | undefined>> {
      const rows = await lockRows<SubjectRow>(knex, accountId, subjectIds, {
        table: 'subjects',
        idColumn: 'subject_id',
        columns: ['subject_id', 'body'],
        blank: () => ({ body: null }),
      });
      return new Map(rows.map((row) => [row.subject_id, toSubject(row)]));
    },

    async save(subjects: ReadonlyMap<string, Subject>): Promise<void> {
      const rows = [...subjects].map(([subject_id, subject]) => ({
        account_id: accountId,
        subject_id,
        body: JSON.stringify(subject),
      }));
      await insertRows(knex, 'subjects', rows, { key: ['account_id', 'subject_id'], merged: ['body'] });
    },

    /** Takes away the rows that the lock laid for subjects of whom nothing came to be known: their readings were refused. */
    async unlay(subjectIds: readonly string[]): Promise<void> {
      if (subjectIds.length > 0) await mine().where({ body: null }).whereIn('subject_id', subjectIds).delete();
    },

    async remove(subjectId: string): Promise<void> {
      await mine().where({ subject_id: subjectId }).delete();
    },
  };
}

function toSubject({ body }: Pick<SubjectRow, 'body'>): Subject | undefined {
  return body === null ? undefined : (JSON.parse(body) as Subject);
}
