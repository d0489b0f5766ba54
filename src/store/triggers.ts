import type { Knex } from 'knex';
import type { Trigger } from '../domain/triggers.js';
import { insertRows } from './insert-rows.js';
import type { KnownTriggers } from './known-subject.js';

/** What names a trigger. */
export interface TriggerKey {
  readonly subjectId: string;
  readonly topic: string;
}

export type NamedTrigger = TriggerKey & { readonly trigger: Trigger };

/** One account's triggers. */
export function triggerReader(knex: Knex, accountId: string) {
  return {
    /** All topics of a subject. */
    async ofSubject(subjectId: string): Promise<Map<string, Trigger>> {
      const key = { account_id: accountId, subject_id: subjectId };
      const rows = await knex('triggers').select('topic', 'body').where(key);
      return new Map(rows.map((row) => [row.topic, JSON.parse(row.body) as Trigger]));
    },
  };
}

/** One account's triggers, within a transaction. They are guarded by their subject's lock, which is held before. */
export function triggerWriter(transaction: Knex, accountId: string, known: KnownTriggers) {
  const mine = () => transaction('triggers').where({ account_id: accountId });
  const read = async (subjectIds: readonly string[]): Promise<void> => {
    const rows = await mine().select('subject_id', 'topic', 'body').whereIn('subject_id', subjectIds);
    const found = new Map(subjectIds.map((id) => [id, new Map<string, Trigger>()]));
    for (const row of rows) found.get(row.subject_id)?.set(row.topic, JSON.parse(row.body) as Trigger);
    for (const [subjectId, triggers] of found) known.set(subjectId, triggers);
  };

  return {
    /** Those of the named triggers that there are; their subjects have been locked. */
    async find(keys: readonly TriggerKey[]): Promise<NamedTrigger[]> {
      const subjectIds = [...new Set(keys.map(({ subjectId }) => subjectId))];
      // All of a person's at once: of those that come up later in the conversation none is asked for again.
      const unread = subjectIds.filter((id) => known.get(id) === undefined);
      if (unread.length > 0) await read(unread);
      return keys.flatMap((key) => {
        const trigger = known.get(key.subjectId)?.get(key.topic);
        return trigger ? [{ ...key, trigger }] : [];
      });
    },

    async save(triggers: readonly NamedTrigger[]): Promise<void> {
      // What is kept of others' transactions is not changed.
      const changed = new Map<string, Map<string, Trigger>>();
      const rows = triggers.map(({ subjectId, topic, trigger }) => {
        const its = changed.get(subjectId) ?? new Map(known.get(subjectId));
        changed.set(subjectId, its.set(topic, trigger));
        return { account_id: accountId, subject_id: subjectId, topic, body: JSON.stringify(trigger) };
      });
      for (const [subjectId, its] of changed) known.set(subjectId, its);
      const key = ['account_id', 'subject_id', 'topic'];
      await insertRows(transaction, 'triggers', rows, { key, merged: ['body'] });
    },

    async removeAll(subjectId: string): Promise<number> {
      known.delete(subjectId);
      return mine().where({ subject_id: subjectId }).delete();
    },
  };
}
