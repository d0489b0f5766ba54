import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createCallerOf } from './accounts/caller-of.js';
import { createKey } from './accounts/manage.js';
import type { Config } from './config.js';
import { loadTopicModel } from './domain/topics/extract.js';
import { createApp } from './http/app.js';
import { loadContractDocument } from './http/contract-document.js';
import { createIngest } from './ingest/ingest.js';
import { createOperations } from './operations/index.js';
import { startRetention } from './retention/purge.js';
import { secretsKeyOf } from './secrets.js';
import { openStore, type Store } from './store/store.js';
import { isTransient } from './store/transient.js';

/** How long requests under way may take to finish once the service closes. */
const graceMs = 8_000;

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
  const { config, log, now = Date.now } = parts;
  const contract = await loadContractDocument(new URL('openapi.yaml', parts.root));
  const topicModel = loadTopicModel(await readFile(new URL('src/domain/topics/weights.bin', parts.root)));
  const store = openStore(config.database);
  try {
    await store.migrate();
    const developmentKey = await ensureDevelopmentKey(store, config, now());
    const ingest = createIngest({ store, topicModel, digestKey: secretsKeyOf(config), now });
    const closing = new AbortController();
    const app = await createApp({
      contract,
      operations: createOperations({ store, ingest, now, maxTimestampAgeMs: config.maxTimestampAgeMs }),
      callerOf: createCallerOf(store.keys, now),
      log,
      isClosing: () => closing.signal.aborted,
      isTransient,
      validateResponses: parts.validateResponses ?? false,
    });
    const server = createServer(app);
    const underWay = trackRequests(server);
    await listen(server, config);
    const retention = startRetention(store, now, log);
    return {
      url: urlOf(server, config.host),
      developmentKey,
      warnings: await findWarnings(store, config),
      async close() {
        closing.abort();
        await Promise.race([underWay(), sleep(graceMs, undefined, { ref: false })]);
        await closeServer(server);
        await ingest.close();
        await retention.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
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

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Asked, it waits for the requests that are under way at that moment. */
function trackRequests(server: Server): () => Promise<unknown> {
  const underWay = new Set<ServerResponse>();
  server.on('request', (_request, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return () => Promise.all([...underWay].map((response) => once(response, 'close')));
}

/** By now every request that began in time has its answer; connections that still hang are cut off. */
function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}
