import type { Knex } from 'knex';
import { isTransient } from './retry.js';
import { isMysql } from './rows.js';

/**
 * Maximum size of a database that an erasure rewrites, in bytes. Other statements wait during the rewrite, 0.3 s for 64
 * MB.
 */
const rewrittenMax = 64 * 1024 * 1024;
/** Minimum time between two rewrites in ms, so that an account with many erasures cannot stall other accounts. */
const rewritePauseMs = 10_000;
/**
 * Work that an erasure still requires. Stored as `user_version`, a number in the file header that SQLite does not use,
 * so that the next process continues the work.
 */
const pending = { nothing: 0, rewrite: 1, truncation: 2 };

/** Returns the maintenance of SQLite's files. Does nothing on MySQL. */
export function createSqliteFiles(knex: Knex, pauseMs = rewritePauseMs) {
  let mayRewriteAtMs = 0;
  let scheduled: NodeJS.Timeout | undefined;
  const note = (state: number) => knex.raw(`pragma user_version = ${state}`);
  const tidy = async (): Promise<void> => {
    let [{ user_version: state }] = await knex.raw('pragma user_version');
    if (state === pending.rewrite && performance.now() >= mayRewriteAtMs) {
      await rewrite(knex);
      mayRewriteAtMs = performance.now() + pauseMs;
      await note((state = pending.truncation));
    }
    if (state === pending.rewrite) schedule();
    const isEmptied = await checkpoint(knex, state === pending.nothing ? 'passive' : 'truncate');
    if (state === pending.truncation && isEmptied) await note(pending.nothing);
  };
  /** Runs `tidy` at the end of the pause. Ignores errors, because `tidy` also runs every minute. */
  const schedule = () => {
    clearTimeout(scheduled);
    const waitMs = Math.max(0, mayRewriteAtMs - performance.now());
    scheduled = setTimeout(() => void tidy().catch(() => undefined), waitMs).unref();
  };
  const onSqlite = (work: () => Promise<unknown>) => async (): Promise<void> => {
    if (isMysql(knex)) return;
    // Ignores a lock of another process, because the rows of the erasure are already deleted.
    await work().catch((error: unknown) => (isTransient(error) ? undefined : Promise.reject(error)));
  };
  return {
    /**
     * Removes the bytes of erased rows: from the write-ahead log immediately, from unused parts of pages at most once per
     * `pauseMs`. While another process reads the files, a later call of `tidy` removes them.
     */
    removeErased: onSqlite(async () => {
      await note(pending.rewrite);
      await tidy();
    }),
    /**
     * Completes a pending removal. Copies the write-ahead log into the database, except the part that another process is
     * reading.
     */
    tidy: onSqlite(tidy),
    /** Copies the whole write-ahead log into the database and empties the log. Rejects if another process uses the files. */
    merge: async (): Promise<void> => {
      if (isMysql(knex) || (await checkpoint(knex, 'truncate'))) return;
      throw new Error('another process uses the database: stop the process and run the command again');
    },
    /** Cancels a scheduled removal. The next process completes it. */
    close: () => clearTimeout(scheduled),
  };
}

/**
 * Rewrites all pages. `secure_delete` overwrites a deleted row only at its current place. Rows move when a page is
 * split or merged, and SQLite leaves older copies in the unused part of pages.
 */
async function rewrite(knex: Knex): Promise<void> {
  const [{ page_count }] = await knex.raw('pragma page_count');
  const [{ page_size }] = await knex.raw('pragma page_size');
  if (page_count * page_size <= rewrittenMax) await knex.raw('vacuum');
}

/**
 * Copies the write-ahead log into the database. Mode `truncate` also empties the log file. Returns false if the log is
 * in use.
 */
async function checkpoint(knex: Knex, mode: 'passive' | 'truncate'): Promise<boolean> {
  const [{ busy }] = await knex.raw(`pragma wal_checkpoint(${mode})`);
  return busy === 0;
}
