import type { Logger } from 'pino';
import { createKey } from '../accounts/manage.js';
import { type Closable, type Keep, startAll } from '../closing.js';
import type { Config } from '../config.js';
import type { Operate, OperationId, Output } from '../contract.js';
import type { Worker } from '../delivery/worker.js';
import { createIngest, type Ingest } from '../ingest/ingest.js';
import { type AdmitSession, createAdmitSession } from '../limits/new-session-limit.js';
import { openNewSessionWindow } from '../limits/windows.js';
import { createOperations, type Operations } from '../operations/index.js';
import { startRetention } from '../retention/purge.js';
import type { KeyTable } from '../store/keys.js';
import type { Store } from '../store/store.js';
import type { UsageTable } from '../store/usage.js';
import { type Foundation, layFoundation, startWorkerOn } from './foundation.js';
import { findWarnings } from './warnings.js';

/**
 * What the shell of the service (HTTP, keys, limits) asks of its core: all that touches the database. Every function
 * takes and gives plain data, so that the core may run on a thread of its own.
 */
export interface Core extends Closable {
  readonly operate: Operate;
  readonly findKeys: KeyTable['byHashes'];
  readonly recordKeyUse: KeyTable['recordUse'];
  readonly usageTotals: UsageTable['totalsOf'];
  readonly addUsage: UsageTable['add'];
  /** What an operator should know about the database and about webhooks, each with its remedy. */
  warnings(): Promise<string[]>;
  /**
   * Begins what only a process that serves may begin: deliveries. Resolves with the key made for an empty embedded
   * database, which is shown once.
   */
  begin(): Promise<string | undefined>;
  /** Readings that wait for their group. */
  waiting(): Promise<number>;
  /** Age of the oldest event that waits to be expanded, 0 where none does. */
  outboxAgeSeconds(): Promise<number>;
}

/** What the core notifies the shell of. */
export interface CoreHost {
  readonly observeGroup: (size: number) => void;
  readonly observeAttempt: (outcome: 'delivered' | 'failed', seconds: number) => void;
}

export interface CoreParts {
  readonly config: Config;
  readonly log: Logger;
  /** The clock, epoch ms. */
  readonly now: () => number;
  readonly host: CoreHost;
}

export type StartCore = (parts: CoreParts) => Promise<Core>;

/** Starts the core here; rejects, with everything let go again, when a part does not start. */
export const startCore: StartCore = async (parts) => {
  const { result, close } = await startAll((keep) => start(keep, parts));
  return { ...result, close };
};

async function start(keep: Keep, parts: CoreParts): Promise<Omit<Core, 'close'>> {
  const { config, now, log, host } = parts;
  const foundation = await layFoundation(keep, config, now);
  const { store } = foundation;
  keep(startRetention(store, now, log));
  let worker: Worker | undefined;
  // Let go after those whose events it delivers.
  keep({ close: async () => worker?.close() });
  const wakeWorker = () => worker?.wake();
  const { observeGroup } = host;
  const ingest = keep(createIngest({ store, now, onEvents: wakeWorker, observeGroup }));
  const newSessions = keep(await openNewSessionWindow({ ...config, log }));
  const admitSession = createAdmitSession(store, newSessions.count, config.quotas.newSessions === 0);
  const operations = operationsOn(foundation, { ingest, admitSession, wakeWorker }, parts);
  return {
    operate: operateWith(operations),
    findKeys: store.keys.byHashes,
    recordKeyUse: store.keys.recordUse,
    usageTotals: store.usage.totalsOf,
    addUsage: store.usage.add,
    warnings: () => findWarnings(store, config),
    async begin() {
      const developmentKey = await ensureDevelopmentKey(store, config, now());
      if (config.hasWorker) worker = startWorkerOn(foundation, { ...parts, observeAttempt: host.observeAttempt });
      return developmentKey;
    },
    waiting: async () => ingest.waiting(),
    outboxAgeSeconds: foundation.outboxAgeSeconds,
  };
}

function operationsOn(
  { store, secretBox }: Foundation,
  intake: { readonly ingest: Ingest; readonly admitSession: AdmitSession; readonly wakeWorker: () => void },
  { config: { targetPolicy }, now }: CoreParts,
): Operations {
  return createOperations({ store, secretBox, targetPolicy, now, ...intake });
}

/** The table pairs each id with its own types; the shell has checked the input against the same id. */
function operateWith(operations: Operations): Operate {
  return async (operationId, input, caller) => {
    const operation = operations[operationId] as (...asked: readonly unknown[]) => Promise<Output<OperationId>>;
    const { status, body } = await operation(input, caller);
    // Text crosses to another thread at once; an object would be copied and then written all the same.
    return { status, json: body === undefined ? undefined : JSON.stringify(body) };
  };
}

/** So that the first start of an embedded service can be used at once. */
async function ensureDevelopmentKey(store: Store, { database }: Config, nowMs: number): Promise<string | undefined> {
  if (database.kind !== 'sqlite' || (await store.keys.hasAccount())) return undefined;
  const { key } = await createKey(store.keys, { account: 'development', tier: 'enterprise' }, nowMs);
  return key;
}
