import { tiers } from '../../generated/spec.js';
import { readConfig } from '../../src/config/config.js';
import { allScopes } from '../../src/keys/scopes.js';
import { toMonth } from '../../src/limits/monthly-calls.js';
import { createKeyTable } from '../../src/store/keys.js';
import { openStore, type Store } from '../../src/store/store.js';
import { createUsageTable } from '../../src/store/usage.js';
import { createTestDatabase, type DatabaseKind } from '../../testkit/databases.js';
import { runCommand, type ServiceProgram, startServiceProgram } from '../../testkit/program.js';
import { type DatabaseFaults, openDatabaseFaults } from './database-faults.js';
import { type Undo, undoAll } from './undo-all.js';

const dayMs = 86_400_000;

/** The service with its own database, and functions that disturb both of them. */
export interface World {
  readonly kind: DatabaseKind;
  /** Store with a separate connection to the database, like that of another process. */
  readonly store: Store;
  readonly service: RestartableService;
  readonly faults: DatabaseFaults;
  /** A key of an account without limits. */
  readonly key: string;
  /** Keys of the same account, each with only the scope in its name. */
  readonly ingestKey: string;
  readonly readKey: string;
  /** A key of an account whose monthly quota is used up. */
  readonly spentKey: string;
  /** A source key of the same account. */
  readonly spentSourceKey: string;
  /** Stops everything in reverse order. Must be called once. */
  close(): Promise<void>;
}

export async function openWorld(kind: DatabaseKind): Promise<World> {
  const undos: Undo[] = [];
  const close = () => undoAll(undos);
  try {
    const database = await createTestDatabase(kind);
    undos.unshift(() => database.drop());
    // Called before the first start of the service, which would otherwise create another account in an empty embedded
    // database.
    const createKey = (...options: readonly string[]) => runCommand(database.url, ['keys', 'create', ...options]);
    const key = await createKey('--account', 'dredd', '--tier', 'enterprise', '--scopes', allScopes.join(','));
    await runCommand(database.url, ['accounts', 'set', 'dredd', 'consent', 'record']);
    const ingestKey = await createKey('--account', 'dredd', '--scopes', 'ingest');
    const readKey = await createKey('--account', 'dredd', '--scopes', 'read');
    const spentKey = await createKey('--account', 'spent', '--tier', 'free', '--scopes', allScopes.join(','));
    const ofPerson = ['--subject', 'spent', '--source', 'health_auto_export'];
    const spentSourceKey = await createKey('--account', 'spent', ...ofPerson);
    // Opened first and only once. On POSIX, closing a file releases all locks of the process on this file.
    const store = openStore(readConfig({ DATABASE_URL: database.url }).database);
    undos.unshift(() => store.close());
    await spend(store, 'spent');
    const service = await startRestartable(database.url);
    undos.unshift(async () => void (await service.stop('SIGKILL')));
    const faults = await openDatabaseFaults(kind, database.url);
    undos.unshift(() => faults.close());
    return { kind, store, service, faults, key, ingestKey, readKey, spentKey, spentSourceKey, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface RestartableService extends ServiceProgram {
  /** Waits for a clean exit and starts the service again, on another port. */
  restart(): Promise<void>;
}

async function startRestartable(databaseUrl: string): Promise<RestartableService> {
  // The scenarios start more sessions per minute than the default limit allows for a key.
  const limits = { LIMIT_NEW_SESSIONS_PER_MINUTE: '0', PUBLIC_URL: 'https://state.example.com' };
  const start = () =>
    startServiceProgram({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', WEBHOOK_ALLOW_LOOPBACK: '1', ...limits });
  const service: RestartableService = {
    ...(await start()),
    async restart() {
      const { code, stderr } = await service.ended;
      if (code !== 0) throw new Error(`the service ended with ${code}\n${stderr}`);
      Object.assign(service, await start());
    },
  };
  return service;
}

/** Uses up the monthly quota of the account, also that of the next month, which may begin before Dredd ends. */
async function spend(store: Store, name: string): Promise<void> {
  const accountId = (await store.use(createKeyTable).accountByName(name))?.accountId ?? '';
  const months = new Set([Date.now(), Date.now() + dayMs].map(toMonth));
  const calls = tiers.free.monthly_calls;
  await store.use(createUsageTable).add([...months].map((month) => ({ accountId, month, calls })));
}
