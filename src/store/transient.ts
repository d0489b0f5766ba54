/**
 * Faults that pass: the same statement may succeed in a moment. Deadlocks and lock waits are a normal part of
 * concurrent writing; connections get lost when a server restarts.
 */
const transientCodes: ReadonlySet<unknown> = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
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
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_FULL',
  'SQLITE_LOCKED',
]);

/** True when the database may serve the same statement later; a full pool counts. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'KnexTimeoutError' || transientCodes.has((error as { code?: unknown }).code);
}
