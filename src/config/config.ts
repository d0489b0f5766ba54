/**
 * Reads the environment into one frozen object. Reports all invalid variables together, each with its allowed values.
 */
import { ConfigError, type DatabaseConfig } from './read-variable.js';
import { type Variable, variables } from './variables.js';

export type { DatabaseConfig };

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseConfig;
  readonly logLevel: string;
  readonly maxTimestampAgeMs: number;
  /**
   * Key for reading digests and webhook secrets. Absent: an embedded database uses a key file next to it, MySQL a key
   * derived from DATABASE_URL.
   */
  readonly secretsKey: string | undefined;
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
  /** Proxies whose X-Forwarded-For is trusted: their number, or their networks. */
  readonly trustProxy: number | readonly string[];
  /** Absent: no metrics server. */
  readonly metricsPort: number | undefined;
  readonly targetPolicy: { readonly allowHttp: boolean; readonly allowLoopback: boolean };
  /** Whether failed deliveries store the start of the receiver's response. */
  readonly keepsAnswers: boolean;
  /** Nameservers for the hosts of webhooks. Absent: the system's nameservers. */
  readonly dnsServers: readonly string[] | undefined;
  readonly quotas: Quotas;
  /** Shares the rate limits between processes. Absent: each process counts separately. */
  readonly redisUrl: string | undefined;
}

/** Quotas of a deployment. 0 means unlimited. */
export interface Quotas {
  /** Per minute and session. */
  readonly sessionRequests: number;
  /** Per minute and key. */
  readonly newSessions: number;
  /** Per minute and address. */
  readonly failedAuthentications: number;
  /** Open streams per key and process. */
  readonly streams: number;
  /** Per month and account, for every tier. Undefined: each tier's own quota applies. */
  readonly monthlyCalls: number | undefined;
}

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const value = <T>(name: string, { fallback, read }: Variable<T>): T | undefined => {
    try {
      return read(env[name] || fallback);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return undefined;
    }
  };
  const database = value('DATABASE_URL', variables.DATABASE_URL);
  const allowLoopback =
    value('WEBHOOK_ALLOW_LOOPBACK', variables.WEBHOOK_ALLOW_LOOPBACK) ?? database?.kind === 'sqlite';
  const config = {
    host: value('HOST', variables.HOST),
    port: value('PORT', variables.PORT),
    database,
    logLevel: value('LOG_LEVEL', variables.LOG_LEVEL),
    maxTimestampAgeMs: (value('MAX_TIMESTAMP_AGE_SECONDS', variables.MAX_TIMESTAMP_AGE_SECONDS) ?? 0) * 1000,
    secretsKey: value('SECRETS_KEY', variables.SECRETS_KEY),
    connectionsMax: value('MAX_CONNECTIONS', variables.MAX_CONNECTIONS),
    inFlightMax: value('MAX_REQUESTS', variables.MAX_REQUESTS),
    streamsMax: value('MAX_STREAMS', variables.MAX_STREAMS),
    corsOrigins: value('CORS_ORIGINS', variables.CORS_ORIGINS),
    trustProxy: value('TRUST_PROXY', variables.TRUST_PROXY),
    metricsPort: value('METRICS_PORT', variables.METRICS_PORT),
    hasWorker: value('WORKER', variables.WORKER),
    targetPolicy: {
      allowHttp: value('WEBHOOK_ALLOW_HTTP', variables.WEBHOOK_ALLOW_HTTP),
      allowLoopback,
    },
    dnsServers: value('WEBHOOK_DNS_SERVERS', variables.WEBHOOK_DNS_SERVERS),
    keepsAnswers: value('WEBHOOK_KEEP_ANSWERS', variables.WEBHOOK_KEEP_ANSWERS) ?? !allowLoopback,
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
  };
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return Object.freeze(config) as Config;
}
