import type { Knex } from 'knex';
import { alerts as settings, summaries } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { filterAsciiIds, nameColumns } from './columns.js';
import { retry } from './retry.js';
import { createRowFormat } from './row-formats.js';
import { chunksOf, insertRows, isMysql, selectRows } from './rows.js';
import type { ReadScope } from './scope.js';
import { touchStepMs } from './tables/sessions.js';
import { createWebhookTable } from './webhooks.js';

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

/** The row of a person whose rules are due. */
export interface DueRow {
  readonly subjectId: string;
  readonly version: string;
  readonly body: string | null;
}

interface Seed {
  readonly untilMs: number;
  readonly fromMs: number;
}

export const alertRuleFormat =
  createRowFormat<Omit<StoredAlertRule, 'alertId' | 'subjectIds' | 'createdAtMs'>>('alert rule');

const hourMs = 3_600_000;
/** A transaction that has read the account before its new rule ends within this time, in ms. */
const seedDelayMs = 5_000;
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
        const content = { ...alertRuleFormat.decode(body), createdAtMs: created_at_ms };
        return watches_everyone ? { alertId, ...content } : { alertId, ...content, subjectIds };
      });
      return rules.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.alertId < b.alertId ? -1 : 1));
    },

    async insert({ alertId, subjectIds, createdAtMs, ...content }: StoredAlertRule): Promise<void> {
      const key = { account_id: accountId, alert_id: alertId };
      const body = alertRuleFormat.encode(content);
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

    /** Locks the rules. Returns the ids of those that still exist. */
    async lock(alertIds: readonly string[]): Promise<Set<string>> {
      const found = mine('alert_rules').whereIn('alert_id', alertIds).orderBy('alert_id').forUpdate();
      return new Set(await found.pluck('alert_id'));
    },

    /** Returns those of the people of whom something is stored. */
    async known(ids: readonly string[]): Promise<string[]> {
      return mine('subjects').whereIn('subject_id', filterAsciiIds(ids)).whereNotNull('body').pluck('subject_id');
    },

    /** Returns at most `max` people whose rules are due at a time (epoch ms), longest due first. */
    due: (nowMs: number, max: number): Promise<DueRow[]> =>
      mine('subjects')
        .where('alert_due_ms', '<=', nowMs)
        .orderBy('alert_due_ms')
        .limit(max)
        .select({ subjectId: 'subject_id', version: 'version', body: 'body' }),

    /** Makes people due at `dueMs` in place of an earlier time. Resolves with false if no one is due at `nowMs` any more. */
    async postpone(ids: readonly string[], nowMs: number, dueMs: number): Promise<boolean> {
      const due = mine('subjects').whereIn('subject_id', ids).where('alert_due_ms', '<=', nowMs);
      return (await retry(() => due.clone().update({ alert_due_ms: dueMs }))) > 0;
    },

    /** Makes people due at once. */
    async hasten(ids: readonly string[], nowMs: number): Promise<void> {
      const others = (it: Knex.QueryBuilder) => void it.whereNull('alert_due_ms').orWhere('alert_due_ms', '>', nowMs);
      for (const some of chunksOf(ids)) {
        const people = mine('subjects').whereIn('subject_id', some).whereNotNull('body').where(others);
        await retry(() => people.clone().update({ alert_due_ms: nowMs }));
      }
    },

    /**
     * Lets the job find the people whom the rules may concern now, from the newest reading back, after the transactions that
     * do not know the rules. The next reading of anyone else makes this person due, because its epoch is new.
     */
    async seed(nowMs: number): Promise<void> {
      const spans = (await this.list()).map(findSeedMs);
      if (spans.length === 0) return;
      await createWebhookTable({ knex, accountId }).nextEpoch();
      const [until_ms, from_ms] = [nowMs + seedDelayMs, nowMs - Math.max(...spans) - touchStepMs];
      const row = { account_id: accountId, until_ms, from_ms };
      await insertRows(knex, 'alert_seeds', [row], { key: ['account_id'], merged: ['until_ms', 'from_ms'] });
    },

    /** Returns the times between which the job has not yet searched, in epoch ms. Undefined if it has found everyone. */
    findSeed: (): Promise<Seed | undefined> => mine('alert_seeds').first(nameColumns('untilMs fromMs')),

    /** Notes that the job has searched down to a time, unless another process was faster. */
    async advanceSeed({ untilMs: until_ms, fromMs }: Seed, searchedMs: number): Promise<void> {
      const seed = mine('alert_seeds').where({ until_ms });
      await (searchedMs > fromMs ? seed.update({ until_ms: searchedMs }) : seed.delete());
    },

    /** Returns the people of the sessions that had a reading after one time and up to another. */
    async touched(afterMs: number, untilMs: number): Promise<string[]> {
      const hint = isMysql(knex) ? 'force index (sessions_by_touch)' : 'indexed by sessions_by_touch';
      const sql = `select subject_id from sessions ${hint}
        where touched_at_ms > ? and touched_at_ms <= ? and account_id = ? and subject_id is not null`;
      const rows = await selectRows<{ readonly subject_id: string }>(knex, {
        sql,
        bindings: [afterMs, untilMs, accountId],
      });
      return [...new Set(rows.map(({ subject_id }) => subject_id))];
    },

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

/** How old the newest reading of a person whom a new rule may concern is at most, in ms. */
function findSeedMs({ condition, hours = settings.default_hours }: StoredAlertRule): number {
  const freshMs = settings.fresh_hours * hourMs;
  if (condition === 'no_data') return hours * hourMs + freshMs;
  return condition === 'trigger_active' ? freshMs : summaries.state_seconds_max * 1000;
}

/** Returns the accounts that have alert rules, in order. */
export function findAccountsWithRules(knex: Knex): Promise<string[]> {
  return knex('alert_rules').distinct().orderBy('account_id').pluck('account_id');
}

/** An account with something to do. Without `dueMs`, its people must be found. */
export interface DueAccount {
  readonly accountId: string;
  /** When the rules of the first person became due, in epoch ms. */
  readonly dueMs: number | null;
}

/** Returns the accounts with people whose rules are due, or with a seed. Its cost does not depend on the number of people. */
export function findAccountsWithDueRules(knex: Knex, nowMs: number): Promise<DueAccount[]> {
  const first = `select s.alert_due_ms from subjects s where s.account_id = a.account_id and s.alert_due_ms <= ?
    order by s.alert_due_ms limit 1`;
  const sql = `select account_id as accountId, due_ms as dueMs from (
      select a.account_id, (${first}) as due_ms from (select distinct account_id from alert_rules) a
    ) due where due_ms is not null
    union all select account_id, null from alert_seeds where until_ms <= ?`;
  return selectRows<DueAccount>(knex, { sql, bindings: [nowMs, nowMs] });
}

/** The minute, of the database's clock, in which a process of this release last looked for due rules. */
export function createAlertLease(knex: Knex) {
  return {
    /** Returns the minute. Undefined if there is none. */
    async find(): Promise<number | undefined> {
      return (await knex('alert_lease').where(lease).first('minute_ms'))?.minute_ms;
    },

    renew: (minuteMs: number): Promise<void> =>
      insertRows(knex, 'alert_lease', [{ ...lease, minute_ms: minuteMs }], { key: ['name'], merged: ['minute_ms'] }),
  };
}
