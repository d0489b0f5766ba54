import type { Knex } from 'knex';
import type { Trigger } from '../score/triggers.js';
import { buildInsert } from './insert-rows.js';
import type { KnownTriggers } from './known-subject.js';
import { toTrigger, toTriggerRow, triggerColumns } from './trigger-row.js';
import type { Statement } from './run-statements.js';
import type { Writing } from './writing.js';

/** Triggers by subject and topic. */
export type TriggersOf = ReadonlyMap<string, ReadonlyMap<string, Trigger>>;

/** Reads the triggers of one account. */
export function triggerReader(knex: Knex, accountId: string) {
  return {
    /** Returns all triggers of a subject, by topic. */
    async ofSubject(subjectId: string): Promise<Map<string, Trigger>> {
      const key = { account_id: accountId, subject_id: subjectId };
      const rows = await knex('triggers')
        .select('topic', ...triggerColumns)
        .where(key);
      return new Map(rows.map((row) => [row.topic, toTrigger(row)]));
    },
  };
}

/** Writes the triggers of one account in a transaction. The caller must have locked the subjects. */
export function triggerWriter(
  transaction: Knex,
  accountId: string,
  { afterCommit }: Pick<Writing, 'afterCommit'>,
  known: KnownTriggers,
) {
  const mine = () => transaction('triggers').where({ account_id: accountId });
  const read = async (subjectIds: readonly string[]): Promise<void> => {
    for (const id of subjectIds) known.set(id, new Map());
    const rows = await mine()
      .select('subject_id', 'topic', ...triggerColumns)
      .whereIn('subject_id', subjectIds);
    for (const row of rows) known.get(row.subject_id)?.set(row.topic, toTrigger(row));
  };

  return {
    /** Returns all triggers of the subjects, by topic. The caller must have locked the subjects. */
    async find(subjectIds: readonly string[]): Promise<TriggersOf> {
      const unread = subjectIds.filter((id) => known.get(id) === undefined);
      if (unread.length > 0) await read(unread);
      return new Map(subjectIds.map((id) => [id, known.get(id) ?? new Map()]));
    },

    /** Returns the statement that writes the triggers. */
    toSave(changed: TriggersOf): Statement[] {
      const rows = [];
      for (const [subject_id, triggers] of changed)
        for (const [topic, it] of triggers)
          rows.push({ account_id: accountId, subject_id, topic, ...toTriggerRow(it) });
      // Updates the cache only after the commit, because the transaction may still fail.
      afterCommit.push(() => {
        for (const [id, triggers] of changed)
          for (const [topic, trigger] of triggers) known.get(id)?.set(topic, trigger);
      });
      const key = ['account_id', 'subject_id', 'topic'];
      return buildInsert(transaction, 'triggers', rows, { key, merged: triggerColumns });
    },

    async removeAll(subjectId: string): Promise<number> {
      known.delete(subjectId);
      return mine().where({ subject_id: subjectId }).delete();
    },
  };
}
