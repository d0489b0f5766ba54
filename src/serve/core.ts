import { setImmediate } from 'node:timers/promises';
import { limits } from '../../generated/spec.js';
import { startCoding } from '../access-record/chain.js';
import { startAccessRecord, toAccess } from '../access-record/record.js';
import type { OperationId } from '../contract/contract.js';
import type { Grant } from '../contract/grant.js';
import type { Whose } from '../contract/whose.js';
import { type DevelopmentKey, ensureDevelopmentKey } from '../keys/development-key.js';
import { createDigestFeedback, createToNamespace } from '../keys/digest-id.js';
import { createSessionTokens } from '../keys/session-token.js';
import { createFindGrants } from '../keys/stored-grants.js';
import { createLoadSums } from '../limits/load-sums.js';
import { createAdmitSession } from '../limits/new-session-limit.js';
import { createRoundRobin } from '../limits/round-robin.js';
import { openStoredReadings, openWindow } from '../limits/window-limit.js';
import { createThreadLoadProbe } from '../observe/probes.js';
import { type Closable, type Keep, startAll } from '../observe/start.js';
import { findOperation } from '../operations/index.js';
import type { AnyInput, CoreResponse, Services } from '../operations/operation.js';
import { readTextConsent, type TextSource } from '../readings/consent.js';
import { createScoreAgain, scorePendingPeople } from '../readings/facts.js';
import { type Commit, createReadingWriter } from '../readings/group.js';
import { openErasureRecord } from '../retention/erasure-file.js';
import { startRetention } from '../retention/purge.js';
import { createAccessTable } from '../store/accesses.js';
import { createDigestId, createErasedIdTable } from '../store/erased-ids.js';
import { createPositionReader } from '../store/readings-by-position.js';
import type { Pause, SlicedScope } from '../store/scope.js';
import { createPersonLinkLookup } from '../store/person-links.js';
import { findStreamHeads } from '../store/stream-positions.js';
import { hasTriggers } from '../store/triggers.js';
import { createUsageHours, type Load } from '../store/usage-hours.js';
import { createUsageTable } from '../store/usage.js';
import {
  beginExport,
  type ExportScope,
  type Position as ExportPosition,
  readExportPage,
} from '../streaming/export-page.js';
import { listSessions, type SessionId } from '../streaming/open-streams.js';
import { type PageRequest, readPage } from '../streaming/stream-page.js';
import { createReplacer } from '../view/grant.js';
import { type ChosenId, findOwnSession } from '../view/own-sessions.js';
import type { WorkerParts } from '../webhooks/worker-parts.js';
import type { Worker } from '../webhooks/worker.js';
import { openFoundation, type ProcessParts, startWorkerOn } from './foundation.js';
import { replaceSecretsKey } from './secrets-keys.js';
import { stringifyInSlices } from './stringify.js';
import { findWarnings } from './warnings.js';

/** Notifications from the core to the HTTP thread. */
export interface CoreHost {
  /** Called with the sessions of each commit while `notifyStreams` is on. */
  readonly wakeStreams: (sessions: readonly SessionId[]) => void;
  readonly observeGroup: (size: number) => void;
  readonly observeReplacement: () => void;
  readonly observeAttempt: WorkerParts['observeAttempt'];
  readonly observeStatus: WorkerParts['observeStatus'];
  readonly observeAlerts: (count: number) => void;
  readonly setClock: NonNullable<ProcessParts['onClock']>;
}

export interface CoreParts extends ProcessParts {
  readonly host: CoreHost;
}

const defaultPollMs = 1_000;
/** Maximum number of reads that run at the same time on MySQL. */
const readsAtOnce = 8;

/**
 * The part of the service that uses the database. Every function takes and returns plain data, so that the core can run
 * on a separate thread.
 */
export type Core = Awaited<ReturnType<typeof start>> & Closable;

export type StartCore = (parts: CoreParts) => Promise<Core>;

/** Starts the core on this thread. Rejects when a part fails to start, after closing the parts that started. */
export const startCore: StartCore = async (parts) => {
  const { result, close } = await startAll((keep) => start(keep, parts));
  return { ...result, close };
};

