import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { limits } from '../../generated/spec.js';
import { type Allowance, toAllowance } from './window-limit.js';

/** Maximum number of addresses in memory. The least recently seen address is dropped first. */
const addressesMax = 20_000;
/** Number of bytes that identify an IPv6 network. A provider usually assigns a whole /64 to one customer. */
const networkBytes = 8;

interface Window {
  count: number;
  readonly endsAtMs: number;
}

/** Counts a failed authentication of an address. Returns undefined when the limit is off. */
export type FailureLimit = (address: string | undefined) => Allowance | undefined;

/**
 * Counts failed authentications per IPv4 address or per IPv6 /64 network. A window starts with the first failure. Each
 * process counts separately, in bounded memory. `now` is the clock in epoch ms.
 */
export function createFailureLimit(quota: number, now: () => number): FailureLimit {
  if (quota === 0) return () => undefined;
  const { policy, window_seconds: windowSeconds } = limits.failed_authentications;
  const windows = new LRUCache<string, Window>({ max: addressesMax });
  return (address) => {
    const nowMs = now();
    const name = toNetwork(address);
    let window = windows.get(name);
    if (!window || window.endsAtMs <= nowMs) {
      window = { count: 0, endsAtMs: nowMs + windowSeconds * 1000 };
      windows.set(name, window);
    }
    window.count += 1;
    return toAllowance({ policy, quota, windowSeconds }, window.count, window.endsAtMs - nowMs);
  };
}

/**
 * Returns the IPv4 address, or the /64 network of an IPv6 address. All invalid addresses (forged headers) share one
 * name.
 */
export function toNetwork(address = ''): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  return parsed.kind() === 'ipv4' ? parsed.toString() : Buffer.from(bytes.slice(0, networkBytes)).toString('hex');
}
