import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { startCoding } from '../access-record/chain.js';
import type { Config, DatabaseConfig } from '../config/config.js';
import { runStartStep } from '../observe/start.js';
import { withStoredRetention } from '../retention/shortened.js';
import { findMatchingKeys } from '../serve/secrets-keys.js';
import { describeMissing } from '../store/missing-parts.js';
import { openStore, type Store } from '../store/store.js';

export type WithStore = (work: (store: Store, config: Config) => Promise<void>) => Promise<void>;

/**
 * Migrates the configured database and runs work on its store. With `repairs`, first creates what is missing. Creates an
 * embedded database only with `mayCreate`, because a command in another folder than the service would otherwise change a
 * new database without notice.
 */
export async function withStore(
  config: Config,
  work: (store: Store, config: Config) => Promise<void>,
  mayCreate: boolean,
  repairs = false,
): Promise<void> {
  const { database } = config;
  const isNew = database.kind === 'sqlite' && !existsSync(database.file);
  if (!mayCreate) requireDatabase(database);
  await onStore(database, async (store) => {
    const missing = await runStartStep('DATABASE_URL', () => store.migrate(repairs));
    if (repairs) for (const part of missing) console.error(`Created ${part}.`);
    else if (missing.length > 0) console.error(`warning: ${describeMissing(missing)}`);
    if (isNew) console.error(`Created the database ${resolve(database.file)}.`);
    // A command may run without the keys. It then writes rows without codes.
    const keys = await findMatchingKeys(store, config).catch(() => undefined);
    if (keys) await startCoding(store, keys, config.retention.accessesMs > 0, Date.now);
    await work(store, await withStoredRetention(store, config));
  });
}

/** Runs work on the store of a database with the timeouts of commands, then closes the store. */
export async function onStore<T>(database: DatabaseConfig, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await runStartStep('DATABASE_URL', () => openStore(database, 'administration'));
  return work(store).finally(store.close);
}

/** Throws unless the database exists. To open a missing file would create an empty database. */
export function requireDatabase(database: DatabaseConfig): void {
  if (database.kind === 'mysql' || existsSync(database.file)) return;
  const file = resolve(database.file);
  throw new Error(
    `there is no database at ${file}: set DATABASE_URL to that of the service, or start the service first`,
  );
}
