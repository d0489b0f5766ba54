import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../contract/parse-url.js';
import { listMysqlUrls, readMysqlTls } from './mysql-url.js';

/**
 * Functions that read environment variables. Each converts text to a value or throws a ConfigError that names the
 * remedy.
 */

export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the values of a table of variables. Throws one ConfigError that lists every invalid variable. */
export function readVariables<T extends object>(
  env: Environment,
  table: { readonly [Name in keyof T]: Variable<T[Name]> },
): T {
  const faults: string[] = [];
  const read = ([name, variable]: [string, Variable<unknown>]) => {
    try {
      const text = `${name}_FILE` in table ? readTextOrFile(env, name) : env[name];
      return [name, variable.read(text || variable.fallback)];
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return [name, undefined];
    }
  };
  const values = Object.entries<Variable<unknown>>(table).map(read);
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return Object.fromEntries(values) as T;
}

/**
 * Returns the value of a variable, or the content of the file that NAME_FILE names, without its last line break.
 * Rejects an empty file, because the default would silently replace a missing secret.
 */
function readTextOrFile(env: Environment, name: string): string | undefined {
  const fileName = `${name}_FILE`;
  const file = env[fileName];
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

export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly file: string }
  /** `mysqlUrls` splits a URL with several hosts. */
  | { readonly kind: 'mysql'; readonly url: string };

export function createIntegerReader(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new ConfigError(`must be a whole number from ${min} to ${max}, not "${text}"`);
    return number;
  };
}

export function listChoices(allowed: readonly string[]): (text: string) => string {
  return (text) => {
    if (!allowed.includes(text)) throw new ConfigError(`must be one of ${allowed.join(', ')}, not "${text}"`);
    return text;
  };
}

/**
 * Returns CORS origins, which consist of scheme, host and port only. Rejects an asterisk, which would allow every web
 * page.
 */
export function readOrigins(text: string): string[] {
  const origins = splitList(text).filter((part) => part !== '');
  const odd = origins.find((part) => parseUrl(part)?.origin !== part);
  if (odd !== undefined)
    throw new ConfigError(`must be comma-separated origins like https://app.example.com, not "${odd}"`);
  return origins;
}

/** Headers in which a key would be taken for something else. */
const otherHeaders = ['authorization', 'cookie', 'host', 'origin', 'content-type', 'content-length', 'idempotency-key'];

/** Returns names of headers in lower case, as Node does. */
export function readHeaderNames(text: string): string[] {
  const names = splitList(text.toLowerCase());
  const odd = names.find((name) => !/^[a-z][a-z0-9-]{0,63}$/.test(name) || otherHeaders.includes(name));
  if (odd !== undefined) throw new ConfigError(`must be comma-separated names of headers for a key, not "${odd}"`);
  return names;
}

function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

export function readProxies(text: string): number | string[] {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const networks = splitList(text);
  const odd = networks.find((part) => !ipaddr.isValid(part) && !ipaddr.isValidCIDR(part));
  if (odd !== undefined)
    throw new ConfigError(
      `must be a count of proxies, e.g. 2, or comma-separated networks, e.g. 10.0.0.0/8, not "${odd}"`,
    );
  return networks;
}

export function readSwitch(text: string): boolean {
  if (text !== '0' && text !== '1') throw new ConfigError(`must be 0 or 1, not "${text}"`);
  return text === '1';
}

/** Reads DATABASE_URL and its certificates. Errors never contain the text, which may include a password. */
export function readDatabaseUrl(text: string): DatabaseConfig {
  if (text.startsWith('sqlite:') && text.length > 'sqlite:'.length)
    return { kind: 'sqlite', file: text.slice('sqlite:'.length) };
  const urls = listMysqlUrls(text);
  if (urls.every((url) => isMysqlUrl(url, urls.length > 1))) {
    for (const url of urls) readMysqlTls(new URL(url));
    return { kind: 'mysql', url: text };
  }
  throw new ConfigError(
    'must be sqlite:FILE or mysql://USER:PASSWORD@HOST:PORT/DATABASE, with several hosts as HOST:PORT,HOST:PORT, ' +
      'and for TLS ?ssl-mode=MODE',
  );
}

