import type { Logger } from 'pino';
import { startAlerts } from '../alerts/start.js';
import type { Config } from '../config/config.js';
import { findSecretsKeys } from '../config/secrets-key.js';
import { withStoredRetention } from '../retention/shortened.js';
import { createDigestId } from '../store/erased-ids.js';
import { cacheResult, limitTime, type ReadinessStatus } from '../observe/probes.js';
import { findAdvice, type Keep, runStartStep } from '../observe/start.js';
import { findAccountsWithDueRules } from '../store/alerts.js';
import { type DatabaseClock, createSqliteClock, followClock, openServerClock } from '../store/database-clock.js';
import { countDeliveries, findDueQueues } from '../store/delivery-queue.js';
import { findNewestReadingTime } from '../store/expired-readings.js';
import { describeMissing } from '../store/missing-parts.js';
import type { HostEvent } from '../store/mysql-hosts.js';
import { findOldestEvent } from '../store/outbox.js';
import { findRemedy, isFault } from '../store/retry.js';
import { openStore, type Store } from '../store/store.js';
import { createResolveName } from '../webhooks/resolve-name.js';
import { createSecretBox } from '../webhooks/secrets.js';
import type { WorkerParts } from '../webhooks/worker-parts.js';
import { startWorker, type Worker } from '../webhooks/worker.js';
import { startPresence } from './presence.js';
import { admitSecretsKeys } from './secrets-keys.js';

/** Time limit of the lag of alerts in the readiness check, in ms. */
const lagMs = 500;
/** How long the delivery counts are cached, in ms. Limits the queries when several scrapers read the metrics. */
const countedForMs = 5_000;

export interface ProcessParts {
  readonly config: Config;
  readonly log: Logger;
  /** The clock of this process in epoch ms. Tests replace it. */
  readonly now: () => number;
  /** Called with each measurement of the clock of the database server: its time minus `monotonicMs` in ms. */
  readonly onClock?: (serverMinusMonotonicMs: number) => void;
  /** Replaces the clock of the database server. Tests use it, because their clock is manual. */
  readonly databaseNow?: (() => number) | undefined;
  /** Called with the store of this process before its first use. Tests record its statements. */
  readonly onStore?: ((store: Store) => void) | undefined;
  /** Returns how many log lines were dropped so far. */
  readonly droppedLines?: () => number;
  /** Maximum pause of the delivery worker between two queries, in ms. Events of this process end the pause early. */
  readonly pollMs?: number | undefined;
}

/** Resources of every process that serves or delivers: a migrated database and the secrets. */
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

export async function openFoundation(keep: Keep, given: ProcessParts, isObserving: boolean) {
  const { log } = given;
  // Checked first, because a missing SECRETS_KEY needs no database.
  await runStartStep('SECRETS_KEY', () => findSecretsKeys(given.config));
  const open = () => openStore(given.config.database, 'serving', createHostLog(log), given.now);
  const store = keep(await runStartStep('DATABASE_URL', open));
  given.onStore?.(store);
  const missing = await runStartStep('DATABASE_URL', () => store.migrate());
  if (missing.length > 0) log.warn(describeMissing(missing));
  const config = await runStartStep('DATABASE_URL', () => withStoredRetention(store, given.config));
  const parts = { ...given, config };
  const clock = keep(await runStartStep('DATABASE_URL', () => openClock(store, parts)));
  const { now } = clock;
  const secretsKeys = await runStartStep('SECRETS_KEY', () => admitSecretsKeys(store, config, now()));
  const isClockManual = parts.databaseNow !== undefined;
  const presence = keep(await startPresence({ store, now, log, isObserving, isClockManual }));
  /** Returns how long the alert rules of a person have been due, at most, in seconds. */
  const findAlertsLag = async () => {
    const accounts = await store.run((knex) => findAccountsWithDueRules(knex, now()));
    return Math.max(0, ...accounts.map(({ dueMs }) => now() - (dueMs ?? Infinity))) / 1000;
  };
  return {
    store,
    /** With the retention in force. */
    config,
    secretsKeys,
    secretBox: createSecretBox(secretsKeys),
    resolveName: createResolveName(config.dnsServers),
    clock,
    presence,
    /** The time of the database in epoch ms. */
    now,
    async checkDatabase(): Promise<ReadinessStatus> {
      try {
        const [isCurrent, failure] = [await store.isReady(), await store.findWriteFailure()];
        const cause = isCurrent ? failure : 'the schema is absent or old: run migrate';
        // Late alerts, and a slow look for them, do not make the process unready.
        const lag = isCurrent ? await limitTime(findAlertsLag(), lagMs).catch(() => undefined) : undefined;
        const named = lag !== undefined && { alertsLagSeconds: lag };
        return { isUp: true, isWritable: failure === undefined, cause, ...named };
      } catch (error) {
        const cause =
          findRemedy(error) ?? ['the database does not respond', findAdvice(error)].filter(Boolean).join(': ');
        return { isUp: isFault(error), isWritable: false, cause };
      }
    },
    /** For metrics. */
    figures: {
      /** How far the clock of this process is ahead of the database's clock. Negative if it is behind. */
      clockAheadSeconds: async () => clock.aheadMs() / 1000,
      /** Age of the oldest event that is not yet expanded to deliveries. 0 if there is none. */
      async outboxAgeSeconds() {
        const oldestMs = await store.run((knex) => findOldestEvent(knex));
        return oldestMs === undefined ? 0 : Math.max(0, now() - oldestMs) / 1000;
      },
      /** How long the oldest due delivery has been waiting. 0 if there is none. */
      async dueAgeSeconds() {
        const queues = await store.run((knex) => findDueQueues(knex));
        return Math.max(0, ...queues.map(({ firstDueAtMs }) => now() - firstDueAtMs)) / 1000;
      },
      alertsLagSeconds: findAlertsLag,
      /** Pending and failed deliveries of all accounts, at most 5 s old. */
      deliveryCounts: cacheResult(countedForMs, now, () => store.run(countDeliveries)),
    },
  };
}

