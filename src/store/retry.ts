import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './transient.js';

/** Pauses between tries; a fault that outlasts them, or the budget, is the caller's to report. */
const pausesMs = [20, 40, 80, 160];
const budgetMs = 3_000;

/** Runs the work again after a retryable error. Jitter keeps two competing transactions from colliding again. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  const endsAtMs = performance.now() + budgetMs;
  for (let attempt = 0; ; attempt += 1)
    try {
      return await work();
    } catch (error) {
      nameClosedConnection(error);
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined || !isTransient(error) || performance.now() > endsAtMs) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
}

interface MysqlError {
  readonly fatal?: boolean;
  code?: string;
}

/** mysql2 reports a statement on a connection that has closed, e.g. a ROLLBACK, as fatal and without a code. */
function nameClosedConnection(error: unknown): void {
  const { fatal } = error as MysqlError;
  if (fatal) (error as MysqlError).code ??= 'PROTOCOL_CONNECTION_LOST';
}

const unlockedWithinMs = 8_000;
const lookMs = 50;

/**
 * Runs the work again while another process keeps SQLite locked, for several seconds. SQLite itself does not wait in all
 * cases: two processes that switch a new file to its write-ahead log at once get SQLITE_BUSY immediately.
 */
export async function untilUnlocked<T>(work: () => Promise<T>): Promise<T> {
  const endsAtMs = performance.now() + unlockedWithinMs;
  for (;;)
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || performance.now() > endsAtMs) throw error;
      await sleep(lookMs);
    }
}