async function start(keep: Keep, parts: CoreParts) {
  const { log, host } = parts;
  const { databaseNow, onStore } = parts;
  const foundation = await openFoundation(
    keep,
    { config: parts.config, log, now: parts.now, databaseNow, onClock: host.setClock, onStore },
    true,
  );
  const { store, config, now, checkDatabase } = foundation;
  const digestId = createDigestId(foundation.secretsKeys);
  const load = createLoadSums();
  // SQLite runs one statement at a time. On MySQL, the other connections of the pool are for writes.
  const roundRobin = createRoundRobin({ atOnce: store.isEmbedded ? 1 : readsAtOnce, beginSlice: load.begin });
  const share = <T>(accountId: string, work: (scope: SlicedScope) => Promise<T>): Promise<T> =>
    roundRobin.run(accountId, (pause) => work(store.read(accountId, pause)));
  // The other operations begin one per turn of the event loop, in turn of accounts: SQLite responds without a turn in between.
  const starts = createRoundRobin();
  const scoreAgain = createScoreAgain({ store, now, share });
  const retention = keep(
    startRetention(store, config.retention, foundation.clock, digestId, log, (signal) =>
      scorePendingPeople({ store, now, scoreAgain }, signal),
    ),
  );
  const threadLoad = keep(createThreadLoadProbe());
  let worker: Worker | undefined;
  // Closed after the groups, so that the worker still delivers their last events.
  keep({ close: async () => worker?.close() });
  const wakeWorker = () => worker?.wake();
  let isNotifying = false;
  const newSessions = keep(
    await openWindow(limits.new_sessions, config.quotas.newSessions, { redisUrl: config.redisUrl, log }),
  );
  const clientQuota = Math.max(limits.new_sessions.oauth_client_quota, config.quotas.newSessions);
  const storedReadings = keep(await openStoredReadings({ redisUrl: config.redisUrl, log }));
  const groups = keep(
    createReadingWriter({
      ...{ store, now, digestId, load, onEvents: wakeWorker },
      // SQLite allows only one write transaction at a time.
      hasConcurrentWriters: !store.isEmbedded,
      admitSession: createAdmitSession(
        store,
        { perKey: newSessions.count, perClient: newSessions.withQuota(clientQuota) },
        config.quotas.newSessions === 0,
      ),
      onCommitted(group, subjectIds) {
        host.observeGroup(group.length);
        if (isNotifying) host.wakeStreams(listSessions(group, subjectIds));
      },
    }),
  );
  const sessionTokens = createSessionTokens(foundation.secretsKeys);
  const hasRecord = config.retention.accessesMs > 0;
  const { chain } = await startCoding(store, foundation.secretsKeys, hasRecord, now);
  const accesses = store.use(createAccessTable);
  const accessRecord = hasRecord ? keep(startAccessRecord({ accesses, digestId, chain, now, log })) : undefined;
  async function recordAccess(operationId: OperationId, whose: Whose, caller: Grant | undefined): Promise<void> {
    const access = toAccess(findOperation(operationId).personalData, operationId, whose, caller);
    if (access) accessRecord?.add(access);
  }
  const services: Omit<Services, 'pause' | 'commit'> = {
    ...{ store, now, sessionTokens, digestId, scoreAgain, log, wakeWorker },
    targetPolicy: config.targetPolicy,
    secretBox: foundation.secretBox,
    resolveName: foundation.resolveName,
    recordErasures: await openErasureRecord(store, config, log),
    digestFeedback: createDigestFeedback(foundation.secretsKeys),
    maxFeedbackAgeMs: config.retention.feedbackMs,
    maxReadingAgeMs: config.retention.readingsMs,
    publicUrl: config.publicUrl,
    sourcesUrl: config.sourcesUrl ?? config.publicUrl,
    absences: foundation.presence.known,
    countStored: storedReadings.count,
  };

  async function findErased(accountId: string, subjectId: string): Promise<number> {
    const digests = digestId(accountId, { kind: 'subject', id: subjectId });
    return Math.max(0, ...(await createErasedIdTable(store.read(accountId)).find(digests)).values());
  }

  /** Stores readings like `commit`. Counts and records those that replaced others. */
  const commitIn =
    (operation: OperationId): Commit =>
    async (caller, readings) => {
      const outcomes = await groups.commit(caller, readings);
      const { accountId, keyId } = caller;
      for (const [index, outcome] of outcomes.entries()) {
        if (!('sample' in outcome && outcome.sample === 'replaced')) continue;
        host.observeReplacement();
        const whose = { kind: 'session', sessionId: readings[index]?.sessionId ?? '' } as const;
        // A token replaces nothing.
        accessRecord?.add({ accountId, keyId, credential: 'key', action: 'write', operation, whose });
      }
      return outcomes;
    };

  return {
    findErased,
    /** How long readings are kept, in ms, of accounts without a time of their own. */
    keptMs: async () => config.retention.readingsMs,
    /** Runs an operation. The input must be validated against the contract. */
    async operate(operationId: OperationId, input: AnyInput, caller: Grant | undefined): Promise<CoreResponse> {
      const { handle, takes, personalData, sharesThread = personalData === 'reads' } = findOperation(operationId);
      if (!handle) throw new Error(`${operationId} has no handler`);
      // Serialized on this thread: a string crosses to another thread faster than an object, which would be cloned.
      const replacer = caller && createReplacer(caller);
      const respond = async (pause: Pause, write: (body: object) => Promise<string> | string) => {
        const {
          body,
          whose = input.whose,
          ...rest
        } = await handle({ ...services, commit: commitIn(operationId), pause }, input, caller);
        await recordAccess(operationId, whose, caller);
        return { ...rest, json: body === undefined ? undefined : await write(body) };
      };
      if (caller && !takes && !sharesThread) await starts.run(caller.accountId, async () => undefined);
      return caller && sharesThread
        ? roundRobin.run(caller.accountId, (pause) =>
            respond(pause, (body) => stringifyInSlices(body, pause, replacer)),
          )
        : respond(runOtherWork, (body) => JSON.stringify(body, replacer));
    },
    recordAccess,
    /** Returns true if the subject of a reading allows the analysis of its texts. */
    allowsText: (source: TextSource) => readTextConsent(store.read(source.accountId), source, now()),
    mayStore: groups.mayStore,
    findOwnSession: (id: ChosenId) => findOwnSession(store.read(id.accountId), id),
    findGrants: createFindGrants({ store, findErased, toNamespace: createToNamespace(foundation.secretsKeys), now }),
    openLink: store.use(createPersonLinkLookup).open,
    usageTotals: store.use(createUsageTable).totalsOf,
    addUsage: store.use(createUsageTable).add,
    /** Writes the load of accounts: that of this thread and of another one. */
    async addLoads(ofOther: readonly Load[]): Promise<void> {
      for (const it of ofOther) load.add(it.accountId, it);
      await load.write((loads) => store.use(createUsageHours).add(loads, now()));
    },
    /** Warnings for the operator about the database and webhooks, each with its remedy. */
    warnings: () => findWarnings(store, config, now()),
    /**
     * Starts the delivery of webhooks, which only a serving process may start. Resolves with the development key that was
     * created for an empty embedded database. The key is shown only once.
     */
    async begin(): Promise<DevelopmentKey | undefined> {
      const developmentKey = await ensureDevelopmentKey(store, now());
      await replaceSecretsKey(store, foundation.secretsKeys, log, now());
      if (config.hasWorker) worker = startWorkerOn(foundation, parts, host, defaultPollMs);
      return developmentKey;
    },
    readPage(request: PageRequest) {
      const { accountId } = request.caller;
      return share(accountId, (scope) => readPage(scope, request, (subjectId) => findErased(accountId, subjectId)));
    },
    /** Returns the start of an export. Rejects with a ProblemError if there is no data. */
    beginExport: (exported: ExportScope, cursor: number | undefined) =>
      share(exported.caller.accountId, (scope) => beginExport(scope, exported, cursor)),
    readExportPage: (exported: ExportScope, from: ExportPosition) =>
      share(exported.caller.accountId, (scope) => readExportPage(scope, exported, from, digestId)),
    /** Returns true if readings with text were stored. */
    hasTexts: () => store.run(hasTriggers),
    findStreamHeads: (accountIds: readonly string[]) => store.run((knex) => findStreamHeads(knex, accountIds)),
    /** Returns the account's sessions with readings after a position. */
    changedSessions: (accountId: string, position: number) =>
      share(accountId, (scope) => createPositionReader(scope).changedAfter(position)),
    /** Turns the calls of `wakeStreams` on or off. */
    async notifyStreams(isOn: boolean) {
      isNotifying = isOn;
    },
    waiting: async () => groups.waiting(),
    ...foundation.figures,
    checkDatabase,
    lastPurgeAtMs: async () => retention.lastPurgeAtMs(),
    purgeLagMs: async () => retention.lagMs(),
    /** Event-loop lag and heap of the thread that runs the core. */
    threadLoad: async () => threadLoad.read(),
    /** Lookups of the caches of sessions and subjects since the start. */
    cacheLookups: async () => store.cacheLookups(),
    /** Load of the delivery worker. Undefined in a process without one. */
    workerLoad: async () => worker?.load(),
  };
}

/** In place of the pause of a slice, for an operation that does not share the thread. */
const runOtherWork: Pause = () => setImmediate();
