import ipaddr from 'ipaddr.js';
import type { FaultCode } from '../contract.js';
import { parseUrl } from '../parse-url.js';

/** What this deployment allows as a target beyond https to public addresses. */
export interface TargetPolicy {
  readonly allowHttp: boolean;
  readonly allowLoopback: boolean;
}

type UrlFault = Extract<FaultCode, `url_${string}` | 'address_refused'>;

/** A public address all the same, but of a host's own metadata service (Azure). */
const metadataAddresses = ['168.63.129.16'];
/** IPv6 addresses that are routed at all (RFC 4291, 2.4): what embeds an IPv4 address by translation lies outside or is named by its range. */
const globalUnicast = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** What is wrong with the URL by itself; undefined for one that may be dialled, as far as can be told without looking its name up. */
export function faultOfUrl(text: string, policy: TargetPolicy): UrlFault | undefined {
  const url = parseUrl(text);
  if (!url) return 'url_invalid';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'url_scheme';
  if (url.hostname === '' || /[\s\\]|\p{Cc}/u.test(text)) return 'url_invalid';
  if (url.username !== '' || url.password !== '') return 'url_credentials';
  if (text.includes('#')) return 'url_fragment';
  const address = literalAddress(url);
  if (address !== undefined) return faultOfAddress(address, url, policy);
  const isLoopback = isLoopbackName(url.hostname);
  if (isLoopback && !policy.allowLoopback) return 'address_refused';
  return isSchemeAllowed(url, isLoopback, policy) ? undefined : 'url_scheme';
}

/** What is wrong with dialling this address for the URL. */
export function faultOfAddress(address: string, { protocol }: URL, policy: TargetPolicy): UrlFault | undefined {
  const range = rangeOf(address);
  const isLoopback = range === 'loopback';
  if (range !== 'public' && !(isLoopback && policy.allowLoopback)) return 'address_refused';
  return isSchemeAllowed({ protocol }, isLoopback, policy) ? undefined : 'url_scheme';
}

/** Where the host is an address in whatever notation, its usual one; the URL parser has read decimal, octal and hex. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Without TLS only to the machine itself, where loopback is allowed at all, or where the deployment allows http. */
function isSchemeAllowed(
  { protocol }: { protocol: string },
  isLoopback: boolean,
  { allowHttp, allowLoopback }: TargetPolicy,
): boolean {
  return protocol === 'https:' || allowHttp || (isLoopback && allowLoopback);
}

/** RFC 6761, 6.3: loopback by definition, whether a resolver knows them or not. */
function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname);
}

function rangeOf(address: string): 'public' | 'loopback' | 'refused' {
  if (!ipaddr.isValid(address)) return 'refused';
  const parsed = parse(address);
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  if (range !== 'unicast' || metadataAddresses.includes(parsed.toString())) return 'refused';
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(globalUnicast) ? 'public' : 'refused';
}

/** An IPv4 address that is written as an IPv6 one counts as itself. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!address.includes(':')) return ipaddr.parse(address);
  // The package takes ::127.0.0.1 for ::ffff:127.0.0.1; in hexadecimal, as the URL parser writes it, it does not.
  const [bare = ''] = address.split('%');
  return ipaddr.process(new URL(`http://[${bare}]`).hostname.slice(1, -1));
}
