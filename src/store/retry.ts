import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { endsIdleTransactions } from './server-facts.js';

/** Pauses between retries, in ms. An error that persists after the last retry is thrown to the caller. */
const pausesMs = [20, 40, 80, 160];
/** On a cluster, transactions conflict again and again while processes write to different nodes. */
const conflictPausesMs = [...pausesMs, 320, 320, 320];
const budgetMs = 3_000;

/** Retries the work after a retryable error. Jitter prevents two competing transactions from colliding again. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  const endsAtMs = performance.now() + budgetMs;
  for (let attempt = 0; ; attempt += 1)
    try {
      return await work();
    } catch (error) {
      nameClosedConnection(error);
      const pauseMs = (isConflict(error) ? conflictPausesMs : pausesMs)[attempt];
      if (pauseMs === undefined || !isTransient(error) || performance.now() > endsAtMs) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
}

interface MysqlError {
  readonly fatal?: boolean;
  code?: string;
}

/**
 * Adds an error code. For a statement on a closed connection, e.g. a ROLLBACK, mysql2 reports a fatal error without a
 * code.
 */
function nameClosedConnection(error: unknown): void {
  const { fatal } = error as MysqlError;
  if (fatal) (error as MysqlError).code ??= 'PROTOCOL_CONNECTION_LOST';
}

const lookMs = 50;
/** How long a start waits, by error code, in ms. A cluster needs seconds to exclude a lost node. */
const waitsMs: ReadonlyMap<unknown, number> = new Map([
  ['SQLITE_BUSY', 8_000],
  ['NO_USABLE_HOST', 15_000],
  ['ER_LOCK_WAIT_TIMEOUT', 15_000],
  ['ER_LOCK_DEADLOCK', 15_000],
  ['ER_UNKNOWN_COM_ERROR', 15_000],
]);

/**
 * Retries the work for several seconds while another process locks SQLite, or while no node of a cluster is usable.
 *
 * SQLite's own lock wait is not enough: if two processes switch a new file to WAL mode at the same time, one gets
 * SQLITE_BUSY immediately.
 */
export async function untilAvailable<T>(work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  for (;;)
    try {
      return await work();
    } catch (error) {
      const waitMs = waitsMs.get((error as { code?: unknown }).code) ?? 0;
      if (performance.now() > startedAtMs + waitMs) throw error;
      await sleep(lookMs);
    }
}

const denied = /^ER_(\w*ACCESS_DENIED\w*|HOST_NOT_PRIVILEGED|ACCOUNT_HAS_BEEN_LOCKED|MUST_CHANGE_PASSWORD\w*)$/;
const missing = /^(ER_NO_SUCH_TABLE|ER_BAD_FIELD_ERROR|SQLITE_SCHEMA_INCOMPLETE)$/;
/** These errors do not end by themselves, and concern only some rows. */
const damaged = /^(SQLITE_CORRUPT|SQLITE_NOTADB|ER_\w*(CORRUPT|CRASHED)|ER_NOT_KEYFILE)/;

/**
 * Advice to the operator for a database outage, by error code. SQLite adds details to its codes, e.g.
 * SQLITE_READONLY_DIRECTORY. The file system reports an exceeded quota or file size limit as SQLITE_IOERR_WRITE.
 */
