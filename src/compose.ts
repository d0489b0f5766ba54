import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { createCallerOf } from './accounts/caller-of.js';
import { createKey } from './accounts/manage.js';
import { type Closable, type Keep, startAll } from './closing.js';
import type { Config } from './config.js';
import { createSecretBox, type SecretBox } from './delivery/secret-box.js';
import { startWorker, type Worker } from './delivery/worker.js';
import { loadTopicModel, type TopicModel } from './domain/topics/extract.js';
import { createApp } from './http/app.js';
import { type ContractDocument, loadContractDocument } from './http/contract-document.js';
import { startServer } from './http/server.js';
import { createIngest } from './ingest/ingest.js';
import { createMetrics, type Metrics } from './metrics/metrics.js';
import { startMetricsServer } from './metrics/server.js';
import { createLimits } from './limits/limits.js';
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
  /** Where Prometheus may ask; absent where no port is set for it. */
  readonly metricsUrl: string | undefined;
  /** The key made for an empty embedded database; shown once. */
  readonly developmentKey: string | undefined;
  /** What an operator should know about this deployment, each with its remedy. */
  readonly warnings: readonly string[];
  /** Finishes what is under way, answers whatever comes meanwhile with 503, and lets everything go. */
  close(): Promise<void>;
}

/** What serving and delivering begin with. */
interface Foundation {
  readonly store: Store;
  readonly secretsKey: string;
  readonly secretBox: SecretBox;
  readonly metrics: Metrics;
  readonly metricsUrl: string | undefined;
  readonly now: () => number;
}

/** Builds the service from its parts and starts it; rejects, with everything let go again, when a part does not start. */
export async function startService(parts: ServiceParts): Promise<Service> {
  // Read first: they cost nothing to let go.
  const contract = await starting('openapi.yaml', () => loadContractDocument(new URL('openapi.yaml', parts.root)));
  const topicModel = loadTopicModel(await readFile(new URL('src/domain/topics/weights.bin', parts.root)));
  const closing = new AbortController();
  const { result, close } = await startAll(async (keep) => {
    const foundation = await lay(keep, parts);
    return serve(keep, foundation, { contract, topicModel, isClosing: () => closing.signal.aborted }, parts);
  });
  return {
    ...result,
    close() {
      closing.abort();
      return close();
    },
  };
}

/** Delivers webhooks without serving: a process that runs beside others on one database. */
export async function startDelivery(parts: Omit<ServiceParts, 'root'>): Promise<Closable> {
  return startAll(async (keep) => keep(work(await lay(keep, parts), parts)));
}

async function lay(keep: Keep, { config, now = Date.now }: Omit<ServiceParts, 'root'>): Promise<Foundation> {
  const store = keep(await starting('DATABASE_URL', () => openStore(config.database)));
  await starting('DATABASE_URL', store.migrate);
  const secretsKey = await starting('SECRETS_KEY', () => secretsKeyOf(config));
  const metrics = createMetrics();
  watchOutbox(metrics, store, now);
  const metricsUrl = await serveMetrics(keep, metrics, config);
  return { store, secretsKey, secretBox: createSecretBox(secretsKey), metrics, metricsUrl, now };
}

interface Served {
  readonly contract: ContractDocument;
  readonly topicModel: TopicModel;
  readonly isClosing: () => boolean;
}

async function serve(
  keep: Keep,
  foundation: Foundation,
  { contract, topicModel, isClosing }: Served,
  parts: ServiceParts,
): Promise<Omit<Service, 'close'>> {
  const { store, secretsKey, secretBox, metrics, metricsUrl, now } = foundation;
  const { config, root, log, validateResponses = false } = parts;
  const { targetPolicy, maxTimestampAgeMs } = config;
  const warnings = await findWarnings(store, config);
  keep(startRetention(store, now, log));
  let worker: Worker | undefined;
  // Let go after those whose events it delivers.
  keep({ close: async () => worker?.close() });
  const wakeWorker = () => worker?.wake();
  const { observeRequest, observeRefusal, observeGroup } = metrics;
  const ingest = keep(
    createIngest({ store, topicModel, digestKey: secretsKey, now, onEvents: wakeWorker, observeGroup }),
  );
  metrics.gauge('ingest_queue_depth', 'Readings that wait for their group.', ingest.waiting);
  const { quotas, redisUrl } = config;
  const limits = keep(await createLimits({ quotas, redisUrl, store, now, log }));
  const { admitSession } = limits;
  const services = { store, ingest, admitSession, now, maxTimestampAgeMs, secretBox, targetPolicy, wakeWorker };
  const app = await createApp({
    ...config,
    root,
    contract,
    operations: createOperations(services),
    callerOf: createCallerOf(store.keys, now),
    limits,
    log,
    observeRequest,
    observeRefusal,
    isClosing,
    isTransient,
    validateResponses,
  });
  const { url } = keep(await starting('HOST and PORT', () => startServer(app, config)));
  // After the port: a process that cannot serve must neither use up the key that is shown once nor begin to send.
  const developmentKey = await ensureDevelopmentKey(store, config, now());
  if (config.hasWorker) worker = work(foundation, parts);
  return { url, metricsUrl, developmentKey, warnings: [...warnings, ...limits.warnings] };
}

function work({ store, secretBox, metrics, now }: Foundation, { config, log }: Omit<ServiceParts, 'root'>): Worker {
  const { targetPolicy } = config;
  return startWorker({ store, secretBox, targetPolicy, now, log, observeAttempt: metrics.observeAttempt });
}

function watchOutbox(metrics: Metrics, store: Store, now: () => number): void {
  metrics.gauge('webhook_outbox_age_seconds', 'Age of the oldest event that waits to be expanded.', async () => {
    const oldestMs = await store.findOldestEvent();
    return oldestMs === undefined ? 0 : (now() - oldestMs) / 1000;
  });
}

/** Where the deployment wants them. */
async function serveMetrics(keep: Keep, metrics: Metrics, { host, metricsPort }: Config): Promise<string | undefined> {
  if (metricsPort === undefined) return undefined;
  return keep(await starting('METRICS_PORT', () => startMetricsServer(metrics, host, metricsPort))).url;
}

/** So that the first start of an embedded service can be used at once. */
async function ensureDevelopmentKey(store: Store, { database }: Config, nowMs: number): Promise<string | undefined> {
  if (database.kind !== 'sqlite' || (await store.keys.hasAccount())) return undefined;
  const { key } = await createKey(store.keys, { account: 'development', tier: 'enterprise' }, nowMs);
  return key;
}

async function findWarnings(store: Store, { database, secretsKey, targetPolicy }: Config): Promise<string[]> {
  const isKeyDerived = database.kind === 'mysql' && secretsKey === undefined;
  return [
    ...(targetPolicy.allowLoopback
      ? ['webhooks may go to this machine itself: set WEBHOOK_ALLOW_LOOPBACK=0 where strangers hold keys']
      : []),
    ...(isKeyDerived ? ['SECRETS_KEY is not set: it is derived from DATABASE_URL and changes with it'] : []),
    ...((await store.isDurable())
      ? []
      : ['innodb_flush_log_at_trx_commit is not 1: the server may lose acknowledged readings at power loss']),
  ];
}
