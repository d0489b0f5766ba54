import { setTimeout as sleep } from 'node:timers/promises';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import type { GaleraNode } from '../../../contract-tests/support/galera.js';

/** Tables whose content must be the same on all nodes. */
const tables = [
  'sessions',
  'readings',
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
export async function countDiffering(nodes: readonly GaleraNode[], database: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const all = await Promise.all(nodes.map((node) => checksumsOf(node, database)));
    const differing = all.filter((it) => it !== all[0]);
    if (differing.length > 0 && tries === triesMax) console.error([all[0], ...differing].join('\n'));
    if (differing.length === 0 || tries === triesMax) return differing.length;
    await sleep(againMs);
  }
}

async function checksumsOf({ url }: GaleraNode, database: string): Promise<string> {
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
