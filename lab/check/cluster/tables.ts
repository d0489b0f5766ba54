import mysql, { type RowDataPacket } from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GaleraNode } from '../../../testkit/galera.js';
import { withKnex } from '../../bench/support/databases.js';

/** Longer than several rounds in which a process writes its counts, ms. */
const settledMs = 2_000;

/** Returns the monthly calls of all accounts, after every process has written its counts. */
export function readCalls(databaseUrl: string): Promise<number> {
  return withKnex(databaseUrl, async (knex) => {
    for (let last = -1; ; await sleep(settledMs)) {
      const [row] = await knex('usage_months').sum({ calls: 'calls' });
      const calls = Number(row?.['calls'] ?? 0);
      if (calls === last) return calls;
      last = calls;
    }
  });
}

/** Tables whose content must be the same on all nodes. */
const tables = [
  'sessions',
  'session_readings',
  'late_readings',
  'outbox',
  'deliveries',
  'webhooks',
  'usage_months',
  'stream_positions',
] as const;

const triesMax = 10;
/** Longer than the interval in which services write the counts of their calls, ms. */
const againMs = 1_000;

/**
 * Returns the number of nodes whose tables differ from those of the first node. Compares several times before it reports
 * a difference, because the running services may write between two reads.
 */
export async function countDiffering(nodes: ReadonlyArray<Pick<GaleraNode, 'url'>>, database: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const all = await Promise.all(nodes.map((node) => readChecksums(node, database)));
    const differing = all.filter((it) => it !== all[0]);
    if (differing.length > 0 && tries === triesMax) console.error([all[0], ...differing].join('\n'));
    if (differing.length === 0 || tries === triesMax) return differing.length;
    await sleep(againMs);
  }
}

async function readChecksums({ url }: Pick<GaleraNode, 'url'>, database: string): Promise<string> {
  const connection = await mysql.createConnection({ uri: `${url}/${database}` });
  try {
    await connection.query('set session wsrep_sync_wait = 15');
    const [rows] = await connection.query<RowDataPacket[]>(`checksum table ${tables.join(', ')}`);
    return JSON.stringify(rows);
  } finally {
    await connection.end();
  }
}

/** Returns the number of transactions that this node rejected since its start, because another node had changed a row. */
export async function countConflicts({ status }: GaleraNode): Promise<number> {
  const values = [...(await status('wsrep_local_cert_failures')).values()];
  const aborts = [...(await status('wsrep_local_bf_aborts')).values()];
  return [...values, ...aborts].reduce((sum, value) => sum + Number(value), 0);
}
