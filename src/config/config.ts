import { retention as retentionDefaults } from '../../generated/spec.js';
import { findOAuthConflicts, readOAuth } from './oauth.js';
import { ConfigError, readVariables } from '../../packages/settings/variables.js';
import { retentionSettings, variables } from './variables.js';

export type { DatabaseConfig, SecretsKeys } from './read-variable.js';

/** The settings of a process. `variables` describes them. */
export type Config = ReturnType<typeof buildConfig>;

/**
 * How long data is stored in ms: after the timestamp of a reading (`readingsMaxMs`: the most that an account may set), the last
 * reading of a session, the end of a delivery, the start of an hour of a person (0: no hours are stored), the last access of a
 * chain of the access record (0: none is recorded), the time that a report is about, and an erasure. A session is stored at
 * least as long as its readings.
 */
export type RetentionTimes = Readonly<Record<(typeof retentionSettings)[keyof typeof retentionSettings], number>>;

/** Request limits of a deployment. 0 means unlimited. */
export type Quotas = Config['quotas'];

const hourMs = 3_600_000;
/** Longer than load balancers and Kubernetes take to stop sending requests after a failed readiness check. */
const defaultShutdownDelaySeconds = 5;

/**
 * Reads the environment, as on a database of 1.0.0: see `withDefaultHours`. Throws one error that lists every invalid variable
 * with its allowed values.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const values = readVariables(env, variables);
  const config = Object.freeze(withDefaultHours(buildConfig(values, env['PATH'])));
  const conflicts = [...findConflicts(config), ...findOAuthConflicts(values)];
  if (conflicts.length > 0) throw new ConfigError(conflicts.join('; '));
  return config;
}

type Values = { readonly [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]['read']> };

function buildConfig(values: Values, programPath: string | undefined) {
  const isEmbedded = values.DATABASE_URL.kind === 'sqlite';
  const allowLoopback = values.WEBHOOK_ALLOW_LOOPBACK ?? isEmbedded;
  const shutdownDelaySeconds = values.SHUTDOWN_DELAY_SECONDS ?? (isEmbedded ? 0 : defaultShutdownDelaySeconds);
  return {
    host: values.HOST,
    port: values.PORT,
    database: values.DATABASE_URL,
    logLevel: values.LOG_LEVEL,
    maxTimestampAgeMs: 1000 * values.MAX_TIMESTAMP_AGE_SECONDS,
    /** If absent, an embedded database uses a key file in its folder. MySQL requires them. */
    secretsKeys: values.SECRETS_KEY,
    connectionsMax: values.MAX_CONNECTIONS,
    inFlightMax: values.MAX_REQUESTS,
    threads: values.THREADS,
    streamsMax: values.MAX_STREAMS,
    keyHeaders: values.KEY_HEADERS,
    corsOrigins: values.CORS_ORIGINS ?? [],
    /** URL of the service for clients. Undefined: not known. */
    publicUrl: values.PUBLIC_URL,
    /** URL of the listener that serves only posts of sources. Undefined: there is none. */
    sourcesUrl: values.SOURCES_URL,
    trustProxy: values.TRUST_PROXY,
    metricsPort: values.METRICS_PORT,
    backupStatusFile: values.BACKUP_STATUS_FILE,
    shutdownDelayMs: 1000 * shutdownDelaySeconds,
    hasWorker: values.WORKER,
    targetPolicy: { allowHttp: values.WEBHOOK_ALLOW_HTTP, allowLoopback },
    dnsServers: values.WEBHOOK_DNS_SERVERS,
    /** Whether failed deliveries store the start of the receiver's response. */
    keepsResponses: values.WEBHOOK_KEEP_ANSWERS ?? !allowLoopback,
    /** The external check of messages. Undefined: there is none. */
    safetyCheck: values.SAFETY_URL === undefined ? undefined : { url: values.SAFETY_URL, secret: values.SAFETY_SECRET },
    safetyTimeoutMs: values.SAFETY_TIMEOUT_MS,
    gatewayTimeoutMs: values.GATEWAY_STATE_TIMEOUT_MS,
    retention: readRetention(values),
    /** The hours that variables state. */
    stated: {
      readings: values.RETENTION_READINGS_HOURS,
      readingsMax: values.RETENTION_READINGS_MAX_HOURS,
      idleSessions: values.RETENTION_IDLE_SESSIONS_HOURS,
    },
    quotas: {
      sessionRequests: values.LIMIT_SESSION_REQUESTS_PER_MINUTE,
      newSessions: values.LIMIT_NEW_SESSIONS_PER_MINUTE,
      failedAuthentications: values.LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE,
      streams: values.LIMIT_STREAMS_PER_KEY,
      /** Undefined: each tier has its own quota. */
      monthlyCalls: values.LIMIT_MONTHLY_CALLS,
    },
    redisUrl: values.REDIS_URL,
    securityContact: values.SECURITY_CONTACT,
    /** Undefined: no OAuth token is accepted. */
    oauth: readOAuth(values),
    /** The folders in which the programs of MySQL are found. */
    programPath,
    testClockFile: values.TEST_CLOCK_FILE,
  };
}

function readRetention(values: Values): RetentionTimes {
  const times = Object.entries(retentionSettings).map(([name, key]) => {
    const unitMs = name.endsWith('_HOURS') ? hourMs : 24 * hourMs;
    return [key, (values[name as keyof typeof retentionSettings] ?? 0) * unitMs];
  });
  return Object.fromEntries(times);
}

/**
 * Returns the configuration on a database that keeps readings and idle sessions for `defaultHours`, unless variables state
 * other times. Without `defaultHours`, on a database of 1.0.0.
 */
export function withDefaultHours<T extends Pick<Config, 'retention' | 'stated'>>(
  config: T,
  defaultHours: number = retentionDefaults.earlier_hours,
): T {
  const { readings, readingsMax = 0, idleSessions } = config.stated;
  // A deployment of 1.0.0 that states only the time of sessions also starts on a new database.
  const sessionHours = Math.max(idleSessions ?? Infinity, retentionDefaults.earlier_hours);
  const hours = readings ?? Math.min(defaultHours, sessionHours);
  const times = {
    readingsMs: hours * hourMs,
    readingsMaxMs: Math.max(readingsMax, hours) * hourMs,
    idleSessionsMs: (idleSessions ?? Math.max(retentionDefaults.earlier_hours, hours)) * hourMs,
  };
  return { ...config, retention: { ...config.retention, ...times } };
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
