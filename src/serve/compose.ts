import { readFile } from 'node:fs/promises';
import { setImmediate as runOtherWork } from 'node:timers/promises';
import { limits } from '../../generated/spec.js';
import { createTexts } from '../../packages/text/texts.js';
import { requireSecretsKeys } from '../config/secrets-key.js';
import { requireSameContract } from '../contract/definitions.js';
import { createApps } from '../http/app.js';
import { startServer } from '../http/server.js';
import { createExpiredKeyLog } from '../keys/expired-keys.js';
import { createGrants } from '../keys/identify.js';
import { createSessionTokens } from '../keys/session-token.js';
import { createOpenLink, mayHaveLinks } from '../keys/person-links.js';
import { createFailureLimit } from '../limits/failure-limit.js';
import { createLoadSums } from '../limits/load-sums.js';
import { createMonthlyCalls, createQuotaReader } from '../limits/monthly-calls.js';
import { openWindow } from '../limits/window-limit.js';
import { createMetrics } from '../observe/metrics.js';
import { createReadiness, createThreadLoadProbe } from '../observe/probes.js';
import { serveMetrics } from '../observe/server.js';
import { type Keep, startAll, runStartStep } from '../observe/start.js';
import type { ReadPostedBody } from '../readings/posted-body.js';
import { readMonotonicMs } from '../store/database-clock.js';
import { isTransient } from '../store/retry.js';
import { createExports } from '../streaming/exports.js';
import type { Notifications, openNotifications } from '../streaming/notifications.js';
import { createStreams, type Streams } from '../streaming/streams.js';
import { createResolveSession } from '../view/own-sessions.js';
import { createSecretBox } from '../webhooks/secrets.js';
import type { StartCore } from './core.js';
import type { ProcessParts } from './foundation.js';
import type { createOAuth } from './oauth.js';
import { openSafetyCheck } from './safety-check.js';

