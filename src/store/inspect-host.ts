import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, ConnectionOptions, RowDataPacket } from 'mysql2/promise';

/**
 * Whether a host may serve. `reserve`: only if no host is usable, e.g. a Galera node that is copying its data to another
 * node.
 */
export interface HostFitness {
  readonly fitness: 'usable' | 'reserve' | 'unusable';
  /** The reason, in one line without credentials. Absent for a usable host. */
  readonly reason?: string;
  readonly fault?: HostFault;
  /** How far the clock of a reachable host is ahead of the clock of this process, in ms. */
  readonly aheadMs?: number;
}

/**
 * Why a host is not usable. `rejected`: it responds, but not to this user or with these TLS parameters. `no majority`: a
 * Galera node that cannot reach more than half of its cluster. `joining`: a Galera node that has not yet caught up.
 * `donor`: a Galera node that is copying its data to another node.
 */
export type HostFault = 'unreachable' | 'rejected' | 'read-only' | 'no majority' | 'joining' | 'donor';

/** Maximum time of one inspection in ms. A frozen host accepts the connection and does not respond. */
const inspectionMs = 1_000;
/** State of a Galera node that has applied all transactions of the cluster. */
const synced = '4';
const writable: ReadonlySet<string | undefined> = new Set([undefined, 'OFF', '0']);

/** Reads UTC, because local times occur twice when summer time ends. */
export const clockQuery = "select timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) as microseconds";
const queries = [
  "show global variables where variable_name in ('read_only', 'innodb_read_only', 'tidb_super_read_only', 'wsrep_on')",
  "show global status where variable_name in ('wsrep_ready', 'wsrep_cluster_status', 'wsrep_local_state', 'wsrep_local_state_comment')",
];

/** Connects to the host and returns its standing. Resolves within about a second, also if the host does not respond. */
export async function inspectHost(settings: ConnectionOptions): Promise<HostFitness> {
  // Imported on demand: an embedded database does not need the driver.
  const { default: mysql } = await import('mysql2/promise');
  const connecting = mysql.createConnection({ ...settings, connectTimeout: inspectionMs });
  const done = new AbortController();
  const late: HostFitness = {
    fitness: 'unusable',
    reason: `no response within ${inspectionMs} ms`,
    fault: 'unreachable',
  };
  try {
    return await Promise.race([connecting.then(readStanding), sleep(inspectionMs, late, { signal: done.signal })]);
  } catch (error) {
    return { fitness: 'unusable', reason: describe(error), fault: isAnswer(error) ? 'rejected' : 'unreachable' };
  } finally {
    done.abort();
    connecting.then((connection) => connection.destroy()).catch(() => undefined);
  }
}

async function readStanding(connection: Connection): Promise<HostFitness> {
  const values = new Map<string, string>();
  for (const sql of queries) {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    for (const row of rows) values.set(String(row['Variable_name']).toLowerCase(), String(row['Value']));
  }
  const [[clock]] = await connection.query<RowDataPacket[]>(clockQuery);
  return { ...judgeHost(values), aheadMs: Number(clock?.['microseconds']) / 1000 - Date.now() };
}

/** Returns the standing of a host by its variables and status values. Unknown variables are absent. */
export function judgeHost(values: ReadonlyMap<string, string>): HostFitness {
  const readOnly = ['read_only', 'innodb_read_only', 'tidb_super_read_only'].find(
    (name) => !writable.has(values.get(name)),
  );
  if (readOnly !== undefined)
    return { fitness: 'unusable', reason: `${readOnly} is ${values.get(readOnly)}`, fault: 'read-only' };
  if (values.get('wsrep_on') !== 'ON') return { fitness: 'usable' };
  const state = values.get('wsrep_local_state_comment') ?? 'unknown';
  if (values.get('wsrep_ready') !== 'ON') {
    const fault = values.get('wsrep_cluster_status') === 'Primary' ? 'joining' : 'no majority';
    return { fitness: 'unusable', reason: `wsrep_ready is not ON (${state})`, fault };
  }
  if (values.get('wsrep_local_state') === synced) return { fitness: 'usable' };
  return { fitness: 'reserve', reason: `wsrep_local_state is not Synced (${state})`, fault: 'donor' };
}

/** The messages of the driver contain no password. */
function describe(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message?.split('\n')[0] || code || 'unknown error';
}

/** Returns true if the error is the response of a server, or of TLS, and not of the network. */
function isAnswer(error: unknown): boolean {
  const { code = '', sqlState } = error as { code?: string; sqlState?: string };
  return sqlState !== undefined || code.startsWith('ER_') || code.startsWith('HANDSHAKE_');
}
