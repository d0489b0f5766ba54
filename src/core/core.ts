import type { Logger } from 'pino';
import { createDevelopmentKey, type DevelopmentKey } from '../accounts/development-key.js';
import { type Closable, type Keep, startAll } from '../lifecycle/closing.js';
import type { Config } from '../config/config.js';
import type { Operate, OperationId, Output } from '../contract.js';
import type { Worker } from '../delivery/worker.js';
import type { WorkerLoad } from '../delivery/worker-load.js';
import { createIngest } from '../ingest/ingest.js';
import type { PreparedReading } from '../ingest/prepared-reading.js';
import { createAdmitSession } from '../limits/new-session-limit.js';
import { openNewSessionWindow } from '../limits/windows.js';
import { createThreadLoad, type ThreadLoad } from '../metrics/thread-load.js';
import { createOperations, type Operations } from '../operations/index.js';
import type { Services } from '../operations/services.js';
import { startRetention } from '../retention/purge.js';
import type { KeyTable } from '../store/keys.js';
import { openStore, type Store } from '../store/store.js';
import type { UsageTable } from '../store/usage.js';
import type { CacheLookups } from '../store/row-cache.js';
import type { ChangedSession } from '../store/stream-readings.js';
import { beginExport, type ExportPage, type ExportPosition, type ExportScope, readExportPage } from '../export/page.js';
import { type Page, type PageRequest, readPage } from '../stream/page.js';
import { createDigestId } from '../tokens/digest-id.js';
import { createSessionTokens } from '../tokens/session-token.js';
import { type Foundation, openFoundation, startWorkerOn } from './foundation.js';
import { replaceSecretsKey } from './secrets-keys.js';
import { findWarnings } from './warnings.js';

/**
 * The part of the service that uses the database. Every function takes and returns plain data, so that the core can run
 * on a separate thread.
 */
export interface Core extends Closable {
  readonly operate: Operate;
  readonly findKeys: KeyTable['byHashes'];
  readonly findKey: KeyTable['find'];
  readonly recordKeyUse: KeyTable['recordUse'];
  readonly usageTotals: UsageTable['totalsOf'];
  readonly addUsage: UsageTable['add'];
  /** Warnings for the operator about the database and webhooks, each with its remedy. */
  warnings(): Promise<string[]>;
  /**
   * Starts the delivery of webhooks, which only a serving process may start. Resolves with the development key that was
   * created for an empty embedded database. The key is shown only once.
   */
  begin(): Promise<DevelopmentKey | undefined>;
  /** Returns the next events of a stream. */
  readPage(request: PageRequest): Promise<Page>;
  /** Returns the start of an export. Rejects with a ProblemError if there is no data. */
  beginExport(scope: ExportScope, cursor: number | undefined): Promise<ExportPosition>;
  readExportPage(scope: ExportScope, from: ExportPosition): Promise<ExportPage>;
  findStreamHeads: Store['findStreamHeads'];
  /** Returns the account's sessions with readings after a position. */
  changedSessions(accountId: string, position: number): Promise<ChangedSession[]>;
  /** Turns the calls of `wakeStreams` on or off. */
  notifyStreams(isOn: boolean): Promise<void>;
  /** Number of readings that wait for their group. */
  waiting(): Promise<number>;
  /** Age of the oldest event that is not yet expanded to deliveries. 0 if there is none. */
  outboxAgeSeconds(): Promise<number>;
  /** How long the oldest due delivery has been waiting. 0 if there is none. */
  dueAgeSeconds(): Promise<number>;
  /** Pending and failed deliveries of all accounts. */
  deliveryCounts: Foundation['deliveryCounts'];
  /** How far the clock of this process is ahead of the database's clock. Negative if it is behind. */
  clockAheadSeconds(): Promise<number>;
  /** Event-loop lag and heap of the thread that runs the core. */
  threadLoad(): Promise<ThreadLoad>;
  /** Lookups of the caches of sessions and subjects since the start. */
  cacheLookups(): Promise<Readonly<Record<string, CacheLookups>>>;
  /** Load of the delivery worker. Undefined in a process without one. */
  workerLoad(): Promise<WorkerLoad | undefined>;
}

/** Notifications from the core to the HTTP thread. */
export interface CoreHost {
  /**
   * Called after each commit while `notifyStreams` is on. Each entry is the account and session of a committed reading,
   * separated by a space.
   */
  readonly wakeStreams: (sessions: readonly string[]) => void;
  readonly observeGroup: (size: number) => void;
  readonly observeAttempt: (outcome: 'delivered' | 'failed', seconds: number) => void;
}

export interface CoreParts {
  readonly config: Config;
  readonly log: Logger;
  /** The clock of this process, epoch ms. */
  readonly now: () => number;
  /** Replaces the clock of the database server. Tests use it, because their clock is manual. */
  readonly databaseNow?: () => number;
  readonly host: CoreHost;
  /** Maximum pause of the delivery worker between two queries, ms. Events of this process end the pause early. */
  readonly pollMs?: number;
}

