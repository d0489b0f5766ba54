import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { appendErasures, nameErasureFile, saveErasures } from '../retention/erasure-file.js';
import type { StoredErasure } from '../store/erased-ids.js';
import type { Store } from '../store/store.js';

const failed = 'erasures not recorded beside the database: a restore requires them if the database is lost';

/**
 * Brings the record of erasures beside an embedded database up to date. Returns a function that adds erasures. MySQL has
 * no such file: `backup` records its erasures in the folder of backups.
 */
export async function openErasureRecord(
  store: Store,
  { database, retention }: Config,
  log: Logger,
): Promise<((erasures: readonly StoredErasure[]) => void) | undefined> {
  if (database.kind !== 'sqlite') return undefined;
  const file = nameErasureFile(database.file);
  await saveErasures(store, file, Date.now() - retention.erasuresMs).catch((error: unknown) =>
    log.warn({ err: error }, failed),
  );
  return (erasures) => {
    try {
      appendErasures(file, erasures);
    } catch (error) {
      log.warn({ err: error }, failed);
    }
  };
}
