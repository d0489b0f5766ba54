import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';

/** Removes erased rows from SQLite's write-ahead log, which keeps copies of the pages that it wrote. */
export interface ErasedLog {
  /** Empties the log after an erasure. While another process reads from the log, `finish` has to complete this. */
  truncate(): Promise<void>;
  /** Empties the log where an erasure could not. */
  finish(): Promise<void>;
}

export function createErasedLog(knex: Knex): ErasedLog {
  // At the start too: the process before this one may have stopped between an erasure and its end.
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
