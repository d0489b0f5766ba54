/** Advice to the operator for a database outage. */
const remedies = {
  locked: 'another process has locked the database: stop that process, or wait until its transaction ends',
  diskFull: 'the disk of the database is full: free or add space',
  notWritable: 'the database is read-only: check the permissions of its file and folder, or the mode of the server',
  noHost: 'no host of DATABASE_URL is usable: start one of them',
  tls: 'TLS to the database failed: check its certificate, and ssl-mode, ssl-ca, ssl-cert and ssl-key in DATABASE_URL',
  ioError: 'the disk of the database is faulty or full: check the disk and the log of the operating system',
} as const;

/** Advice by error code. The file system reports an exceeded quota or file size limit as SQLITE_IOERR_WRITE. */
const remedyByCode: ReadonlyMap<unknown, string> = new Map([
  ['SQLITE_BUSY', remedies.locked],
  ['SQLITE_BUSY_SNAPSHOT', remedies.locked],
  ['SQLITE_BUSY_RECOVERY', remedies.locked],
  ['SQLITE_LOCKED', remedies.locked],
  ['SQLITE_FULL', remedies.diskFull],
  ['SQLITE_READONLY', remedies.notWritable],
  ['SQLITE_READONLY_DBMOVED', remedies.notWritable],
  ['SQLITE_READONLY_DIRECTORY', remedies.notWritable],
  ['SQLITE_CANTOPEN', remedies.notWritable],
  ['SQLITE_IOERR', remedies.ioError],
  ['SQLITE_IOERR_WRITE', remedies.ioError],
  ['SQLITE_IOERR_FSYNC', remedies.ioError],
  ['SQLITE_IOERR_TRUNCATE', remedies.ioError],
  ['SQLITE_IOERR_SHMSIZE', remedies.ioError],
  ['EE_WRITE', remedies.diskFull],
  ['EE_DISK_FULL', remedies.diskFull],
  ['ER_DISK_FULL', remedies.diskFull],
  ['ER_ERROR_ON_WRITE', remedies.ioError],
  ['ER_RECORD_FILE_FULL', remedies.diskFull],
  ['ER_OPTION_PREVENTS_STATEMENT', remedies.notWritable],
  ['ER_READ_ONLY_MODE', remedies.notWritable],
  ['NO_USABLE_HOST', remedies.noHost],
  ['HANDSHAKE_SSL_ERROR', remedies.tls],
  ['HANDSHAKE_NO_SSL_SUPPORT', remedies.tls],
]);

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
  const { code } = error as { code?: unknown };
  return error.name === 'KnexTimeoutError' || transientCodes.has(code) || remedyByCode.has(code);
}

/**
 * Returns true if another transaction changed the same rows first. The same work then usually succeeds within a second.
 */
export function isConflict(error: unknown): boolean {
  return conflictCodes.includes((error as { code?: unknown } | undefined)?.code);
}

/** Returns advice to the operator for a database error, e.g. that the disk is full. Undefined for other errors. */
export function findRemedy(error: unknown): string | undefined {
  return remedyByCode.get((error as { code?: unknown } | undefined)?.code);
}
