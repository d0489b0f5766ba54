import type { Knex } from 'knex';
import { isMysql } from './is-mysql.js';
import { migrations } from './migrations/index.js';

/** The first migration of the schema before the first release. */
const unreleased = '001-accounts';
const lockName = 'migrate ';
const lockWaitSeconds = 60;
/** Locks are known to the whole server. */
const lockOfDatabase = 'concat(?, database())';

/**
 * Brings the schema up to date; of several processes that start at once one does the work and the others wait.
 * Own code, because Knex's migrator leaves its lock behind when a process dies, and then nothing starts any more.
 */
export async function migrate(knex: Knex): Promise<void> {
  await createLedger(knex);
  // Needs no lock, so that a process starts while another one writes.
  if (await isMigrated(knex)) return;
  await knex.transaction(async (transaction) => {
    await lock(transaction);
    try {
      for (const { name, run } of await pending(transaction)) {
        await run(transaction);
        await transaction('schema_migrations').insert({ name, applied_at_ms: Date.now() });
      }
    } finally {
      await unlock(transaction);
    }
  });
}

/** True when every migration of this version has been applied. */
export async function isMigrated(knex: Knex): Promise<boolean> {
  return (await pending(knex)).length === 0;
}

async function pending(knex: Knex): Promise<typeof migrations> {
  const applied = new Set((await knex('schema_migrations').select('name')).map(({ name }) => name));
  if (applied.has(unreleased))
    throw new Error('a version before the first release created this database; start with an empty one');
  return migrations.filter(({ name }) => !applied.has(name));
}

async function createLedger(knex: Knex): Promise<void> {
  await knex.raw(
    'create table if not exists schema_migrations (name varchar(64) not null primary key, applied_at_ms bigint not null)',
  );
}

/** A transaction holds SQLite's write lock from its start; MySQL has a lock by name that dies with its connection. */
async function lock(transaction: Knex.Transaction): Promise<void> {
  if (!isMysql(transaction)) return;
  const [[row]] = await transaction.raw(`select get_lock(${lockOfDatabase}, ?) as taken`, [lockName, lockWaitSeconds]);
  if (row.taken !== 1) throw new Error(`another process has been migrating for ${lockWaitSeconds} seconds`);
}

async function unlock(transaction: Knex.Transaction): Promise<void> {
  if (isMysql(transaction)) await transaction.raw(`select release_lock(${lockOfDatabase})`, [lockName]);
}