export interface ServiceParts extends ProcessParts {
  /** The root folder of the project, with openapi.yaml and the weights of the topic model. */
  readonly root: URL;
  /** Starts the core, on this thread or on a separate one. */
  readonly startCore: StartCore;
  /** Time between two comments of a stream, in ms. Tests shorten it. */
  readonly heartbeatMs?: number;
  /** Time limit for sending a request in ms. Tests change it. */
  readonly requestMs?: number;
  /** Reads a large body of a source. Absent: on this thread. */
  readonly readLarge?: ReadPostedBody;
  /** Time limit for sending what a source posts, in ms. Tests change it. */
  readonly uploadMs?: number;
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** Builds and starts the service. When a part fails to start, closes the started parts and rejects. */
export async function startService(parts: ServiceParts) {
  // Checked first, because a failed check needs no cleanup.
  await runStartStep('openapi.yaml', () => requireSameContract(new URL('openapi.yaml', parts.root)));
  const [leaving, closing] = [new AbortController(), new AbortController()];
  const { result, close } = await startAll((keep) => serve(keep, leaving.signal, closing.signal, parts));
  return {
    ...result,
    /** Makes the readiness check fail. All other requests are served until `close`. */
    leave: () => leaving.abort(),
    /** Rejects new requests with 503, waits for the requests in flight, and releases all resources. */
    close() {
      leaving.abort();
      closing.abort();
      return close();
    },
  };
}

async function serve(keep: Keep, leaving: AbortSignal, closing: AbortSignal, parts: ServiceParts) {
  const { config, root, log, heartbeatMs, requestMs, uploadMs } = parts;
  const metrics = createMetrics();
  const { observeRequest, observeRefusal, ...observers } = metrics;
  const { observeGroup, observeReplacement, observeAttempt, observeStatus, observeAlerts } = observers;
  const sessionRequests = keep(
    await openWindow(limits.session_requests, config.quotas.sessionRequests, { redisUrl: config.redisUrl, log }),
  );
  let streams = undefined as Streams | undefined;
  const wakeStreams: Streams['wake'] = (sessions) => streams?.wake(sessions);
  let serverMinusMonotonicMs: number | undefined;
  /** The time of the database server. For an embedded database, the time of this process. */
  const now = () =>
    serverMinusMonotonicMs === undefined ? parts.now() : Math.round(serverMinusMonotonicMs + readMonotonicMs());
  const setClock = (ms: number) => void (serverMinusMonotonicMs = ms);
  const host = {
    observeGroup,
    observeReplacement,
    observeAttempt,
    observeStatus,
    observeAlerts,
    wakeStreams,
    setClock,
  };
  const { databaseNow, pollMs } = parts;
  const core = keep(await parts.startCore({ config, log, now: parts.now, databaseNow, pollMs, host }));
  const { operate, findGrants, findErased, usageTotals, addUsage, addLoads, beginExport, readExportPage } = core;
  metrics.watchDroppedLines(parts.droppedLines ?? (() => 0));
  metrics.watchQueue(core.waiting);
  metrics.watchDatabase(core);
  metrics.watchPurge(core);
  const threadLoad = keep(createThreadLoadProbe());
  metrics.watchThread('http', async () => threadLoad.read());
  metrics.watchThread('core', core.threadLoad);
  metrics.watchWorker(core.workerLoad);
  metrics.watchCaches(core.cacheLookups);
  const readiness = createReadiness({ checkDatabase: core.checkDatabase, isLeaving: () => leaving.aborted });
  const metricsUrl = await serveMetrics(keep, metrics, readiness, config);
  const usage = { totalsOf: usageTotals, add: addUsage };
  const load = createLoadSums();
  const writeLoad = () => addLoads(load.take());
  const quotaOf = createQuotaReader(config.quotas);
  const monthlyCalls = keep(createMonthlyCalls({ usage, quotaOf, now, log, load, writeLoad }));
  const texts = createTexts(await readFile(new URL('packages/text/weights/text.bin', root)));
  const digestKeys = await runStartStep('SECRETS_KEY', () => requireSecretsKeys(config));
  const sessionTokens = createSessionTokens(digestKeys);
  const grants = createGrants({
    ...{ findGrants, sessionTokens, now, onLookup: metrics.observeKeyLookup },
    onExpiredUse: createExpiredKeyLog(log),
  });
  const { isValid } = grants;
  const findAccount = (name: string) => grants.find(`account ${name}`);
  const oauth = config.oauth && (await openOAuth(config.oauth, { findAccount, secretsKeys: digestKeys, now, log }));
  const { safetyCheck } = config;
  const openCheck = (it: NonNullable<typeof safetyCheck>) =>
    openSafetyCheck(it, config.safetyTimeoutMs, core.mayStore, metrics.countSafetyChecks());
  const outside = safetyCheck ? keep(await runStartStep('SAFETY_URL', () => openCheck(safetyCheck))) : undefined;
  const notifications = config.redisUrl
    ? keep(await connectNotifications(config.redisUrl, log, (accountIds) => streams?.lookUp(accountIds)))
    : undefined;
  if (notifications) metrics.watchRedis(notifications.ping);
  const opened = createStreams({
    readPage: core.readPage,
    notifyStreams: core.notifyStreams,
    findStreamHeads: core.findStreamHeads,
    changedSessions: core.changedSessions,
    streamsMax: config.streamsMax,
    notifications,
    perKeyMax: config.quotas.streams,
    isValid,
    heartbeatMs,
  });
  streams = keep(opened);
  metrics.watchStreams(async () => opened.openCount());
  const exports = createExports({ beginExport, readExportPage, isValid });
  for (const { drain } of [opened, exports]) closing.addEventListener('abort', drain);
  const { app, sources } = await createApps({
    trustProxy: config.trustProxy,
    keyHeaders: config.keyHeaders,
    corsOrigins: config.corsOrigins,
    inFlightMax: config.inFlightMax,
    maxTimestampAgeMs: config.maxTimestampAgeMs,
    root,
    operate,
    recordAccess: core.recordAccess,
    findErased,
    openLink: mayHaveLinks(config.publicUrl) ? createOpenLink(core.openLink, now) : undefined,
    identify: { ...grants.identify, ...(oauth && { oauth: oauth.identify }) },
    oauth,
    published: config,
    countFailure: createFailureLimit(config.quotas.failedAuthentications, now),
    openStream: opened.open,
    runExport: exports.run,
    monthlyCalls,
    load,
    sessionRequests: sessionRequests.count,
    allowsText: core.allowsText,
    resolveSession: createResolveSession(core.findOwnSession),
    findStored: grants.find,
    texts,
    addSafetyCheck: outside?.addTo,
    digestKeys,
    openSecret: createSecretBox(digestKeys).open,
    readLarge: parts.readLarge,
    uploadMs,
    now,
    maxBackfillAgeMs: await core.keptMs(),
    log,
    observeRequest,
    observeRefusal,
    isLeaving: () => leaving.aborted,
    isClosing: () => closing.aborted,
    closing,
    isTransient,
    checkReadiness: readiness,
  });
  const { host: hostName, port, connectionsMax, sourcesUrl } = config;
  const listener = { connectionsMax, requestMs, log };
  const { url } = keep(
    await runStartStep('HOST and PORT', () => startServer(app, { host: hostName, port, ...listener })),
  );
  if (sourcesUrl !== undefined) {
    const at = new URL(sourcesUrl);
    const address = { host: at.hostname, port: Number(at.port || 80) };
    keep(await runStartStep('SOURCES_URL', () => startServer(sources, { ...address, ...listener })));
  }
  // Runs after the server listens. A process that cannot serve must not create the key, which is shown only once, and
  // must not send deliveries.
  const developmentKey = await core.begin();
  /** For the operator, each with its remedy. */
  const warnings: readonly string[] = [...(await core.warnings()), ...sessionRequests.warnings];
  /**
   * Builds the model of texts, so that the first text does not wait for it. It takes 22 MB: before any text was stored, the
   * first text builds it.
   */
  const loadTextModels = async () => {
    if (await core.hasTexts().catch(() => true)) await texts.load(runOtherWork);
  };
  // `metricsUrl` is undefined without METRICS_PORT. `developmentKey` is shown once.
  return { url, metricsUrl, developmentKey, warnings, loadTextModels };
}

/** Imported on demand: most deployments accept no OAuth tokens. */
async function openOAuth(...args: Parameters<typeof createOAuth>) {
  return (await import('./oauth.js')).createOAuth(...args);
}

/** Imported on demand: the client of Redis uses 7 MB of memory, which most deployments do not need. */
async function connectNotifications(...args: Parameters<typeof openNotifications>): Promise<Notifications> {
  return (await import('../streaming/notifications.js')).openNotifications(...args);
}
