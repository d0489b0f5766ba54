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
  const know = ({ subjectId, topic }: TriggerKey, trigger: Trigger | undefined) =>
    void known.get(subjectId)?.set(topic, trigger);
  const read = async (keys: readonly TriggerKey[]): Promise<void> => {
    const pairs = keys.map(({ subjectId, topic }) => [subjectId, topic]);
    const rows = await mine().select('subject_id', 'topic', 'body').whereIn(['subject_id', 'topic'], pairs);
    for (const key of keys) know(key, undefined);
    for (const row of rows) know({ subjectId: row.subject_id, topic: row.topic }, JSON.parse(row.body) as Trigger);
  };

  return {
    /** Those of the named triggers that there are; their subjects have been locked. */
    async find(keys: readonly TriggerKey[]): Promise<NamedTrigger[]> {
      const unknown = keys.filter(({ subjectId, topic }) => !known.get(subjectId)?.has(topic));
      if (unknown.length > 0) await read(unknown);
      return keys.flatMap((key) => {
        const trigger = known.get(key.subjectId)?.get(key.topic);
        return trigger ? [{ ...key, trigger }] : [];
      });
    },

    async save(triggers: readonly NamedTrigger[]): Promise<void> {
      const rows = triggers.map(({ subjectId, topic, trigger }) => {
        know({ subjectId, topic }, trigger);
        return { account_id: accountId, subject_id: subjectId, topic, body: JSON.stringify(trigger) };
      });
      const key = ['account_id', 'subject_id', 'topic'];
      await insertRows(transaction, 'triggers', rows, { key, merged: ['body'] });
    },

    async removeAll(subjectId: string): Promise<number> {
      known.delete(subjectId);
      return mine().where({ subject_id: subjectId }).delete();
    },
  };
}
