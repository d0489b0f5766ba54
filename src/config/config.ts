/**
 * Reads the environment into one frozen object. Throws one error that lists every invalid variable with its allowed
 * values.
 */
import { readFileSync } from 'node:fs';
import { retention as retentionDefaults } from '../../generated/spec.js';
import { ConfigError, type DatabaseConfig, type SecretsKeys, type Variable } from './read-variable.js';
import { retentionSettings, variables } from './variables.js';

export type { DatabaseConfig, SecretsKeys };

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseConfig;
  readonly logLevel: string;
  readonly maxTimestampAgeMs: number;
  /**
   * Keys for webhook secrets, tokens and digests of readings, the newest first. If absent, an embedded database uses a
   * key file in its folder. MySQL requires them.
   */
  readonly secretsKeys: SecretsKeys | undefined;
  /** Whether this process delivers webhooks. */
  readonly hasWorker: boolean;
  /** Maximum number of connections. Further ones are closed. */
  readonly connectionsMax: number;
  /** Maximum number of requests in flight. Further ones get a 503. */
  readonly inFlightMax: number;
  /** Maximum number of open streams. Further ones get a 503. */
  readonly streamsMax: number;
  /** Origins that CORS allows. */
  readonly corsOrigins: readonly string[];
  /** Proxies whose X-Forwarded-For is trusted: the number of proxies, or their networks. */
  readonly trustProxy: number | readonly string[];
  /** Port of the metrics server. Absent: no metrics server. */
  readonly metricsPort: number | undefined;
  /** File with the time of the last backup. Absent: no metric. */
  readonly backupStatusFile: string | undefined;
  /** Time from SIGTERM until the listener closes, in ms. */
  readonly shutdownDelayMs: number;
  readonly targetPolicy: { readonly allowHttp: boolean; readonly allowLoopback: boolean };
  /** Whether failed deliveries store the start of the receiver's response. */
  readonly keepsResponses: boolean;
  /** Nameservers for the hosts of webhooks. Absent: the system's nameservers. */
  readonly dnsServers: readonly string[] | undefined;
  readonly retention: RetentionTimes;
  readonly quotas: Quotas;
  /** Redis for rate limits that all processes share. Absent: each process counts separately. */
  readonly redisUrl: string | undefined;
  /** PATH: the folders in which the programs of MySQL are found. */
  readonly programPath: string | undefined;
  /** File with the present time. Absent: the clock of the system. */
  readonly testClockFile: string | undefined;
}

/**
 * How long data is stored in ms: after the timestamp of a reading, the last reading of a session, the end of a
 * delivery, the start of an hour of a person (0: no hours are stored), the last access of a chain of the access record
 * (0: none is recorded), the time that a report is about, and an erasure. A session is stored at least as long as its
 * readings.
 */
export type RetentionTimes = Readonly<Record<(typeof retentionSettings)[keyof typeof retentionSettings], number>>;

const hourMs = 3_600_000;
/** Longer than load balancers and Kubernetes take to stop sending requests after a failed readiness check. */
const defaultShutdownDelaySeconds = 5;