const differs = 'the clock of this machine differs from the clock of the database';

async function openClock(
  store: Store,
  { config: { database, retention }, now, onClock, databaseNow, log }: ProcessParts,
): Promise<DatabaseClock> {
  if (databaseNow) return followClock(databaseNow);
  if (database.kind === 'sqlite')
    return createSqliteClock({
      now,
      findNewestReading: () => store.run(findNewestReadingTime),
      readingsMs: retention.readingsMs,
    });
  return openServerClock({
    read: store.readClock,
    readHosts: store.readHostClocks,
    now,
    onMeasured: onClock,
    onDifference(aheadMs, isTooLarge) {
      const aheadSeconds = Math.round(aheadMs / 1000);
      if (isTooLarge) log.warn({ aheadSeconds }, `${differs}: this process does not delete expired data`);
      else log.info({ aheadSeconds }, 'the clock of this machine agrees with the clock of the database again');
    },
    onHostDifference({ host, aheadMs }) {
      const hostAheadSeconds = Math.round(aheadMs / 1000);
      log.warn({ host, hostAheadSeconds }, `${differs}: this process does not delete expired data`);
    },
  });
}

/** Counts what a worker does. */
type WorkerObservers = Pick<WorkerParts, 'observeAttempt' | 'observeStatus'> & {
  readonly observeAlerts: (count: number) => void;
};

/**
 * Starts the delivery of webhooks, and the evaluation of alert rules. `defaultPollMs` applies if the parts have no `pollMs`.
 */
export function startWorkerOn(
  foundation: Foundation,
  { config, log, pollMs }: ProcessParts,
  { observeAttempt, observeStatus, observeAlerts }: WorkerObservers,
  defaultPollMs: number,
): Worker {
  const { targetPolicy, keepsResponses, publicUrl } = config;
  const own = {
    ...{ targetPolicy, keepsResponses, publicUrl, log },
    ...{ pollMs: pollMs ?? defaultPollMs, observeAttempt, observeStatus },
  };
  const worker = startWorker({ ...foundation, ...own });
  const alerts = startAlerts({
    ...foundation,
    ...{ log, pollMs: own.pollMs, digestId: createDigestId(foundation.secretsKeys) },
    findAbsences: foundation.presence.find,
    onFired(count) {
      observeAlerts(count);
      worker.wake();
    },
  });
  return {
    ...worker,
    async close() {
      await alerts.close();
      await worker.close();
    },
  };
}

/** Returns a function that logs which one of several database hosts is in use. Log lines contain no credentials. */
function createHostLog(log: Logger): (event: HostEvent) => void {
  return ({ kind, ...event }) => {
    if (kind === 'selected') log.info(event, 'database host selected');
    else if (kind === 'usable again') log.info(event, 'database host usable again');
    else if (kind === 'changed') log.warn(event, 'database host changed');
    else log.error(event, 'no database host is usable');
  };
}
