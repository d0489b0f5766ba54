import type { Knex } from 'knex';
import type { Trigger } from '../../packages/score/rows/trigger.js';
import { type Columns, nameColumns, toColumns } from './columns.js';
import { rowFormats } from './row-formats.js';
import { buildFlatInsert, selectRows, type Statement, type Value } from './rows.js';
import type { ReadScope, WriteScope } from './scope.js';

export type TriggersBySubject = ReadonlyMap<string, ReadonlyMap<string, Trigger>>;

export function createTriggerReader({ knex, accountId }: ReadScope) {
  return {
    /** Returns all triggers of a subject, by topic. */
    async ofSubject(subjectId: string): Promise<Map<string, Trigger>> {
      const key = { account_id: accountId, subject_id: subjectId };
      const rows = await knex('triggers').select('topic', triggerColumns).where(key);
      return new Map(rows.map(({ topic, ...row }) => [topic, toTrigger(row)]));
    },
  };
}

/** Returns true if a person has a trigger, which only readings with text add. */
export async function hasTriggers(knex: Knex): Promise<boolean> {
  return (await selectRows(knex, { sql: 'select topic from triggers limit 1', bindings: [] })).length > 0;
}

/** Writes the triggers of one account in a transaction. The caller must have locked the subjects. */
export function createTriggerWriter({ knex: transaction, accountId, afterCommit, known }: WriteScope) {
  const mine = () => transaction('triggers').where({ account_id: accountId });
  const read = async (subjectIds: readonly string[]): Promise<void> => {
    for (const id of subjectIds) known.set(id, new Map());
    const rows = await mine().select('subject_id', 'topic', triggerColumns).whereIn('subject_id', subjectIds);
    for (const { subject_id, topic, ...row } of rows) known.get(subject_id)?.set(topic, toTrigger(row));
  };

  return {
    /** Returns all triggers of the subjects, by topic. The caller must have locked the subjects. */
    async find(subjectIds: readonly string[]): Promise<TriggersBySubject> {
      const unread = subjectIds.filter((id) => known.get(id) === undefined);
      if (unread.length > 0) await read(unread);
      return new Map(subjectIds.map((id) => [id, known.get(id) ?? new Map()]));
    },

    /** Deletes a trigger. Resolves with false if there is none. The caller must also write the subject. */
    async remove(subjectId: string, topic: string): Promise<boolean> {
      const removed = await mine().where({ subject_id: subjectId, topic }).delete();
      afterCommit.push(() => known.get(subjectId)?.delete(topic));
      return removed > 0;
    },

    /** Returns the statement that writes the triggers. */
    toSave(changed: TriggersBySubject): Statement[] {
      const values: Value[] = [];
      for (const [subjectId, triggers] of changed)
        for (const [topic, it] of triggers)
          values.push(accountId, subjectId, topic, ...Object.values(toTriggerRow(it)));
      // Updates the cache only after the commit, because the transaction may still fail.
      afterCommit.push(() => {
        for (const [id, triggers] of changed)
          for (const [topic, trigger] of triggers) known.get(id)?.set(topic, trigger);
      });
      return buildFlatInsert(transaction, savedRows, values, { key: keyColumns, merged });
    },
  };
}

/** A trigger row with the field names of `Trigger`. */
interface StoredTrigger extends Omit<Trigger, 'activation' | 'measured' | 'changes'> {
  readonly activationSessionId: string | null;
  readonly activationAtMs: number | null;
  readonly resolving: number | null;
  readonly measuredTurns: number | null;
  readonly measuredSum: number | null;
  readonly measuredSquares: number | null;
  readonly statusChanges: string;
}

export const triggerColumns: Columns<keyof StoredTrigger> = {
  ...nameColumns('status scoreSum sightings peakScore sessions lastSeenMs activationSessionId activationAtMs'),
  ...nameColumns('measuredTurns measuredSum measuredSquares statusChanges'),
  ...{ recent: 'recent_stress', resolving: 'resolving_sightings' },
};

const keyColumns = ['account_id', 'subject_id', 'topic'];
const merged = Object.values(triggerColumns);
/** The columns of a saved trigger: its key, then those of `toTriggerRow`. */
const savedRows = { table: 'triggers', columns: [...keyColumns, ...merged] };

export function toTriggerRow(trigger: Trigger) {
  const { activation, measured, changes } = trigger;
  return toColumns(triggerColumns, {
    ...trigger,
    activationSessionId: activation?.sessionId,
    activationAtMs: activation?.atMs,
    resolving: activation?.resolving,
    measuredTurns: measured?.turns,
    measuredSum: measured?.sum,
    measuredSquares: measured?.squares,
    statusChanges: rowFormats.statusChanges.encode({ changes }),
  });
}

export function toTrigger(row: StoredTrigger): Trigger {
  const { activationSessionId: sessionId, activationAtMs: atMs, resolving, statusChanges, ...rest } = row;
  const { measuredTurns: turns, measuredSum: sum, measuredSquares: squares, ...counts } = rest;
  return {
    ...counts,
    ...(sessionId !== null && { activation: { sessionId, atMs: atMs ?? 0, resolving: resolving ?? 0 } }),
    ...(turns !== null && { measured: { turns, sum: sum ?? 0, squares: squares ?? 0 } }),
    ...rowFormats.statusChanges.decode(statusChanges),
  };
}
