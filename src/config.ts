/** The environment as one frozen object. Every fault is reported at once, naming the variable and the remedy. */
import { limits, timestamps } from '../generated/spec.js';
import {
  ConfigError,
  type DatabaseConfig,
  integerBetween,
  oneOf,
  readDatabaseUrl,
  readOrigins,
  readRedisUrl,
  readSecretsKey,
  readSwitch,
  unlessEmpty,
} from './read-variable.js';

export type { DatabaseConfig };

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseConfig;
  readonly logLevel: string;
  readonly maxTimestampAgeMs: number;
  /** Keys the digests of readings and seals the secrets of webhooks; absent: one is kept beside an embedded database, or derived from DATABASE_URL. */
  readonly secretsKey: string | undefined;
  /** Whether this process delivers webhooks. */
  readonly hasWorker: boolean;
  /** Connections at once; further ones are closed at once. */
  readonly connectionsMax: number;
  /** Requests under way at once; further ones are answered with 503. */
  readonly underWayMax: number;
  /** Origins of web pages that may call. */
  readonly corsOrigins: readonly string[];
  /** Absent: no metrics are served. */
  readonly metricsPort: number | undefined;
  readonly targetPolicy: { readonly allowHttp: boolean; readonly allowLoopback: boolean };
  readonly quotas: Quotas;
  /** Where all processes count requests together; absent: each counts by itself. */
  readonly redisUrl: string | undefined;
}

/** What a deployment allows; 0 is without limit. */
export interface Quotas {
  /** A minute and session. */
  readonly sessionRequests: number;
  /** A minute and key. */
  readonly newSessions: number;
  /** A month and account, whatever its tier; undefined is by tier. */
  readonly monthlyCalls: number | undefined;
}

/** One row a variable: what --help and the README say, the default, and how the text is read. */
interface Variable<T> {
  readonly help: string;
  readonly fallback: string;
  readonly read: (text: string) => T;
}

const quotaMax = 1_000_000_000;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const variables = {
  HOST: variable('address to listen on', '127.0.0.1', (text) => text),
  PORT: variable('port to listen on; 0 takes a free one', '8080', integerBetween(0, 65_535)),
  DATABASE_URL: variable(
    'sqlite:FILE, or mysql://USER:PASSWORD@HOST:PORT/DATABASE for MySQL and MariaDB',
    'sqlite:./data/state.db',
    readDatabaseUrl,
  ),
  LOG_LEVEL: variable(logLevels.join(', '), 'info', oneOf(logLevels)),
  MAX_TIMESTAMP_AGE_SECONDS: variable(
    'how old the timestamp of a reading may be',
    String(timestamps.max_age_seconds),
    integerBetween(1, 86_400),
  ),
  SECRETS_KEY: variable(
    'keys the digests of readings and seals the secrets of webhooks: 32 or more random characters, the same on every ' +
      'replica and worker. ' +
      'Default: a file made beside an embedded database; with MySQL derived from DATABASE_URL',
    '',
    readSecretsKey,
  ),
  MAX_CONNECTIONS: variable('connections at once; more are closed', '10000', integerBetween(1, 1_000_000)),
  MAX_REQUESTS: variable('requests under way at once; more get a 503', '2000', integerBetween(1, 1_000_000)),
  CORS_ORIGINS: variable(
    'origins of web pages that may call, separated by commas, like https://app.example.com. Default: none',
    '',
    readOrigins,
  ),
  METRICS_PORT: variable(
    'port on HOST for Prometheus, at /metrics. Default: none',
    '',
    unlessEmpty(integerBetween(0, 65_535)),
  ),
  WORKER: variable('1: this process delivers webhooks; 0 leaves that to `npm run deliver`', '1', readSwitch),
  WEBHOOK_ALLOW_HTTP: variable('1: webhooks may go to http URLs as well', '0', readSwitch),
  WEBHOOK_ALLOW_LOOPBACK: variable(
    '1: webhooks may go to this machine itself, for tests. Default: 1 with an embedded database, else 0',
    '',
    unlessEmpty(readSwitch),
  ),
  LIMIT_SESSION_REQUESTS_PER_MINUTE: variable(
    'requests a minute and session; 0 is without limit',
    String(limits.session_requests.quota),
    integerBetween(0, quotaMax),
  ),
  LIMIT_NEW_SESSIONS_PER_MINUTE: variable(
    'new sessions a minute and key; 0 is without limit',
    String(limits.new_sessions.quota),
    integerBetween(0, quotaMax),
  ),
  LIMIT_MONTHLY_CALLS: variable(
    'calls a month of every account; 0 is without limit. Default: by tier',
    '',
    unlessEmpty(integerBetween(0, quotaMax)),
  ),
  REDIS_URL: variable(
    'redis://USER:PASSWORD@HOST:PORT/NUMBER, or rediss: with TLS: where all processes count requests together. ' +
      'Default: each process counts by itself',
    '',
    unlessEmpty(readRedisUrl),
  ),
};

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
  const config = {
    host: value('HOST', variables.HOST),
    port: value('PORT', variables.PORT),
    database,
    logLevel: value('LOG_LEVEL', variables.LOG_LEVEL),
    maxTimestampAgeMs: (value('MAX_TIMESTAMP_AGE_SECONDS', variables.MAX_TIMESTAMP_AGE_SECONDS) ?? 0) * 1000,
    secretsKey: value('SECRETS_KEY', variables.SECRETS_KEY),
    connectionsMax: value('MAX_CONNECTIONS', variables.MAX_CONNECTIONS),
    underWayMax: value('MAX_REQUESTS', variables.MAX_REQUESTS),
    corsOrigins: value('CORS_ORIGINS', variables.CORS_ORIGINS),
    metricsPort: value('METRICS_PORT', variables.METRICS_PORT),
    hasWorker: value('WORKER', variables.WORKER),
    targetPolicy: {
      allowHttp: value('WEBHOOK_ALLOW_HTTP', variables.WEBHOOK_ALLOW_HTTP),
      allowLoopback: value('WEBHOOK_ALLOW_LOOPBACK', variables.WEBHOOK_ALLOW_LOOPBACK) ?? database?.kind === 'sqlite',
    },
    quotas: {
      sessionRequests: value('LIMIT_SESSION_REQUESTS_PER_MINUTE', variables.LIMIT_SESSION_REQUESTS_PER_MINUTE),
      newSessions: value('LIMIT_NEW_SESSIONS_PER_MINUTE', variables.LIMIT_NEW_SESSIONS_PER_MINUTE),
      monthlyCalls: value('LIMIT_MONTHLY_CALLS', variables.LIMIT_MONTHLY_CALLS),
    },
    redisUrl: value('REDIS_URL', variables.REDIS_URL),
  };
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return Object.freeze(config) as Config;
}

/** The table of variables as text for --help. */
export function describeVariables(): string {
  return Object.entries(variables)
    .map(([name, { help, fallback }]) => `  ${name.padEnd(34)} ${help}${fallback && ` (default ${fallback})`}`)
    .join('\n');
}

function variable<T>(help: string, fallback: string, read: (text: string) => T): Variable<T> {
  return { help, fallback, read };
}
