import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';
import { migrations } from './migrations/index.js';

/** First migration of the schema that was in use before the first release. */
const unreleased = '001-accounts';
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
    for (const { name, run, moveSome } of await pending(transaction)) {
      await run(transaction);
      const moved = (await moveSome?.(transaction)) ?? 0;
      if (moved > 0) return moved;
      const applied = { name, applied_at_ms: Date.now() };
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

async function pending(knex: Knex): Promise<typeof migrations> {
  const applied = new Set((await knex('schema_migrations').select('name')).map(({ name }) => name));
  if (applied.has(unreleased))
    throw new Error('this database was created before the first release and cannot be migrated: use an empty database');
  return migrations.filter(({ name }) => !applied.has(name));
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
