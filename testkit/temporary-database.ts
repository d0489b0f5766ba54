import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { readConfig } from '../src/config/config.js';
import { openDatabase } from '../src/store/database.js';
import { createTestDatabase, type DatabaseKind, type TestDatabase } from './databases.js';

/** Creates an empty database that is dropped when the test ends. */
export async function temporaryDatabase(kind?: DatabaseKind): Promise<TestDatabase> {
  const database = await createTestDatabase(kind);
  onTestFinished(database.drop);
  return database;
}

/** Opens connections to a database, which are closed when the test ends. */
export function openKnex(url: string): Knex {
  const knex = openDatabase(readConfig({ DATABASE_URL: url }).database);
  onTestFinished(() => knex.destroy());
  return knex;
}
