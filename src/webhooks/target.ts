import ipaddr from 'ipaddr.js';
import type { FaultCode } from '../contract/contract.js';
import { parseUrl } from '../../packages/settings/parse-url.js';

/** Targets that the deployment allows besides https URLs with public addresses. */
export interface TargetPolicy {
  readonly allowHttp: boolean;
  readonly allowLoopback: boolean;
}

type UrlFault = Extract<FaultCode, `url_${string}` | 'address_refused'>;

/** Public addresses that must not be targets: the metadata service of Azure. */
const metadataAddresses = ['168.63.129.16'];
/**
 * The range of public IPv6 addresses (RFC 4291, 2.4). IPv4 translation prefixes lie outside it, or ipaddr.js reports them
 * as a separate range.
 */
const globalUnicast = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Returns the reason why the URL is not allowed as a target. Undefined if it is allowed. Does not resolve the name. */
export function findUrlFault(text: string, policy: TargetPolicy): UrlFault | undefined {
  const url = parseUrl(text);
  if (!url) return 'url_invalid';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'url_scheme';
  if (url.hostname === '' || /[\s\\]|\p{Cc}/u.test(text)) return 'url_invalid';
  if (url.username !== '' || url.password !== '') return 'url_credentials';
  if (text.includes('#')) return 'url_fragment';
  const address = readLiteralAddress(url);
  if (address !== undefined) return findAddressFault(address, url, policy);
  const isLoopback = isLoopbackName(url.hostname);
  if (isLoopback && !policy.allowLoopback) return 'address_refused';
  return isSchemeAllowed(url, isLoopback, policy) ? undefined : 'url_scheme';
}

/** Returns the reason why the address is not allowed for the URL. Undefined if it is allowed. */
export function findAddressFault(address: string, { protocol }: URL, policy: TargetPolicy): UrlFault | undefined {
  const range = findRange(address);
  const isLoopback = range === 'loopback';
  if (range !== 'public' && !(isLoopback && policy.allowLoopback)) return 'address_refused';
  return isSchemeAllowed({ protocol }, isLoopback, policy) ? undefined : 'url_scheme';
}

/**
 * Returns the host if it is an IP address, and undefined if it is a name. The URL parser has already normalized
 * decimal, octal and hex notations.
 */
export function readLiteralAddress({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : undefined;
}

/**
 * Returns true for https. Returns true for http only if the deployment allows http, or allows loopback and the target
 * is loopback.
 */
function isSchemeAllowed(
  { protocol }: { protocol: string },
  isLoopback: boolean,
  { allowHttp, allowLoopback }: TargetPolicy,
): boolean {
  return protocol === 'https:' || allowHttp || (isLoopback && allowLoopback);
}

/** Returns true for `localhost` and its subdomains, which are always loopback (RFC 6761, 6.3). */
export function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname);
}

function findRange(address: string): 'public' | 'loopback' | 'refused' {
  if (!ipaddr.isValid(address)) return 'refused';
  const parsed = parse(address);
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  if (range !== 'unicast' || metadataAddresses.includes(parsed.toString())) return 'refused';
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(globalUnicast) ? 'public' : 'refused';
}

/** Parses an address. Converts an IPv4-mapped IPv6 address to IPv4. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!address.includes(':')) return ipaddr.parse(address);
  // ipaddr.js parses ::127.0.0.1 as ::ffff:127.0.0.1. The hexadecimal notation of the URL parser prevents this.
  const [bare = ''] = address.split('%');
  return ipaddr.process(new URL(`http://[${bare}]`).hostname.slice(1, -1));
}