/** Request limits of a deployment. 0 means unlimited. */
export interface Quotas {
  /** Requests per minute per session. */
  readonly sessionRequests: number;
  /** New sessions per minute per key. */
  readonly newSessions: number;
  /** Failed authentications per minute per address. */
  readonly failedAuthentications: number;
  /** Open streams per key per process. */
  readonly streams: number;
  /** Calls per month per account, in all tiers. Undefined: each tier has its own quota. */
  readonly monthlyCalls: number | undefined;
}

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const value = <T>(name: string, { fallback, read }: Variable<T>): T | undefined => {
    try {
      return read(readText(env, name) || fallback);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return undefined;
    }
  };
  const database = value('DATABASE_URL', variables.DATABASE_URL);
  const allowLoopback =
    value('WEBHOOK_ALLOW_LOOPBACK', variables.WEBHOOK_ALLOW_LOOPBACK) ?? database?.kind === 'sqlite';
  const times = Object.entries(retentionSettings).map(([name, key]) => {
    const unitMs = name.endsWith('_HOURS') ? hourMs : 24 * hourMs;
    return [key, (value(name, variables[name as keyof typeof retentionSettings]) ?? 0) * unitMs];
  });
  const retention: RetentionTimes = Object.fromEntries(times);
  const idleSessionsMs =
    retention.idleSessionsMs || Math.max(retentionDefaults.idle_sessions_hours * hourMs, retention.readingsMs);
  const shutdownDelaySeconds = value('SHUTDOWN_DELAY_SECONDS', variables.SHUTDOWN_DELAY_SECONDS);
  const config = {
    host: value('HOST', variables.HOST),
    port: value('PORT', variables.PORT),
    database,
    logLevel: value('LOG_LEVEL', variables.LOG_LEVEL),
    maxTimestampAgeMs: (value('MAX_TIMESTAMP_AGE_SECONDS', variables.MAX_TIMESTAMP_AGE_SECONDS) ?? 0) * 1000,
    secretsKeys: value('SECRETS_KEY', variables.SECRETS_KEY),
    connectionsMax: value('MAX_CONNECTIONS', variables.MAX_CONNECTIONS),
    inFlightMax: value('MAX_REQUESTS', variables.MAX_REQUESTS),
    streamsMax: value('MAX_STREAMS', variables.MAX_STREAMS),
    corsOrigins: value('CORS_ORIGINS', variables.CORS_ORIGINS),
    trustProxy: value('TRUST_PROXY', variables.TRUST_PROXY),
    metricsPort: value('METRICS_PORT', variables.METRICS_PORT),
    backupStatusFile: value('BACKUP_STATUS_FILE', variables.BACKUP_STATUS_FILE),
    shutdownDelayMs: 1000 * (shutdownDelaySeconds ?? (database?.kind === 'sqlite' ? 0 : defaultShutdownDelaySeconds)),
    hasWorker: value('WORKER', variables.WORKER),
    targetPolicy: {
      allowHttp: value('WEBHOOK_ALLOW_HTTP', variables.WEBHOOK_ALLOW_HTTP),
      allowLoopback,
    },
    dnsServers: value('WEBHOOK_DNS_SERVERS', variables.WEBHOOK_DNS_SERVERS),
    keepsResponses: value('WEBHOOK_KEEP_ANSWERS', variables.WEBHOOK_KEEP_ANSWERS) ?? !allowLoopback,
    retention: { ...retention, idleSessionsMs },
    quotas: {
      sessionRequests: value('LIMIT_SESSION_REQUESTS_PER_MINUTE', variables.LIMIT_SESSION_REQUESTS_PER_MINUTE),
      newSessions: value('LIMIT_NEW_SESSIONS_PER_MINUTE', variables.LIMIT_NEW_SESSIONS_PER_MINUTE),
      failedAuthentications: value(
        'LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE',
        variables.LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE,
      ),
      streams: value('LIMIT_STREAMS_PER_KEY', variables.LIMIT_STREAMS_PER_KEY),
      monthlyCalls: value('LIMIT_MONTHLY_CALLS', variables.LIMIT_MONTHLY_CALLS),
    },
    redisUrl: value('REDIS_URL', variables.REDIS_URL),
    programPath: env['PATH'],
    testClockFile: value('TEST_CLOCK_FILE', variables.TEST_CLOCK_FILE),
  };
  const reported = faults.length > 0 ? faults : findConflicts(config);
  if (reported.length > 0) throw new ConfigError(reported.join('; '));
  return Object.freeze(config) as Config;
}

/**
 * Returns the value of a variable, or the content of the file that NAME_FILE names, without its last line break.
 * Rejects an empty file, because the default would silently replace a missing secret.
 */
function readText(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const fileName = `${name}_FILE`;
  const file = fileName in variables ? env[fileName] : undefined;
  if (!file) return env[name];
  if (env[name]) throw new ConfigError(`and ${fileName} are both set: unset one of them`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigError(`cannot be read from ${fileName}: ${(error as Error).message}`);
  }
  if (text === '') throw new ConfigError(`cannot be read from ${fileName}: ${file} is empty`);
  return text;
}

/** Returns one error per pair of settings that contradict each other. */
function findConflicts({ maxTimestampAgeMs, retention }: Pick<Config, 'maxTimestampAgeMs' | 'retention'>): string[] {
  const { readingsMs, idleSessionsMs } = retention;
  return [
    ...(idleSessionsMs < readingsMs
      ? [`RETENTION_IDLE_SESSIONS_HOURS must be at least RETENTION_READINGS_HOURS (${readingsMs / hourMs})`]
      : []),
    // A resent reading is detected only while the original reading is stored.
    ...(maxTimestampAgeMs > readingsMs
      ? [`MAX_TIMESTAMP_AGE_SECONDS must be at most RETENTION_READINGS_HOURS, which are ${readingsMs / 1000} seconds`]
      : []),
  ];
}
