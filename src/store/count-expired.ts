import type { Knex } from 'knex';
import { selectRows } from './rows.js';
import { touchStepMs } from './sessions.js';

/** Time before which the rows of each kind are deleted, epoch ms. */
export type PurgeEdges = Readonly<Record<keyof typeof kinds, number>>;

/** Rows of one kind. */
export interface ExpiredCount {
  readonly kind: keyof PurgeEdges;
  /** All rows, the expired ones included. */
  readonly stored: number;
  /** Rows that a purge deletes. A purge may leave the readings and sessions of the last minute. */
  readonly expired: number;
}

/** The table of each kind, and the condition of its expired rows. */
const kinds = {
  readings: ['session_readings', 'timestamp_ms < ?'],
  sessions: ['sessions', `touched_at_ms < ? - ${touchStepMs}`],
  hours: ['subject_hours', 'hour_ms < ?'],
  feedback: ['feedback', 'timestamp_ms < ?'],
  deliveries: ['deliveries', 'settled_at_ms < ?'],
  accesses: ['access_entries', 'chain_id in (select chain_id from access_chains where at_ms < ?)'],
  erasures: ['erased_ids', 'erased_at_ms < ?'],
} as const;

/** Counts rows of all accounts. Reads whole tables, so only an operator and a changed setting cause it. */
export async function countExpired(
  knex: Knex,
  edges: PurgeEdges,
  only: readonly (keyof PurgeEdges)[] = Object.keys(kinds) as (keyof PurgeEdges)[],
): Promise<ExpiredCount[]> {
  const counts: ExpiredCount[] = [];
  for (const kind of only) {
    const [table, condition] = kinds[kind];
    const [row] = await selectRows<{ stored: number; expired: number | null }>(knex, {
      sql: `select count(*) as stored, sum(case when ${condition} then 1 else 0 end) as expired from ${table}`,
      bindings: [edges[kind]],
    });
    counts.push({ kind, stored: Number(row?.stored), expired: Number(row?.expired ?? 0) });
  }
  return counts;
}
