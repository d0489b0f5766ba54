import type { Logger } from 'pino';
import type { Keep } from '../lifecycle/closing.js';
import type { Config, SecretsKeys } from '../config/config.js';
import { createSecretBox, type SecretBox } from '../delivery/secret-box.js';
import { createResolveName, type ResolveName } from '../delivery/resolve-name.js';
import { startWorker, type Worker } from '../delivery/worker.js';
import { cachedFor } from '../metrics/cached-for.js';
import { findSecretsKeys } from '../config/secrets-key.js';
import { starting } from '../lifecycle/start-error.js';
import type { DeliveryCounts } from '../store/count-deliveries.js';
import { type DatabaseClock, createSqliteClock, followClock, openServerClock } from '../store/database-clock.js';
import { openStore, type Store } from '../store/store.js';
import { createHostLog } from './log-host.js';
import { admitSecretsKeys } from './secrets-keys.js';

/** Resources of every process that serves or delivers: a migrated database and the secrets. */
export interface Foundation {
  readonly store: Store;
  readonly secretsKeys: SecretsKeys;
  readonly secretBox: SecretBox;
  readonly resolveName: ResolveName;
  readonly clock: DatabaseClock;
  /** The time of `clock`, epoch ms. */
  readonly now: () => number;
  /** Age of the oldest event that is not yet expanded to deliveries. 0 if there is none. */
  outboxAgeSeconds(): Promise<number>;
  /** How long the oldest due delivery has been waiting. 0 if there is none. */
  dueAgeSeconds(): Promise<number>;
  /** Pending and failed deliveries of all accounts, at most 5 s old. */
  deliveryCounts(): Promise<DeliveryCounts>;
}

/** How long the delivery counts are cached, ms. Limits the queries when several scrapers read the metrics. */
const countedForMs = 5_000;

export interface FoundationParts {
  readonly log: Logger;
  /** The clock of this process, epoch ms. */
  readonly now: () => number;
  /** Replaces the clock of the database server. Tests use it, because their clock is manual. */
  readonly databaseNow?: (() => number) | undefined;
}

export async function openFoundation(keep: Keep, config: Config, parts: FoundationParts): Promise<Foundation> {
  const { log } = parts;
  // Checked first, because a missing SECRETS_KEY needs no database.
  await starting('SECRETS_KEY', () => findSecretsKeys(config));
  const store = keep(await starting('DATABASE_URL', () => openStore(config.database, 'serving', createHostLog(log))));
  await starting('DATABASE_URL', store.migrate);
  const clock = keep(await starting('DATABASE_URL', () => openClock(store, config, parts)));
  const { now } = clock;
  const secretsKeys = await starting('SECRETS_KEY', () => admitSecretsKeys(store, config, now()));
  return {
    store,
    secretsKeys,
    secretBox: createSecretBox(secretsKeys),
    resolveName: createResolveName(config.dnsServers),
    clock,
    now,
    async outboxAgeSeconds() {
      const oldestMs = await store.findOldestEvent();
      return oldestMs === undefined ? 0 : Math.max(0, now() - oldestMs) / 1000;
    },
    deliveryCounts: cachedFor(countedForMs, now, store.countDeliveries),
    async dueAgeSeconds() {
      const queues = await store.findDueQueues();
      return Math.max(0, ...queues.map(({ firstDueAtMs }) => now() - firstDueAtMs)) / 1000;
    },
  };
}

const differs = 'the clock of this machine differs from the clock of the database';

async function openClock(
  store: Store,
  { database, retention }: Config,
  { now, databaseNow, log }: FoundationParts,
): Promise<DatabaseClock> {
  if (databaseNow) return followClock(databaseNow);
  if (database.kind === 'sqlite')
    return createSqliteClock({ now, findNewestReading: store.findNewestReading, readingsMs: retention.readingsMs });
  return openServerClock({
    read: store.readClock,
    readHosts: store.readHostClocks,
    now,
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

export interface WorkerOptions {
  readonly config: Pick<Config, 'targetPolicy' | 'keepsResponses'>;
  readonly log: Logger;
  readonly observeAttempt: (outcome: 'delivered' | 'failed', seconds: number) => void;
  /** See `WorkerParts`. */
  readonly pollMs: number;
}

export function startWorkerOn(foundation: Foundation, { config, ...options }: WorkerOptions): Worker {
  const { targetPolicy, keepsResponses } = config;
  return startWorker({ ...foundation, targetPolicy, keepsResponses, ...options });
}
