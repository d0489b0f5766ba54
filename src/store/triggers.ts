import type { Knex } from 'knex';
import type { Trigger } from '../domain/triggers.js';
import { insertRows } from './insert-rows.js';

/** What names a trigger. */
export interface TriggerKey {
  readonly subjectId: string;
  readonly topic: string;
}

/** One account's triggers. They are guarded by their subject's lock. */
export function triggerTable(knex: Knex, accountId: string) {
  const mine = () => knex('triggers').where({ account_id: accountId });

  return {
    /** All topics of a subject. */
    async ofSubject(subjectId: string): Promise<Map<string, Trigger>> {
      const rows = await mine().select('topic', 'body').where({ subject_id: subjectId });
      return new Map(rows.map((row) => [row.topic, JSON.parse(row.body) as Trigger]));
    },

    async find(keys: readonly TriggerKey[]): Promise<Array<TriggerKey & { readonly trigger: Trigger }>> {
      if (keys.length === 0) return [];
      const rows = await mine()
        .select('subject_id', 'topic', 'body')
        .whereIn(
          ['subject_id', 'topic'],
          keys.map(({ subjectId, topic }) => [subjectId, topic]),
        );
      return rows.map((row) => ({ subjectId: row.subject_id, topic: row.topic, trigger: JSON.parse(row.body) }));
    },

    async save(triggers: ReadonlyArray<TriggerKey & { readonly trigger: Trigger }>): Promise<void> {
      const rows = triggers.map(({ subjectId, topic, trigger }) => ({
        account_id: accountId,
        subject_id: subjectId,
        topic,
        body: JSON.stringify(trigger),
      }));
      await insertRows(knex, 'triggers', rows, { key: ['account_id', 'subject_id', 'topic'], merged: ['body'] });
    },

    async removeAll(subjectId: string): Promise<number> {
      return mine().where({ subject_id: subjectId }).delete();
    },
  };
}
