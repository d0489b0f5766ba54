import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { startCoding } from '../../access-record/chain.js';
import type { Config, DatabaseConfig, SecretsKeys } from '../../config/config.js';
import { computeCheckValue } from '../../config/secrets-key.js';
import {
  addErasures,
  type Erasures,
  buildSharedErasureFilePath,
  buildErasureFilePath,
  readErasures,
  saveErasures,
  writeErasures,
} from '../../retention/erasure-file.js';
import { findMissingErasures, reapplyErasures } from '../../retention/reapply-erasures.js';
import { createDigestId, createErasedIdRecord } from '../../store/erased-ids.js';
import { createSecretsKeyTable } from '../../store/secrets-key.js';
import type { Store } from '../../store/store.js';
import { onStore, requireDatabase } from '../with-store.js';

/** Adds the erasures of the database to the record in a folder of backups. */
export async function recordErasures({ database, retention }: Config, folder: string): Promise<void> {
  requireDatabase(database);
  await onStore(database, (store) =>
    saveErasures(store, buildSharedErasureFilePath(folder), Date.now() - retention.erasuresMs),
  );
}

/**
 * Returns the erasures that are recorded beside a backup, beside the embedded database, and in the database that the
 * restore replaces. Prints what cannot be read.
 */
export async function collectErasures(
  { database, retention }: Config,
  backup: string,
  replacesDatabase: boolean,
): Promise<Erasures> {
  const sinceMs = Date.now() - retention.erasuresMs;
  const record: Erasures = new Map();
  const files = [buildSharedErasureFilePath(dirname(resolve(backup)))];
  if (database.kind === 'sqlite') files.push(buildErasureFilePath(database.file));
  for (const file of files) {
    const { erasures, damagedLines } = readErasures(file);
    addErasures(record, erasures.values());
    if (damagedLines > 0) console.error(`warning: ${damagedLines} lines of ${file} are damaged and were ignored`);
  }
  if (replacesDatabase)
    await onStore(database, async (store) => {
      for await (const page of store.iterate((knex) => createErasedIdRecord(knex).since(sinceMs)))
        addErasures(record, page);
    }).catch((error: Error) =>
      console.error(
        `warning: the erasures in the present database cannot be read (${error.message.split('\n')[0]}). Those of its ` +
          `records are applied: ${files.filter((it) => existsSync(it)).join(', ') || 'there is none'}`,
      ),
    );
  return new Map([...record].filter(([, { erasedAtMs }]) => erasedAtMs >= sinceMs));
}

export function saveRecord(backup: string, erasures: Erasures): void {
  const file = buildSharedErasureFilePath(dirname(resolve(backup)));
  if (erasures.size > 0) writeErasures(file, [...erasures.values()]);
}

export interface RestoredDatabase {
  readonly database: DatabaseConfig;
  readonly secretsKeys: readonly string[];
  /** True to continue if erasures cannot be applied, because there is no key. */
  readonly isKeyLost: boolean;
}

/** Applies the recorded erasures to a restored database. Resolves with a sentence about the result. */
export async function applyErasures(restored: RestoredDatabase, record: Erasures): Promise<string> {
  const { database, secretsKeys, isKeyLost } = restored;
  const none = 'No person was erased since.';
  if (record.size === 0) return none;
  const apply = async (store: Store) => {
    await store.migrate();
    const parts = { store, digestId: createDigestId(secretsKeys), now: Date.now };
    const missing = await findMissingErasures(parts, record);
    if (missing.size === 0) return none;
    if (!(await fits(store, secretsKeys))) {
      const lost = `${missing.size} erased ids cannot be found in the backup without its secrets key`;
      if (!isKeyLost) throw new Error(`${lost}: set SECRETS_KEY, or pass --unverified to bring these people back`);
      return `warning: ${lost}. Erase these people again.`;
    }
    await startCoding(store, secretsKeys as SecretsKeys, true, Date.now);
    const count = await reapplyErasures(parts, missing);
    return `Erased again who was erased since: ${count === 1 ? '1 person' : `${count} people`}.`;
  };
  return onStore(database, async (store) => {
    const outcome = await apply(store);
    // A restore moves the database file without its log. libsql closes a database late, so closing does not merge the log.
    await store.sqliteFiles.merge();
    return outcome;
  });
}

/** Returns true if one of the keys is the key that the database was used with. */
async function fits(store: Store, secretsKeys: readonly string[]): Promise<boolean> {
  const stored = await store.use(createSecretsKeyTable).find();
  return stored ? secretsKeys.some((key) => computeCheckValue(key) === stored.checkValue) : secretsKeys.length > 0;
}
