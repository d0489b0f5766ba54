import type { Knex } from 'knex';
import { type AccountChoice, chooseAccounts } from './due-accounts.js';
import { selectRows } from './rows.js';
import type { Expiry } from './tables/table.js';

export interface ExpiredCount {
  readonly kind: string;
  /** All rows, the expired ones included. */
  readonly stored: number;
  /** Rows that a purge deletes. A purge may leave the readings and sessions of the last minute. */
  readonly expired: number;
}

interface Counted {
  readonly table: string;
  readonly expiry: Expiry;
  /** Time before which rows are deleted, in epoch ms. */
  readonly beforeMs: number;
  /** The accounts whose rows are counted. Absent: all. */
  readonly accounts?: AccountChoice | undefined;
}

/** Counts rows, with one count per kind. Reads whole tables, so only an operator and a changed setting cause it. */
export async function countExpired(knex: Knex, edges: Iterable<Counted>): Promise<ExpiredCount[]> {
  const counts = new Map<string, ExpiredCount>();
  for (const { table, expiry, beforeMs, accounts } of edges) {
    const { kind, column, condition = `${column} < ?` } = expiry;
    if (kind === undefined) continue;
    const chosen = chooseAccounts(table === 'session_readings' ? 'account' : 'account_id', accounts);
    const [row] = await selectRows<{ stored: number; expired: number | null }>(knex, {
      sql: `select count(*) as stored, sum(case when ${condition} then 1 else 0 end) as expired from ${table}
        where ${chosen.sql}`,
      bindings: [beforeMs, ...chosen.bindings],
    });
    const { stored = 0, expired = 0 } = counts.get(kind) ?? {};
    counts.set(kind, { kind, stored: stored + Number(row?.stored), expired: expired + Number(row?.expired ?? 0) });
  }
  return [...counts.values()];
}