/** Returns true for a MySQL URL with one host. Does not check its parameters. */
function isMysqlUrl(text: string, requiresHost: boolean): boolean {
  const url = text.startsWith('mysql://') ? parseUrl(text) : undefined;
  if (!url || (requiresHost && url.hostname === '')) return false;
  const { pathname, username, password } = url;
  return pathname.length > 1 && [pathname, username, password].every(isDecodable);
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Names of a local network. */
const localName = /^localhost$|\.(local|lan|internal|home\.arpa)$/;
const privateRanges = ['private', 'loopback', 'linkLocal', 'uniqueLocal'];

/** Returns PUBLIC_URL without a slash at its end. Health data must not cross the internet in plain text. */
export function readPublicUrl(text: string): string {
  const url = parseUrl(text);
  const [host, isPlain] = [url?.hostname.replace(/^\[|\]$/g, '') ?? '', url?.protocol === 'http:'];
  const isPrivate = ipaddr.isValid(host) ? privateRanges.includes(ipaddr.parse(host).range()) : localName.test(host);
  const isUsable =
    url && (url.protocol === 'https:' || (isPlain && isPrivate)) && url.href === url.origin + url.pathname;
  if (!isUsable)
    throw new ConfigError(
      'must be an https URL without a query, e.g. https://state.example.com, or http with a private address, e.g. ' +
        'http://192.168.1.20:8080',
    );
  return url.href.replace(/\/+$/, '');
}

/**
 * Reads REDIS_URL. Errors never contain the text, which may include a password. Rejects query parameters, because they
 * would change how the client works.
 */
export function readRedisUrl(text: string): string {
  if (!isRedisUrl(text))
    throw new ConfigError('must be redis://USER:PASSWORD@HOST:PORT/NUMBER, or rediss://… with TLS');
  return text;
}

function isRedisUrl(text: string): boolean {
  const url = /^rediss?:\/\//.test(text) ? parseUrl(text) : undefined;
  if (!url) return false;
  const { hostname, pathname, search, username, password } = url;
  const isNumbered = /^(\/\d{0,4})?$/.test(pathname);
  return hostname !== '' && isNumbered && search === '' && [username, password].every(isDecodable);
}

/** Reads IP addresses, each with an optional port: `10.0.0.2,10.0.0.3:5353,[::1]:53`. */
export function readAddresses(text: string): readonly string[] {
  const servers = splitList(text);
  try {
    new Resolver().setServers(servers);
    return servers;
  } catch {
    throw new ConfigError(`must be comma-separated IP addresses, each with an optional :port, not "${text}"`);
  }
}

export type SecretsKeys = readonly [string, ...string[]];

/** Errors never contain the text. */
export function readSecretsKeys(text: string): SecretsKeys {
  const keys = splitList(text);
  // Earlier keys may be such a text.
  if (keys[0]?.startsWith('$('))
    throw new ConfigError('is the text of a command, $(…), which compose and systemd do not run: set its output');
  if (keys.some((key) => key.length < 32))
    throw new ConfigError('must hold keys of at least 32 characters each, comma-separated, the newest first');
  return keys as [string, ...string[]];
}

/** Errors never contain the text. */
export function readBearerToken(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new ConfigError('must hold printable ASCII characters without spaces');
  return text;
}

/** An environment variable with its documentation. */
export interface Variable<T> extends DescribedVariable {
  /** The default. Used when the variable is unset or empty. */
  readonly fallback: string;
  readonly read: (text: string) => T;
}

export interface DescribedVariable {
  readonly help: string;
  /** Describes the default when it is not one fixed value. */
  readonly defaultNote?: string;
}

export function defineVariable<T>(help: string, fallback: string, read: (text: string) => T): Variable<T> {
  return { help, fallback, read };
}

/** Returns a variable that is undefined when it is unset or empty. */
export function defineOptionalVariable<T>(
  help: string,
  defaultNote: string,
  read: (text: string) => T,
): Variable<T | undefined> {
  return { help, defaultNote, fallback: '', read: (text) => (text === '' ? undefined : read(text)) };
}
