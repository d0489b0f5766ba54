import type { Knex } from 'knex';
import { version } from '../config/version.js';
import { isMysql } from './is-mysql.js';
import { type Migration, migrations } from './migrations/index.js';

/** First migration of the schema that was in use before the first release. */
const unreleased = '001-accounts';
/** Thrown if this version cannot use the schema of a database. The message names the remedy. */
export class SchemaError extends Error {}

/** Called after each step of a migration with the number of rows that it has moved. */
export type OnMoved = (rows: number) => void;

const lockName = 'migrate ';
const lockWaitSeconds = 60;
/** Named locks of MySQL are server-wide, so the lock name includes the database. */
const lockOfDatabase = 'concat(?, database())';

/**
 * Applies all pending migrations. If several processes start at the same time, one process migrates and the others
 * wait.
 *
 * Does not use the migrator of Knex, because its lock remains when a process dies. It would then block every later
 * start.
 */
export async function migrate(knex: Knex, onMoved: OnMoved = () => {}): Promise<void> {
  await createLedger(knex);
  // Checked without a lock, so that a process can start while another process writes.
  if (await isMigrated(knex)) return;
  let total = 0;
  for (;;) {
    const moved = await knex.transaction(migrateSome);
    if (moved === 0) return;
    total += moved;
    onMoved(total);
  }
}

/** Applies the pending migrations up to the first one that moves rows. Returns the number of moved rows. */
async function migrateSome(transaction: Knex.Transaction): Promise<number> {
  await lock(transaction);
  try {
    for (const { name, run, moveSome, breaksEarlier } of await pending(transaction)) {
      await run(transaction);
      const moved = (await moveSome?.(transaction)) ?? 0;
      if (moved > 0) return moved;
      // The column is absent before its own migration. Its default is 0.
      const applied = { name, applied_at_ms: Date.now(), ...(breaksEarlier && { breaks_earlier: 1 }) };
      await transaction('schema_migrations').insert(applied).onConflict('name').ignore();
    }
    return 0;
  } finally {
    await unlock(transaction);
  }
}

/** Applies some migrations to an empty database that no other process uses. */
export async function applyMigrations(knex: Knex, names: ReadonlySet<string>): Promise<void> {
  await createLedger(knex);
  for (const { name, run } of migrations) if (names.has(name)) await run(knex);
}

/** Returns true if all migrations of this version are applied. */
export async function isMigrated(knex: Knex): Promise<boolean> {
  return (await pending(knex)).length === 0;
}

async function pending(knex: Knex): Promise<readonly Migration[]> {
  const applied = await readApplied(knex);
  return migrations.filter(({ name }) => !applied.has(name));
}

/**
 * Returns the names of the applied migrations. Rejects with a SchemaError if this version cannot use the schema. It can
 * use a newer schema if no unknown migration breaks earlier versions.
 */
export async function readApplied(knex: Knex): Promise<ReadonlySet<string>> {
  const names: string[] = await knex('schema_migrations')
    .pluck('name')
    .catch(async (error: unknown) => {
      // The table is absent in an empty database.
      if (await knex.schema.hasTable('schema_migrations')) throw error;
      return [];
    });
  const applied = new Set(names);
  if (applied.has(unreleased))
    throw new SchemaError(
      'this database was created before the first release and cannot be migrated: use an empty database',
    );
  // Without the migration that adds the column, no migration has the mark.
  if (findNewer(applied) === undefined || !applied.has('schema-ledger')) return applied;
  const breaking: string[] = await knex('schema_migrations').where({ breaks_earlier: 1 }).pluck('name');
  const newer = findNewer(breaking);
  if (newer !== undefined)
    throw new SchemaError(
      `a newer version changed the schema (migration ${newer}), and version ${version} cannot use it: run the newer ` +
        'version, or restore a backup from before its start',
    );
  return applied;
}

/** Returns the name of a migration that only a newer version knows, if there is one. */
export function findNewer(applied: Iterable<string>): string | undefined {
  const known = new Set<string>(migrations.map(({ name }) => name));
  return [...applied].find((name) => !known.has(name));
}

async function createLedger(knex: Knex): Promise<void> {
  await knex.raw(
    'create table if not exists schema_migrations (name varchar(64) not null primary key, applied_at_ms bigint not null)',
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
