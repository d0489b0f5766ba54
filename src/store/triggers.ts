import type { Trigger } from '../score/triggers.js';
import { rowFormats } from './row-formats.js';
import { buildInsert, type Statement } from './rows.js';
import type { ReadScope, WriteScope } from './scope.js';

/** Triggers by subject and topic. */
export type TriggersBySubject = ReadonlyMap<string, ReadonlyMap<string, Trigger>>;

/** Reads the triggers of one account. */
export function createTriggerReader({ knex, accountId }: ReadScope) {
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
export function createTriggerWriter({ knex: transaction, accountId, afterCommit, known }: WriteScope) {
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
    async find(subjectIds: readonly string[]): Promise<TriggersBySubject> {
      const unread = subjectIds.filter((id) => known.get(id) === undefined);
      if (unread.length > 0) await read(unread);
      return new Map(subjectIds.map((id) => [id, known.get(id) ?? new Map()]));
    },

    /** Returns the statement that writes the triggers. */
    toSave(changed: TriggersBySubject): Statement[] {
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
  };
}

/** Columns of a trigger except its key. */
export interface TriggerRow {
  readonly status: Trigger['status'];
  readonly recent_stress: number;
  readonly score_sum: number;
  readonly sightings: number;
  readonly peak_score: number;
  readonly sessions: number;
  readonly last_seen_ms: number;
  readonly activation_session_id: string | null;
  readonly activation_at_ms: number | null;
  readonly resolving_sightings: number | null;
  readonly status_changes: string;
}

export const triggerColumns = [
  'status',
  'recent_stress',
  'score_sum',
  'sightings',
  'peak_score',
  'sessions',
  'last_seen_ms',
  'activation_session_id',
  'activation_at_ms',
  'resolving_sightings',
  'status_changes',
] as const satisfies ReadonlyArray<keyof TriggerRow>;

export function toTriggerRow(trigger: Trigger): TriggerRow {
  const { activation } = trigger;
  return {
    status: trigger.status,
    recent_stress: trigger.recent,
    score_sum: trigger.scoreSum,
    sightings: trigger.sightings,
    peak_score: trigger.peakScore,
    sessions: trigger.sessions,
    last_seen_ms: trigger.lastSeenMs,
    activation_session_id: activation?.sessionId ?? null,
    activation_at_ms: activation?.atMs ?? null,
    resolving_sightings: activation?.resolving ?? null,
    status_changes: rowFormats.statusChanges.encode({ changes: trigger.changes }),
  };
}

export function toTrigger(row: TriggerRow): Trigger {
  return {
    status: row.status,
    recent: row.recent_stress,
    scoreSum: row.score_sum,
    sightings: row.sightings,
    peakScore: row.peak_score,
    sessions: row.sessions,
    lastSeenMs: row.last_seen_ms,
    ...readActivation(row),
    ...rowFormats.statusChanges.decode(row.status_changes),
  };
}

function readActivation(row: TriggerRow): Pick<Trigger, 'activation'> {
  if (row.activation_session_id === null) return {};
  const { activation_session_id: sessionId, activation_at_ms: atMs, resolving_sightings: resolving } = row;
  return { activation: { sessionId, atMs: atMs ?? 0, resolving: resolving ?? 0 } };
}
