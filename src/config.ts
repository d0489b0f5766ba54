/** The environment as one frozen object. Every fault is reported at once, naming the variable and the remedy. */
import { timestamps } from '../generated/spec.js';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseConfig;
  readonly logLevel: string;
  readonly maxTimestampAgeMs: number;
  /** Keys the digests of readings; absent: one is kept beside an embedded database, or derived from DATABASE_URL. */
  readonly secretsKey: string | undefined;
}

export type DatabaseConfig =
  { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'mysql'; readonly url: string };

export class ConfigError extends Error {}

/** One row a variable: what --help and the README say, the default, and how the text is read. */
interface Variable<T> {
  readonly help: string;
  readonly fallback: string;
  readonly read: (text: string) => T;
}

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
    'keys the digests by which a resent reading is known: 32 or more random characters, the same on every replica. ' +
      'Default: a file made beside an embedded database; with MySQL derived from DATABASE_URL',
    '',
    readSecretsKey,
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
  const config = {
    host: value('HOST', variables.HOST),
    port: value('PORT', variables.PORT),
    database: value('DATABASE_URL', variables.DATABASE_URL),
    logLevel: value('LOG_LEVEL', variables.LOG_LEVEL),
    maxTimestampAgeMs: (value('MAX_TIMESTAMP_AGE_SECONDS', variables.MAX_TIMESTAMP_AGE_SECONDS) ?? 0) * 1000,
    secretsKey: value('SECRETS_KEY', variables.SECRETS_KEY),
  };
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return Object.freeze(config) as Config;
}

/** The table of variables as text for --help. */
export function describeVariables(): string {
  return Object.entries(variables)
    .map(([name, { help, fallback }]) => `  ${name.padEnd(26)} ${help}${fallback && ` (default ${fallback})`}`)
    .join('\n');
}

function variable<T>(help: string, fallback: string, read: (text: string) => T): Variable<T> {
  return { help, fallback, read };
}

function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new ConfigError(`must be a whole number from ${min} to ${max}, not "${text}"`);
    return number;
  };
}

function oneOf(allowed: readonly string[]): (text: string) => string {
  return (text) => {
    if (!allowed.includes(text)) throw new ConfigError(`must be one of ${allowed.join(', ')}, not "${text}"`);
    return text;
  };
}

/** Never repeats the text: it may hold a password. */
function readDatabaseUrl(text: string): DatabaseConfig {
  if (text.startsWith('sqlite:') && text.length > 'sqlite:'.length)
    return { kind: 'sqlite', file: text.slice('sqlite:'.length) };
  if (isMysqlUrl(text)) return { kind: 'mysql', url: text };
  throw new ConfigError('must be sqlite:FILE or mysql://USER:PASSWORD@HOST:PORT/DATABASE');
}

/** Parameters would be passed over silently, so there are none. */
function isMysqlUrl(text: string): boolean {
  if (!text.startsWith('mysql://') || !URL.canParse(text)) return false;
  const { pathname, search, username, password } = new URL(text);
  const isReadable = [pathname, username, password].every((part) => !/%(?![0-9a-f]{2})/i.test(part));
  return pathname.length > 1 && search === '' && isReadable;
}

function readSecretsKey(text: string): string | undefined {
  if (text !== '' && text.length < 32) throw new ConfigError('must have at least 32 characters');
  return text || undefined;
}
