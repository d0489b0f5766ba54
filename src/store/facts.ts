import type { Knex } from 'knex';
import type { Schema } from '../contract/contract.js';
import { nameColumns, type Nullable, omitNulls, startAfter, toColumns } from './columns.js';
import type { ReadScope } from './scope.js';

export type FactKind = Schema<'FactKind'>;

/** What happened to a person in an interval. Times are epoch ms. */
export interface StoredFact {
  readonly factId: string;
  readonly kind: FactKind;
  /** Of an exercise. Absent if it is not known. */
  readonly level?: Schema<'ActivityLevel'> | undefined;
  readonly startMs: number;
  /** Absent for a fact that has not ended. */
  readonly endMs?: number | undefined;
  /** Time until which the fact counts. */
  readonly untilMs: number;
  readonly revision: number;
  /** Absent for a fact of the API. */
  readonly source?: string | undefined;
  readonly recordedAtMs: number;
}

/** Times whose readings are to be scored again: from `pendingFromMs` to before `pendingUntilMs`, in epoch ms. */
export interface Pending {
  readonly pendingFromMs: number;
  readonly pendingUntilMs: number;
}

/** A row. One with `isRemoved` counts no more, and is deleted when its readings are scored again. */
export type FactRow = StoredFact & Partial<Pending> & { readonly isRemoved: number };
/** A fact whose readings are to be scored again. */
export type PendingFact = FactRow & Pending;
export type FactOfPerson = FactRow & { readonly subjectId: string };

export type FactKey = Pick<FactOfPerson, 'subjectId' | 'factId'>;
export type FactCursor = Pick<StoredFact, 'startMs' | 'factId'>;

const fields =
  'factId kind level startMs endMs untilMs revision source recordedAtMs pendingFromMs pendingUntilMs isRemoved';
const columns = nameColumns(fields);
const columnsOfPeople = { ...columns, subjectId: 'subject_id' };
/** No fact is longer. */
const longestMs = 24 * 3_600_000;

/** Facts of one account. */
export function createFactTable({ knex, accountId }: ReadScope) {
  const all = () => knex('facts').where({ account_id: accountId });
  const mine = (subjectId: string) => all().where({ subject_id: subjectId });
  const current = (subjectId: string) => mine(subjectId).where({ is_removed: 0 });

  return {
    /** Returns a fact, also a removed one. */
    async find(subjectId: string, factId: string): Promise<FactRow | undefined> {
      const row: Nullable<FactRow> | undefined = await mine(subjectId).where({ fact_id: factId }).first(columns);
      return row && omitNulls<FactRow>(row);
    },

    /** Returns the facts of people that cover a part of the time from `fromMs` to before `toMs`. */
    async findByPerson(
      subjectIds: readonly string[],
      fromMs: number,
      toMs: number,
    ): Promise<Map<string, FactOfPerson[]>> {
      const rows: Array<Nullable<FactOfPerson>> = await all()
        .whereIn('subject_id', subjectIds)
        .whereBetween('start_ms', [fromMs - longestMs, toMs - 1])
        .where('until_ms', '>', fromMs)
        .where({ is_removed: 0 })
        .select(columnsOfPeople);
      const byPerson = new Map<string, FactOfPerson[]>(subjectIds.map((id) => [id, []]));
      for (const row of rows) byPerson.get(row.subjectId)?.push(omitNulls<FactOfPerson>(row));
      return byPerson;
    },

    /** Returns at most `max` facts that cover a part of a range, by start. `after` is the end of the previous page. */
    async page(
      subjectId: string,
      range: { readonly fromMs?: number | undefined; readonly toMs?: number | undefined },
      after: FactCursor | undefined,
      max: number,
    ): Promise<StoredFact[]> {
      const { fromMs, toMs } = range;
      const query = startAfter(current(subjectId), 'asc', { start_ms: after?.startMs, fact_id: after?.factId });
      if (fromMs !== undefined) void query.where('start_ms', '>', fromMs - longestMs).where('until_ms', '>', fromMs);
      if (toMs !== undefined) void query.where('start_ms', '<', toMs);
      const rows: Array<Nullable<FactRow>> = await query.select(columns).limit(max);
      return rows.map((row) => omitNulls<FactRow>(row));
    },

    /** Returns at most `max` facts of a person, or of the account, in the order of their keys after one of them. */
    async list(subjectId: string | undefined, after: FactKey | undefined, max: number): Promise<FactOfPerson[]> {
      const some = subjectId === undefined ? all().where({ is_removed: 0 }) : current(subjectId);
      const place = { subject_id: after?.subjectId, fact_id: after?.factId };
      const rows: Array<Nullable<FactOfPerson>> = await startAfter(some, 'asc', place)
        .select(columnsOfPeople)
        .limit(max);
      return rows.map((row) => omitNulls<FactOfPerson>(row));
    },

    async count(subjectId: string): Promise<number> {
      const [row] = await current(subjectId).count({ count: '*' });
      return Number(row?.['count']);
    },

    /** Returns the number of facts of a source that are stored since a time in epoch ms. */
    async countSince(subjectId: string, source: string, sinceMs: number): Promise<number> {
      const [row] = await current(subjectId)
        .where({ source })
        .where('recorded_at_ms', '>', sinceMs)
        .count({ count: '*' });
      return Number(row?.['count']);
    },

    /** Returns the first start and the last end of the facts of a person. Undefined without facts. */
    async findSpan(subjectId: string): Promise<{ readonly fromMs: number; readonly untilMs: number } | undefined> {
      const [row] = await current(subjectId).min({ fromMs: 'start_ms' }).max({ untilMs: 'until_ms' });
      return row?.['fromMs'] === null || row?.['fromMs'] === undefined
        ? undefined
        : { fromMs: Number(row['fromMs']), untilMs: Number(row['untilMs']) };
    },

    /** Stores a fact in place of the one with its id. */
    async save(subjectId: string, fact: FactRow): Promise<void> {
      const key = { account_id: accountId, subject_id: subjectId };
      const row = { ...key, ...toColumns(columns, fact) };
      await knex('facts').insert(row).onConflict(['account_id', 'subject_id', 'fact_id']).merge();
    },

    /** Returns the facts of a person whose readings are to be scored again. */
    async pendingOf(subjectId: string): Promise<PendingFact[]> {
      const rows: Array<Nullable<PendingFact>> = await mine(subjectId).whereNotNull('pending_from_ms').select(columns);
      return rows.map((row) => omitNulls<PendingFact>(row));
    },

    /** Remembers that the readings before a time are scored. Changes nothing if the fact has changed since. */
    async advance(subjectId: string, { factId, recordedAtMs }: FactRow, toMs: number): Promise<void> {
      const same = mine(subjectId).where({ fact_id: factId, recorded_at_ms: recordedAtMs });
      await same.whereNotNull('pending_from_ms').update({ pending_from_ms: toMs });
    },

    /** Ends the work on a fact. Changes nothing if the fact has changed since. */
    async settle(subjectId: string, { factId, recordedAtMs, isRemoved }: FactRow): Promise<void> {
      const same = mine(subjectId).where({ fact_id: factId, recorded_at_ms: recordedAtMs, is_removed: isRemoved });
      await (isRemoved ? same.delete() : same.update({ pending_from_ms: null, pending_until_ms: null }));
    },
  };
}

