import { Resolver } from 'node:dns';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../../packages/settings/parse-url.js';
import { ConfigError, splitList } from '../../packages/settings/variables.js';
import { listMysqlUrls, readMysqlTls } from './mysql-url.js';

/** Functions that read environment variables of the service. Each throws a ConfigError that names the remedy. */

export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly file: string }
  /** `mysqlUrls` splits a URL with several hosts. */
  | { readonly kind: 'mysql'; readonly url: string };

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

/** Returns SOURCES_URL, on which the service listens without TLS. */
export function readSourcesUrl(text: string): string {
  if (/^http:\/\/[\d.]+(:\d+)?\/?$/.test(text)) return readPublicUrl(text);
  throw new ConfigError('must be an http URL with an IPv4 address of this machine, e.g. http://192.168.1.20:8080');
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
