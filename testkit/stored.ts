import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readConfig } from '../src/config/config.js';
import { requireSecretsKeys } from '../src/config/secrets-key.js';
import type { ErasureParts } from '../src/retention/erase.js';
import { openDatabase } from '../src/store/database.js';
import { createDigestId } from '../src/store/erased-ids.js';
import { settingsFor, type TestDatabase } from './databases.js';
import type { TestService } from './service.js';

const tables = [
  'accounts',
  'api_keys',
  'sessions',
  'session_readings',
  'late_readings',
  'subjects',
  'triggers',
  'erasures',
  'webhooks',
  'outbox',
  'deliveries',
  'idempotency_keys',
  'erased_ids',
  'subject_hours',
  'access_entries',
  'access_chains',
  'access_subjects',
  'receipt_keys',
  'feedback',
  'consents',
  'schema_migrations',
];

/** Returns all stored data as text. On SQLite, the text includes the bytes of its files with their free pages. */
export async function everythingStored({ url }: TestDatabase): Promise<string> {
  const config = readConfig({ DATABASE_URL: url }).database;
  const knex = openDatabase(config);
  const rows = await Promise.all(tables.map((table) => knex(table).select()));
  await knex.destroy();
  if (config.kind === 'mysql') return JSON.stringify(rows);
  const folder = dirname(config.file);
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
  return JSON.stringify(rows) + files.join('');
}

/** Returns the parts of the service that an erasure requires, with another store if given. */
export function erasing({ store, clock, database }: TestService, other = store): ErasureParts {
  const secretsKeys = requireSecretsKeys(readConfig(settingsFor(database.url)));
  return { store: other, digestId: createDigestId(secretsKeys), now: clock.now };
}
