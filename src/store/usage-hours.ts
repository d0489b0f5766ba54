import type { Knex } from 'knex';
import { nameColumns, toColumns } from './columns.js';
import { insertRows } from './rows.js';

/** What an account caused. */
export interface Load {
  readonly accountId: string;
  calls: number;
  /** Its share of the time in which threads of the service were busy, in ms. */
  cpuMs: number;
  /** Readings that were written, and rows that reads processed. */
  rowCount: number;
  /** Bytes that its connections received and sent. */
  bytes: number;
}

/** The sums of an account. The driver returns them as numbers or texts. */
export type LoadOfAccount = Readonly<Record<'name' | 'account_id' | (typeof sums)[number], string | number>>;
const sums = ['calls', 'cpu_ms', 'row_count', 'bytes'] as const;
const columns = nameColumns('accountId calls cpuMs rowCount bytes');

const toHour = (ms: number) => ms - (ms % 3_600_000);

/** The load of accounts per hour, which all processes add up. */
export function createUsageHours(knex: Knex) {
  return {
    /** Adds loads to the hour of a time, in epoch ms. */
    async add(loads: readonly Load[], nowMs: number): Promise<void> {
      // Sorted, so that all processes lock rows in the same order.
      const sorted = [...loads].sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
      const hour = { hour_ms: toHour(nowMs) };
      const rows = sorted.map((it) => ({ ...hour, ...toColumns(columns, it), cpu_ms: Math.round(it.cpuMs) }));
      await insertRows(knex, 'usage_hours', rows, { key: ['account_id', 'hour_ms'], merged: sums, adds: true });
    },

    /** Returns the accounts with the highest sums since the hour of a time, in epoch ms, the highest first. */
    findTop: (by: (typeof sums)[number], sinceMs: number, max: number): Promise<LoadOfAccount[]> =>
      knex('usage_hours as u')
        .join('accounts as a', 'a.account_id', 'u.account_id')
        .where('u.hour_ms', '>=', toHour(sinceMs))
        .groupBy('u.account_id', 'a.name')
        .select('a.name', 'u.account_id', ...sums.map((it) => knex.raw('sum(??) as ??', [`u.${it}`, it])))
        .orderBy(by, 'desc')
        .limit(max),
  };
}
