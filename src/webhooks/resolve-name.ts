import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createTurns } from '../limits/turns.js';
import { isLoopbackName } from './target.js';

/** Resolves with the addresses of a name. Rejects with NameNotResolvedError. */
export type ResolveName = (hostname: string, accountId: string) => Promise<LookupAddress[]>;

export class NameNotResolvedError extends Error {}

const query = { timeout: 2_000, tries: 2 };
/** Time limit of a lookup in ms. Without it, c-ares may wait longer for a nameserver. */
const limitMs = 6_000;
/** How long a lookup waits for the second address family after the first has resolved, in ms. */
const otherFamilyMs = 200;
/**
 * Limits of the lookups per account. The queue holds more lookups than an account has delivery slots, but its memory
 * stays small.
 */
const limits = { running: 8, waiting: 600 };
const cached = { names: 1_000, foundMs: 5_000, failedMs: 1_000 };
const loopback = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves names without the thread pool of `dns.lookup`, which an unresponsive nameserver would exhaust. Uses the
 * hosts file but no search domains. `servers` replaces the system's nameservers.
 */
export function createResolveName(servers?: readonly string[]): ResolveName {
  const findInHostsFile = createHostsFile();
  const takeTurn = createTurns({
    atOnceMax: limits.running,
    turnsMax: limits.running + limits.waiting,
    refuse: () =>
      new NameNotResolvedError(`too many lookups of this account are waiting: the limit is ${limits.waiting}`),
  });
  // One resolver per account, so that no account can observe or delay the lookups of another.
  const lookups = new LRUCache<string, Promise<LookupAddress[]>>({ max: cached.names });
  const ask = async (accountId: string, hostname: string) => {
    const end = await takeTurn(accountId);
    try {
      const resolver = new Resolver(query);
      if (servers) resolver.setServers(servers);
      return await queryAddresses(resolver, hostname);
    } finally {
      end();
    }
  };
  return async (hostname, accountId) => {
    const known = await findInHostsFile(hostname);
    if (known.length > 0) return known;
    if (isLoopbackName(hostname)) return loopback;
    const key = `${accountId} ${hostname}`;
    const running = lookups.get(key);
    if (running) return running;
    const lookup = ask(accountId, hostname);
    lookups.set(key, lookup);
    const keepFor = (ttl: number) => lookups.peek(key) === lookup && lookups.set(key, lookup, { ttl });
    lookup.then(
      () => keepFor(cached.foundMs),
      () => keepFor(cached.failedMs),
    );
    return lookup;
  };
}

/**
 * Returns IPv4 addresses before IPv6 addresses. On a host without IPv6, an IPv6 address fails, and the next address is
 * tried only after a delay.
 */
async function queryAddresses(resolver: Resolver, hostname: string): Promise<LookupAddress[]> {
  const found: LookupAddress[] = [];
  const add = (family: 4 | 6) => (addresses: string[]) =>
    void found.push(...addresses.map((address) => ({ address, family })));
  const four = resolver.resolve4(hostname).then(add(4));
  const six = resolver.resolve6(hostname).then(add(6));
  const either = Promise.any([four, six]).then(
    () => sleep(otherFamilyMs, undefined, { ref: false }),
    () => undefined,
  );
  const timeUp = sleep(limitMs, undefined, { ref: false });
  await Promise.race([Promise.allSettled([four, six]), either, timeUp]);
  resolver.cancel();
  if (found.length === 0) throw new NameNotResolvedError(`${hostname} does not resolve`);
  return found.sort((a, b) => a.family - b.family);
}

const path = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/**
 * Returns a function that looks up a name in the hosts file. After a change of the file, the function reads it again.
 */
export function createHostsFile(file = path): (hostname: string) => Promise<LookupAddress[]> {
  let readAtMs: number | undefined;
  let entries = new Map<string, LookupAddress[]>();
  return async (hostname) => {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: undefined }));
    if (mtimeMs !== undefined && mtimeMs !== readAtMs) {
      entries = parseHosts(await readFile(file, 'utf8').catch(() => ''));
      readAtMs = mtimeMs;
    }
    return entries.get(hostname.toLowerCase().replace(/\.$/, '')) ?? [];
  };
}

/** Parses the lines of a hosts file. Each line is an address followed by its names. `#` starts a comment. */
function parseHosts(text: string): Map<string, LookupAddress[]> {
  const entries = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((it) => it.toLowerCase()))
      entries.set(name, [...(entries.get(name) ?? []), { address, family }]);
  }
  return entries;
}