const defaultPollMs = 1_000;

export type StartCore = (parts: CoreParts) => Promise<Core>;

/** Starts the core on this thread. Rejects when a part fails to start, after closing the parts that started. */
export const startCore: StartCore = async (parts) => {
  const { result, close } = await startAll((keep) => start(keep, parts));
  return { ...result, close };
};

async function start(keep: Keep, parts: CoreParts): Promise<Omit<Core, 'close'>> {
  const { config, log, host } = parts;
  const foundation = await openFoundation(keep, config, parts);
  const { store, now } = foundation;
  keep(startRetention(store, config.retention, foundation.clock, log));
  const threadLoad = keep(createThreadLoad());
  let worker: Worker | undefined;
  // Closed after ingest, so that the worker still delivers ingest's last events.
  keep({ close: async () => worker?.close() });
  const wakeWorker = () => worker?.wake();
  const { observeGroup } = host;
  // SQLite allows only one write transaction at a time.
  const hasConcurrentWriters = config.database.kind !== 'sqlite';
  let isNotifying = false;
  const onCommitted = (group: readonly PreparedReading[]) => {
    if (isNotifying) host.wakeStreams([...new Set(group.map((it) => `${it.accountId} ${it.sessionId}`))]);
  };
  const digestId = createDigestId(foundation.secretsKeys);
  const ingest = keep(
    createIngest({ store, hasConcurrentWriters, now, digestId, onEvents: wakeWorker, onCommitted, observeGroup }),
  );
  const newSessions = keep(await openNewSessionWindow({ ...config, log }));
  const admitSession = createAdmitSession(store, newSessions.count, config.quotas.newSessions === 0);
  const operations = operationsOn(foundation, { ingest, admitSession, wakeWorker, digestId }, parts);
  return {
    operate: operateWith(operations),
    findKeys: store.keys.byHashes,
    findKey: store.keys.find,
    recordKeyUse: store.keys.recordUse,
    usageTotals: store.usage.totalsOf,
    addUsage: store.usage.add,
    warnings: () => findWarnings(store, config, now()),
    async begin() {
      const developmentKey = await ensureDevelopmentKey(store, config, now());
      await replaceSecretsKey(store, foundation.secretsKeys, log, now());
      const { pollMs = defaultPollMs } = parts;
      if (config.hasWorker)
        worker = startWorkerOn(foundation, { config, log, pollMs, observeAttempt: host.observeAttempt });
      return developmentKey;
    },
    readPage: ({ accountId, ...request }) => readPage(store.read(accountId), request),
    beginExport: (scope, cursor) => beginExport(store, scope, cursor),
    readExportPage: (scope, from) => readExportPage(store.read(scope.accountId), scope, from),
    findStreamHeads: store.findStreamHeads,
    changedSessions: (accountId, position) => store.read(accountId).stream.changedAfter(position),
    async notifyStreams(isOn) {
      isNotifying = isOn;
    },
    waiting: async () => ingest.waiting(),
    outboxAgeSeconds: foundation.outboxAgeSeconds,
    dueAgeSeconds: foundation.dueAgeSeconds,
    deliveryCounts: foundation.deliveryCounts,
    clockAheadSeconds: async () => foundation.clock.aheadMs() / 1000,
    threadLoad: async () => threadLoad.read(),
    cacheLookups: async () => store.cacheLookups(),
    workerLoad: async () => worker?.load(),
  };
}

function operationsOn(
  { store, secretsKeys, secretBox, resolveName, now }: Foundation,
  intake: Pick<Services, 'ingest' | 'admitSession' | 'wakeWorker' | 'digestId'>,
  { config: { targetPolicy }, log }: CoreParts,
): Operations {
  const sessionTokens = createSessionTokens(secretsKeys);
  return createOperations({ store, sessionTokens, secretBox, targetPolicy, resolveName, now, log, ...intake });
}

/** Runs an operation by id. The cast is safe, because the input was validated against the same operation. */
function operateWith(operations: Operations): Operate {
  return async (operationId, input, caller) => {
    const operation = operations[operationId as keyof Operations] as (
      ...args: readonly unknown[]
    ) => Promise<Output<OperationId>>;
    const { status, body, refusals, tokenRefusals } = await operation(input, caller);
    // Serialized on this thread: a string crosses to another thread faster than an object, which would be cloned.
    return { status, json: body === undefined ? undefined : JSON.stringify(body), refusals, tokenRefusals };
  };
}

/** Creates a development key if the embedded database is empty, so that the service is usable immediately. */
async function ensureDevelopmentKey(
  { keys }: Store,
  { database }: Config,
  nowMs: number,
): Promise<DevelopmentKey | undefined> {
  if (database.kind !== 'sqlite' || (await keys.hasAccount())) return undefined;
  // This kind of connection waits several seconds for the lock of another process.
  const administration = openStore(database, 'administration');
  return createDevelopmentKey(administration.keys, nowMs).finally(administration.close);
}
