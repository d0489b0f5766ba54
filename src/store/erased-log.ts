import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';

/** Removes erased rows from SQLite's write-ahead log, which contains copies of written pages. */
export interface ErasedLog {
  /**
   * Truncates the log after an erasure. Has no effect while another process reads from the log. `finish` then truncates
   * it.
   */
  truncate(): Promise<void>;
  /** Truncates the log if an earlier call could not. */
  finish(): Promise<void>;
}

export function createErasedLog(knex: Knex): ErasedLog {
  // Initially true: an earlier process may have stopped before it truncated the log.
  let isDue = !isMysql(knex);
  const finish = async (): Promise<void> => {
    if (!isDue) return;
    isDue = false;
    const [checkpoint] = await knex.raw('pragma wal_checkpoint(truncate)');
    if (checkpoint.busy !== 0) isDue = true;
  };
  return {
    async truncate() {
      isDue = !isMysql(knex);
      await finish();
    },
    finish,
  };
}
