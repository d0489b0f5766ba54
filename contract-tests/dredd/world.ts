import { tiers } from '../../generated/spec.js';
import { readConfig } from '../../src/config.js';
import { openStore, type Store } from '../../src/store/store.js';
import { createTestDatabase, type DatabaseKind } from '../support/databases.js';
import { type DatabaseFaults, openDatabaseFaults } from './database-faults.js';
import { createServiceProcess, runCommand, type ServiceProcess } from './service-process.js';
import { type Undo, undoAll } from './undo-all.js';

const callsAtOnce = 20;

/** The real service on a database of its own, and the means to disturb both. */
export interface World {
  readonly kind: DatabaseKind;
  /** The database, as another process of the service uses it. */
  readonly store: Store;
  readonly service: ServiceProcess;
  readonly faults: DatabaseFaults;
  /** A key of an account without limits. */
  readonly key: string;
  /** Keys of the same account with the scope of their name only. */
  readonly ingestKey: string;
  readonly readKey: string;
  /** A key of an account that has made all of its calls of this month. */
  readonly spentKey: string;
  /** Ends what was started, in reverse order; to be called once. */
  close(): Promise<void>;
}

export async function openWorld(kind: DatabaseKind): Promise<World> {
  const undos: Undo[] = [];
  const close = () => undoAll(undos);
  try {
    const database = await createTestDatabase(kind);
    undos.unshift(() => database.drop());
    // Before the first start, which would fill an empty embedded database with an account of its own.
    const createKey = (...options: readonly string[]) => runCommand(database.url, ['keys', 'create', ...options]);
    const key = await createKey('--account', 'dredd', '--tier', 'enterprise');
    const ingestKey = await createKey('--account', 'dredd', '--scopes', 'ingest');
    const readKey = await createKey('--account', 'dredd', '--scopes', 'read');
    const spentKey = await createKey('--account', 'spent', '--tier', 'free');
    // Once, and before the other connections: on POSIX, closing a file releases all locks that the process has on it.
    const store = openStore(readConfig({ DATABASE_URL: database.url }).database);
    undos.unshift(() => store.close());
    await store.keys.hasAccount();
    const service = createServiceProcess(database.url);
    undos.unshift(() => service.kill());
    await service.start();
    await spend(service.url, spentKey);
    const faults = await openDatabaseFaults(kind, database.url);
    undos.unshift(() => faults.close());
    return { kind, store, service, faults, key, ingestKey, readKey, spentKey, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes all the calls that the tier has, a few at a time; what is not found is a call as well. */
async function spend(url: string, key: string): Promise<void> {
  const call = async () => (await fetch(`${url}/v1/nothing`, { headers: { 'X-Service-Key': key } })).arrayBuffer();
  for (let made = 0; made < tiers.free.monthly_calls; made += callsAtOnce)
    await Promise.all(Array.from({ length: callsAtOnce }, call));
}
