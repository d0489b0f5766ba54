import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { createCallerOf } from './accounts/caller-of.js';
import { createKey } from './accounts/manage.js';
import type { Config } from './config.js';
import { loadTopicModel, type TopicModel } from './domain/topics/extract.js';
import { createApp } from './http/app.js';
import { type ContractDocument, loadContractDocument } from './http/contract-document.js';
import { startServer } from './http/server.js';
import { createIngest } from './ingest/ingest.js';
import { createOperations } from './operations/index.js';
import { startRetention } from './retention/purge.js';
import { secretsKeyOf } from './secrets.js';
import { starting } from './start-error.js';
import { openStore, type Store } from './store/store.js';
import { isTransient } from './store/transient.js';

export interface ServiceParts {
  readonly config: Config;
  /** The folder of the project, with openapi.yaml and the weights by which topics are told. */
  readonly root: URL;
  readonly log: Logger;
  /** The clock, epoch ms; tests make their own. */
  readonly now?: () => number;
  readonly validateResponses?: boolean;
}

export interface Service {
  readonly url: string;
  /** The key made for an empty embedded database; shown once. */
  readonly developmentKey: string | undefined;
  /** What an operator should know about this deployment, each with its remedy. */
  readonly warnings: readonly string[];
  /** Finishes what is under way, answers whatever comes meanwhile with 503, and lets everything go. */
  close(): Promise<void>;
}

/** Builds the service from its parts and starts it; rejects, with everything let go again, when a part does not start. */
export async function startService(parts: ServiceParts): Promise<Service> {
  // Read first: they cost nothing to let go.
  const contract = await starting('openapi.yaml', () => loadContractDocument(new URL('openapi.yaml', parts.root)));
  const topicModel = loadTopicModel(await readFile(new URL('src/domain/topics/weights.bin', parts.root)));
  const store = await starting('DATABASE_URL', () => openStore(parts.config.database));
  try {
    return await startOn(store, contract, topicModel, parts);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function startOn(
  store: Store,
  contract: ContractDocument,
  topicModel: TopicModel,
  { config, log, now = Date.now, validateResponses = false }: ServiceParts,
): Promise<Service> {
  await starting('DATABASE_URL', store.migrate);
  const warnings = await findWarnings(store, config);
  const developmentKey = await ensureDevelopmentKey(store, config, now());
  const digestKey = await starting('SECRETS_KEY', () => secretsKeyOf(config));
  const ingest = createIngest({ store, topicModel, digestKey, now });
  const operations = createOperations({ store, ingest, now, maxTimestampAgeMs: config.maxTimestampAgeMs });
  const callerOf = createCallerOf(store.keys, now);
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;
  const app = await createApp({ contract, operations, callerOf, log, isClosing, isTransient, validateResponses });
  const server = await starting('HOST and PORT', () => startServer(app, config));
  const retention = startRetention(store, now, log);
  return {
    url: server.url,
    developmentKey,
    warnings,
    async close() {
      closing.abort();
      await server.close();
      await ingest.close();
      await retention.close();
      await store.close();
    },
  };
}

/** So that the first start of an embedded service can be used at once. */
async function ensureDevelopmentKey(store: Store, { database }: Config, nowMs: number): Promise<string | undefined> {
  if (database.kind !== 'sqlite' || (await store.keys.hasAccount())) return undefined;
  const { key } = await createKey(store.keys, { account: 'development', tier: 'enterprise' }, nowMs);
  return key;
}

async function findWarnings(store: Store, { database, secretsKey }: Config): Promise<string[]> {
  const isKeyDerived = database.kind === 'mysql' && secretsKey === undefined;
  return [
    ...(isKeyDerived ? ['SECRETS_KEY is not set: it is derived from DATABASE_URL and changes with it'] : []),
    ...((await store.isDurable())
      ? []
      : ['innodb_flush_log_at_trx_commit is not 1: the server may lose acknowledged readings at power loss']),
  ];
}
