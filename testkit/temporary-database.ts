import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { readConfig } from '../src/config/config.js';
import { openDatabase } from '../src/store/database.js';
import { createTransact, type Store } from '../src/store/store.js';
import { createTestDatabase, type DatabaseKind, type TestDatabase } from './databases.js';
import { createMigratedDatabase } from './migrated-database.js';

/** Creates an empty database that is dropped when the test ends. */
export async function temporaryDatabase(kind?: DatabaseKind): Promise<TestDatabase> {
  const database = await createTestDatabase(kind);
  onTestFinished(database.drop);
  return database;
}

/** Creates a database with all tables and no rows that is dropped when the test ends. */
export async function migratedDatabase(): Promise<{ url: string; env: Record<string, string> }> {
  const { url, drop } = await createMigratedDatabase();
  onTestFinished(drop);
  return { url, env: { DATABASE_URL: url } };
}

/** Opens a database with all tables and no rows, without a service, until the test ends. */
export async function openMigrated(): Promise<{ readonly knex: Knex; readonly store: Store }> {
  const knex = openKnex((await migratedDatabase()).url);
  return { knex, store: { transact: createTransact(knex), run: (work) => work(knex) } as Store };
}

/** Opens connections to a database, which are closed when the test ends. */
export function openKnex(url: string): Knex {
  const knex = openDatabase(readConfig({ DATABASE_URL: url }).database);
  onTestFinished(() => knex.destroy());
  return knex;
}
