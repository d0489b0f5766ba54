import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';
import { isTransient } from './transient.js';

/**
 * Largest database that an erasure rewrites, in bytes. It takes about half a second, during which other statements wait.
 */
const rewrittenMax = 64 * 1024 * 1024;

/** Removes erased rows from the bytes of SQLite's files. */
export interface ErasedLog {
  /**
   * Removes the remaining bytes after an erasure. If another process uses the files, `finish` removes them later.
   */
  truncate(): Promise<void>;
  /** Removes the remaining bytes if an earlier call could not. */
  finish(): Promise<void>;
}

export function createErasedLog(knex: Knex): ErasedLog {
  let mustRewrite = false;
  // Initially true: an earlier process may have stopped before it truncated the log.
  let mustTruncate = !isMysql(knex);
  const clean = async (): Promise<void> => {
    if (mustRewrite) await rewrite(knex);
    mustRewrite = false;
    if (mustTruncate) mustTruncate = !(await truncateLog(knex));
  };
  // A lock of another process does not fail the erasure: its rows are deleted already.
  const finish = () => clean().catch((error: unknown) => (isTransient(error) ? undefined : Promise.reject(error)));
  return {
    async truncate() {
      mustRewrite = mustTruncate = !isMysql(knex);
      await finish();
    },
    finish,
  };
}

/**
 * Writes all pages anew. `secure_delete` overwrites a deleted row only where it is stored. SQLite leaves older copies in
 * the unused part of pages, because rows move when a page is split or merged.
 */
async function rewrite(knex: Knex): Promise<void> {
  const [{ page_count }] = await knex.raw('pragma page_count');
  const [{ page_size }] = await knex.raw('pragma page_size');
  if (page_count * page_size <= rewrittenMax) await knex.raw('vacuum');
}

/** Empties the write-ahead log, which contains copies of written pages. Returns false while another process reads it. */
async function truncateLog(knex: Knex): Promise<boolean> {
  const [checkpoint] = await knex.raw('pragma wal_checkpoint(truncate)');
  return checkpoint.busy === 0;
}