const remedies: ReadonlyArray<readonly [codes: RegExp, remedy: string]> = [
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'another process has locked the database: stop that process, or wait until its transaction ends',
  ],
  [
    /^(SQLITE_FULL|EE_WRITE|EE_DISK_FULL|ER_DISK_FULL|ER_RECORD_FILE_FULL)$/,
    'the disk of the database is full: free or add space',
  ],
  [
    /^(SQLITE_READONLY|SQLITE_CANTOPEN|ER_OPTION_PREVENTS_STATEMENT|ER_READ_ONLY_MODE)/,
    'the database is read-only: check the permissions of its file and folder, or the mode of the server',
  ],
  [/^ER_BINLOG_STMT_MODE/, 'binlog_format of the server is STATEMENT: set it to ROW, then restart the service'],
  [
    denied,
    'the server denies access to the user of DATABASE_URL: correct its password, or grant it SELECT, INSERT, UPDATE and ' +
      'DELETE, and for migrations CREATE, ALTER, DROP and INDEX',
  ],
  [missing, 'a table or column is missing: run "migrate --repair"'],
  [/^SQLITE_NOTADB$/, 'the file of DATABASE_URL is not an SQLite database: correct the path, or restore a backup'],
  [damaged, 'the database is damaged: restore a backup, and check its disk'],
  [/^ER_BAD_DB_ERROR$/, 'create the database that DATABASE_URL names, or restore a backup'],
  [/^NO_USABLE_HOST$/, 'no host of DATABASE_URL is usable: start one of them'],
  [
    /^HANDSHAKE_(SSL_ERROR|NO_SSL_SUPPORT)$/,
    'TLS to the database failed: check its certificate, and ssl-mode, ssl-ca, ssl-cert and ssl-key in DATABASE_URL',
  ],
  [
    /^(SQLITE_IOERR|ER_ERROR_ON_WRITE)/,
    'the disk of the database is faulty or full: check the disk and the log of the operating system',
  ],
];

/**
 * Deadlocks. On a cluster, also the failed certification of a commit: another node has committed a change of the same
 * row. Nothing of the transaction is stored.
 */
const conflictCodes: readonly unknown[] = ['ER_LOCK_DEADLOCK', 'ER_TRANSACTION_ROLLBACK_DURING_COMMIT'];

/**
 * Other retryable errors. Deadlocks and lock timeouts occur in normal operation when transactions run concurrently. A
 * server restart closes connections.
 */
const transientCodes: ReadonlySet<unknown> = new Set([
  ...conflictCodes,
  'ER_LOCK_WAIT_TIMEOUT',
  // Another process of a version that can use the schema may respond.
  'SCHEMA_REFUSED',
  // Galera: the node has no majority of the cluster, or is not yet synchronized.
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
  // Group replication: the member has no majority of the group.
  'ER_RUN_HOOK_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'ER_QUERY_INTERRUPTED',
  'ER_CONNECTION_KILLED',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Returns true if the same statement may succeed later, for example after the connection pool was exhausted. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = readCode(error);
  if (error.name === 'KnexTimeoutError' || transientCodes.has(code)) return true;
  return findRemedy(error) !== undefined && !damaged.test(code);
}

/**
 * Returns true if another transaction changed the same rows first. The same work then usually succeeds within a second.
 */
function isConflict(error: unknown): boolean {
  return conflictCodes.includes((error as { code?: unknown } | undefined)?.code);
}

/** Returns true if the database rejects the user of the service. Its open connections may do so for good. */
export const isDenied = (error: unknown): boolean => denied.test(readCode(error));

/** Returns true if a right, a table or a column is missing, so that the statement fails whatever its values are. */
export const isFault = (error: unknown): boolean => isDenied(error) || missing.test(readCode(error));

/** Returns advice to the operator for a database error, e.g. that the disk is full. Undefined for other errors. */
export function findRemedy(error: unknown): string | undefined {
  const code = readCode(error);
  return remedies.find(([codes]) => codes.test(code))?.[1];
}

const readCode = (error: unknown) => String((error as { code?: unknown } | undefined)?.code);

/** How long a transaction may wait for the next statement of its process, in seconds. */
export const idleSecondsMax = 5;

/**
 * Ends the connections that wait for a process for `idleSecondsMax`. Called when a transaction has timed out waiting
 * for a lock. One of these connections may hold the lock for a process that is frozen or has lost its network. Other
 * processes connect again. MySQL has no timeout for idle transactions, but a user may end connections of the same user.
 * A user without further privileges can neither see which connection holds a lock nor which one has an open
 * transaction.
 */
export async function endIdleConnections(knex: Knex, error: unknown): Promise<void> {
  if ((error as { code?: string }).code !== 'ER_LOCK_WAIT_TIMEOUT' || endsIdleTransactions(knex)) return;
  const [idle] = (await knex.raw(
    `select id as id from information_schema.processlist
     where user = substring_index(user(), '@', 1) and db = database() and command = 'Sleep' and time >= ?`,
    [idleSecondsMax],
  )) as [Array<{ readonly id: number }>];
  // The connection may have ended meanwhile.
  for (const { id } of idle) await knex.raw('kill ?', [id]).catch(() => undefined);
}
