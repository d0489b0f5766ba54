import type { Config } from '../config.js';
import { starting } from '../start-error.js';
import { openStore, type Store } from '../store/store.js';

/** On the configured database, migrated first. */
export async function withStore({ database }: Config, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await starting('DATABASE_URL', () => openStore(database));
  try {
    await starting('DATABASE_URL', store.migrate);
    await work(store);
  } finally {
    await store.close();
  }
}
