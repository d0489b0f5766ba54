import type { Knex } from 'knex';
import type { Subject } from '../../packages/score/rows/person.js';
import type { Schema } from '../contract/contract.js';
import { filterAsciiIds, nameColumns } from './columns.js';
import { rowFormats } from './row-formats.js';
import { insertRows } from './rows.js';
import type { ReadScope } from './scope.js';
import { readSubject } from './subjects.js';

export interface StoredAlertRule extends Pick<Schema<'AlertRuleRequest'>, 'condition' | 'minutes' | 'hours'> {
  readonly alertId: string;
  readonly quietHours?: Schema<'QuietHours'> | undefined;
  /** The people that the rule watches, sorted. Absent if it watches everyone of the account. */
  readonly subjectIds?: readonly string[] | undefined;
  readonly createdAtMs: number;
}

export interface Firing {
  readonly alertId: string;
  readonly subjectId: string;
  readonly firedAtMs: number;
}

const hourMs = 3_600_000;
const lease = { name: 'alerts' };
/** Returns the key of a rule and a person in `newestFirings`. */
export const toFiringKey = ({ alertId, subjectId }: Omit<Firing, 'firedAtMs'>) => `${alertId} ${subjectId}`;

/** Alert rules and firings of one account. */
export function createAlertTable({ knex, accountId }: ReadScope) {
  const mine = (table: string) => knex(table).where({ account_id: accountId });
  return {
    /** Returns all rules, oldest first. */
    async list(): Promise<StoredAlertRule[]> {
      const rows = await mine('alert_rules');
      // In the order of the key.
      const named = await mine('alert_people').select('alert_id', 'subject_id').orderBy(['alert_id', 'subject_id']);
      const rules = rows.map(({ alert_id: alertId, watches_everyone, created_at_ms, body }): StoredAlertRule => {
        const subjectIds = named.filter((it) => it.alert_id === alertId).map((it) => it.subject_id);
        const content = { ...rowFormats.alertRule.decode(body), createdAtMs: created_at_ms };
        return watches_everyone ? { alertId, ...content } : { alertId, ...content, subjectIds };
      });
      return rules.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.alertId < b.alertId ? -1 : 1));
    },

    async insert({ alertId, subjectIds, createdAtMs, ...content }: StoredAlertRule): Promise<void> {
      const key = { account_id: accountId, alert_id: alertId };
      const body = rowFormats.alertRule.encode(content);
      const watches_everyone = subjectIds === undefined ? 1 : 0;
      await knex('alert_rules').insert({ ...key, watches_everyone, created_at_ms: createdAtMs, body });
      const people = subjectIds?.map((subject_id) => ({ ...key, subject_id })) ?? [];
      await insertRows(knex, 'alert_people', people);
    },

    /** Deletes a rule. Returns false if it does not exist. Its firings expire. */
    async remove(alertId: string): Promise<boolean> {
      await mine('alert_people').where({ alert_id: alertId }).delete();
      return (await mine('alert_rules').where({ alert_id: alertId }).delete()) > 0;
    },

    /** Locks the lease until the transaction ends. Returns true if the minute is still the newest one that was claimed. */
    async holdsLease(minuteMs: number): Promise<boolean> {
      return (await knex('alert_lease').where(lease).forUpdate().first('minute_ms'))?.minute_ms === minuteMs;
    },

    /** Locks the rules. Returns the ids of those that still exist. */
    async lock(alertIds: readonly string[]): Promise<Set<string>> {
      const found = mine('alert_rules').whereIn('alert_id', alertIds).orderBy('alert_id').forUpdate();
      return new Set(await found.pluck('alert_id'));
    },

    /** Returns at most `max` people after an id, in order: all of the account, or those of `ids`. */
    async people(after: string, max: number, ids?: readonly string[]): Promise<Map<string, Subject>> {
      if (ids?.length === 0) return new Map();
      const all = mine('subjects').where('subject_id', '>', after);
      return readPeople((ids ? all.whereIn('subject_id', filterAsciiIds(ids)) : all).limit(max));
    },

    /** Locks people until the transaction ends. An erased person is absent. */
    lockPeople: (ids: readonly string[]) => readPeople(mine('subjects').whereIn('subject_id', ids).forUpdate()),

    /** Returns the newest firing of each rule for these people, in epoch ms. The key is that of `toFiringKey`. */
    async newestFirings(subjectIds: readonly string[]): Promise<Map<string, number>> {
      const rows: Firing[] = await mine('alert_firings')
        .whereIn('subject_id', subjectIds)
        .groupBy('subject_id', 'alert_id')
        .select(nameColumns('alertId subjectId'))
        .max('fired_at_ms as firedAtMs');
      return new Map(rows.map((row) => [toFiringKey(row), row.firedAtMs]));
    },

    /** Returns the time of the newest firing of each of these rules that fired, in epoch ms. */
    async lastFirings(alertIds: readonly string[]): Promise<Map<string, number>> {
      if (alertIds.length === 0) return new Map();
      const queries = alertIds.map((alert_id) =>
        mine('alert_firings')
          .where({ alert_id })
          .select(knex.raw('? as ??', [alert_id, 'alertId']))
          .max('fired_at_ms as firedAtMs'),
      );
      const rows: Array<{ alertId: string; firedAtMs: number | null }> = await knex.unionAll(queries);
      const fired = rows.flatMap(({ alertId, firedAtMs }): Array<[string, number]> =>
        firedAtMs === null ? [] : [[alertId, firedAtMs]],
      );
      return new Map(fired);
    },

    /** Stores firings. Rejects if a rule already fired for the person in this hour. */
    async addFirings(firings: readonly Firing[]): Promise<void> {
      const rows = firings.map(({ alertId: alert_id, subjectId: subject_id, firedAtMs: fired_at_ms }) => {
        const hour_ms = fired_at_ms - (fired_at_ms % hourMs);
        return { account_id: accountId, alert_id, subject_id, hour_ms, fired_at_ms };
      });
      await insertRows(knex, 'alert_firings', rows);
    },
  };
}

async function readPeople(query: Knex.QueryBuilder): Promise<Map<string, Subject>> {
  const rows: Array<{ subject_id: string; body: string }> = await query
    .whereNotNull('body')
    .select('subject_id', 'body')
    .orderBy('subject_id');
  return new Map(rows.map((row) => [row.subject_id, readSubject(row) as Subject]));
}

/** Returns the accounts that have alert rules, in order. */
export function findAccountsWithRules(knex: Knex): Promise<string[]> {
  return knex('alert_rules').distinct().orderBy('account_id').pluck('account_id');
}

/** A lease that is this far ahead was claimed by a clock that is set back now. */
const aheadMaxMs = 5 * 60_000;

/** The lease of an evaluation: the minute, of the database's clock, that one process has claimed. */
export function createAlertLease(knex: Knex) {
  const row = () => knex('alert_lease').where(lease);
  return {
    /** Claims a minute. Resolves with false if it is claimed already, or a later one is. */
    async claim(minuteMs: number): Promise<boolean> {
      const set = () =>
        row()
          .where((it) => void it.where('minute_ms', '<', minuteMs).orWhere('minute_ms', '>', minuteMs + aheadMaxMs))
          .update({ minute_ms: minuteMs });
      if ((await set()) > 0) return true;
      if (await row().first('name')) return false;
      await knex('alert_lease')
        .insert({ ...lease, minute_ms: 0 })
        .onConflict('name')
        .ignore();
      return (await set()) > 0;
    },
  };
}