/**
 * Returns the numbers of the facts of an account that a source stated, and of their people, by kind. People who ever had a
 * consent of the context `work` do not count.
 */
export async function countByKind(
  { knex, accountId }: ReadScope,
  source: string,
): Promise<Array<Schema<'DisputeCount'>>> {
  const atWork = knex('consents as c')
    .whereRaw('c.account_id = f.account_id and c.subject_id = f.subject_id')
    .where('c.body', 'like', '%"context":"work"%')
    .select('c.version');
  const people: Array<{ readonly kind: FactKind; readonly facts: number | string }> = await knex('facts as f')
    .where({ 'f.account_id': accountId, source, is_removed: 0 })
    .whereNotExists(atWork)
    .groupBy('kind', 'subject_id')
    .select('kind')
    .count({ facts: '*' });
  const counts = new Map<FactKind, Schema<'DisputeCount'>>();
  for (const { kind, facts } of people) {
    const { facts: before = 0, people: others = 0 } = counts.get(kind) ?? {};
    counts.set(kind, { kind, facts: before + Number(facts), people: others + 1 });
  }
  return [...counts.values()];
}

/**
 * Returns people of all accounts with facts from up to `beforeMs` whose readings are to be scored again, of at most `max` facts.
 */
export function findPendingPeople(
  knex: Knex,
  beforeMs: number,
  max: number,
): Promise<Array<{ readonly accountId: string; readonly subjectId: string }>> {
  return knex('facts')
    .select({ accountId: 'account_id', subjectId: 'subject_id' })
    .where('pending_from_ms', '>', 0)
    .where('recorded_at_ms', '<=', beforeMs)
    .orderBy('pending_from_ms')
    .limit(max);
}

/** Returns a fact as the contract shows it. */
export function toFact(subject_id: string, fact: StoredFact): Schema<'Fact'> {
  const { factId: fact_id, kind, level, startMs, endMs, revision, source } = fact;
  return {
    ...{ fact_id, subject_id, kind, ...(level && { level }), start: new Date(startMs).toISOString() },
    ...(endMs !== undefined && { end: new Date(endMs).toISOString() }),
    ...{ revision, ...(source && { source }) },
  };
}
