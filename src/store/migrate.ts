import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { version } from '../config/version.js';
import { type Migration, migrations } from './migrations/index.js';
import { isMysql } from './rows.js';

/** Thrown if this version cannot use the schema of a database. The message names the remedy. */
export class SchemaError extends Error {
  readonly code = 'SCHEMA_REFUSED';
}

const lockName = 'migrate ';
const lockWaitSeconds = 60;
/** Named locks of MySQL are server-wide, so the lock name includes the database. */
const lockOfDatabase = 'concat(?, database())';

/** How long a process uses the schema after it has read the ledger, in ms. */
export const leaseMs = 1_000;

/**
 * Applies all pending migrations. If several processes start at the same time, one process migrates and the others
 * wait.
 *
 * Does not use the migrator of Knex, because its lock remains when a process dies. It would then block every later
 * start.
 */
export async function migrate(knex: Knex, list = migrations): Promise<void> {
  await createLedger(knex);
  // Checked without a lock, so that a process can start while another process writes.
  if (await isMigrated(knex, list)) return;
  // Processes of earlier versions stop within the lease.
  if (await announceBreaking(knex, list)) await sleep(2 * leaseMs);
  await knex.transaction((transaction) => migrateLocked(transaction, list));
}

/** Marks the pending migrations that break earlier versions. Returns false if there is none, or the database is new. */
async function announceBreaking(knex: Knex, list: readonly Migration[]): Promise<boolean> {
  const all = await pending(knex, list);
  const breaking = all.filter((it) => it.breaksEarlier);
  if (breaking.length === 0 || all.length === list.length) return false;
  const rows = breaking.map(({ name }) => ({ name, completed_at_ms: null, breaks_earlier: 1 }));
  await knex('schema_migrations').insert(rows).onConflict('name').ignore();
  return true;
}

async function migrateLocked(transaction: Knex.Transaction, list: readonly Migration[]): Promise<void> {
  await lock(transaction);
  try {
    for (const { name, run, breaksEarlier } of await pending(transaction, list)) {
      await run(transaction);
      const applied = { name, completed_at_ms: Date.now(), breaks_earlier: breaksEarlier ? 1 : 0 };
      await transaction('schema_migrations').insert(applied).onConflict('name').merge();
    }
  } finally {
    await unlock(transaction);
  }
}

/** Runs the migrations that are not in `applied`, on a database without rows that no other process uses. */
export async function completeSchema(knex: Knex, applied: ReadonlySet<string>): Promise<void> {
  await createLedger(knex);
  for (const { run } of listMissing(applied)) await run(knex);
}

/** Returns true if all migrations of this version are applied. */
export async function isMigrated(knex: Knex, list = migrations): Promise<boolean> {
  return (await pending(knex, list)).length === 0;
}

async function pending(knex: Knex, list: readonly Migration[]): Promise<readonly Migration[]> {
  return listMissing(await readApplied(knex, list), list);
}

/** Returns the migrations that are not in `applied`. */
export function listMissing(applied: ReadonlySet<string>, list = migrations): readonly Migration[] {
  return list.filter(({ name }) => !applied.has(name));
}

/** Rows of the table of migrations. `completed_at_ms` is null for a migration that is announced, but not complete. */
export type Ledger = ReadonlyArray<{ name: string; completed_at_ms?: number | null; breaks_earlier?: number }>;

/** Returns the names of the applied migrations, like `checkLedger`. Empty for an empty database. */
export async function readApplied(knex: Knex, list = migrations): Promise<ReadonlySet<string>> {
  const rows: Ledger = await knex('schema_migrations')
    .select()
    .catch(async (error: unknown) => {
      // The table is absent in an empty database.
      if (await knex.schema.hasTable('schema_migrations')) throw error;
      return [];
    });
  return checkLedger(rows, list);
}

/**
 * Returns the names of the applied migrations. Throws a SchemaError if this version cannot use the schema. It can use a
 * newer schema if no unknown migration breaks earlier versions.
 */
export function checkLedger(rows: Ledger, list = migrations): ReadonlySet<string> {
  const initial = list[0]?.name;
  if (rows.length > 0 && !rows.some(({ name }) => name === initial))
    throw new SchemaError(
      'a build from before 1.0.0 created this database, and no release can use it: set DATABASE_URL to an empty ' +
        'database, and to keep readings, import an export of that build (docs/export.md)',
    );
  const newer = findNewer(
    rows.flatMap(({ name, breaks_earlier }) => (breaks_earlier === 1 ? [name] : [])),
    list,
  );
  if (newer !== undefined)
    throw new SchemaError(
      `a newer version changed the schema (migration ${newer}), and version ${version} cannot use it: run the newer ` +
        'version, or restore a backup from before its start',
    );
  return new Set(rows.flatMap(({ name, completed_at_ms }) => (completed_at_ms === null ? [] : [name])));
}

/** Returns the name of a migration that only a newer version knows, if there is one. */
export function findNewer(applied: Iterable<string>, list = migrations): string | undefined {
  const known = new Set<string>(list.map(({ name }) => name));
  return [...applied].find((name) => !known.has(name));
}

async function createLedger(knex: Knex): Promise<void> {
  await knex.raw(
    'create table if not exists schema_migrations (name varchar(64) not null primary key, ' +
      'completed_at_ms bigint null, breaks_earlier smallint not null)',
  );
}

/**
 * Blocks migrations by other processes. On SQLite, the transaction already holds the write lock. On MySQL, the named
 * lock is released when its connection ends.
 */
async function lock(transaction: Knex.Transaction): Promise<void> {
  if (!isMysql(transaction)) return;
  const [[row]] = await transaction.raw(`select get_lock(${lockOfDatabase}, ?) as taken`, [lockName, lockWaitSeconds]);
  if (row.taken !== 1) throw new Error(`another process has been migrating for ${lockWaitSeconds} seconds`);
}

async function unlock(transaction: Knex.Transaction): Promise<void> {
  if (isMysql(transaction)) await transaction.raw(`select release_lock(${lockOfDatabase})`, [lockName]);
}
