import { setTimeout as sleep } from 'node:timers/promises';
import { isConflict, isTransient } from './transient.js';

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
/** How long a start waits, by error code, ms. A cluster needs seconds to exclude a lost node. */
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
