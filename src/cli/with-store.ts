import type { Config } from '../config/config.js';
import { describeFault, StartError, starting } from '../lifecycle/start-error.js';
import { openStore, type Store } from '../store/store.js';
import { remedyOf } from '../store/transient.js';

/** Migrates the configured database and runs work on its store. */
export async function withStore({ database }: Config, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await starting('DATABASE_URL', () => openStore(database, 'administration'));
  try {
    await starting('DATABASE_URL', store.migrate);
    await work(store).catch((error: unknown) => {
      throw remedyOf(error) === undefined
        ? error
        : new StartError(describeFault('DATABASE_URL', error), { cause: error });
    });
  } finally {
    await store.close();
  }
}
