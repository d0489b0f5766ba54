import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const networksMax = 32;
/** Prefix length of IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`), in bits. */
const mappedBits = 96;

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Returns networks in canonical CIDR notation: host bits are cleared, and an address becomes a network of one address.
 * Throws an Error that names the invalid entry.
 */
export function parseNetworks(texts: readonly string[]): string[] {
  if (texts.length > networksMax) throw new Error(`A key has at most ${networksMax} networks.`);
  return [...new Set(texts.map((text) => formatNetwork(parseNetwork(text))))];
}

/**
 * Returns a function that checks whether an address, as reported by a socket, is in one of the networks (in canonical
 * form). Treats the IPv4 client of a dual-stack socket, `::ffff:10.0.0.1`, as IPv4.
 */
export function createNetworkCheck(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), findFamily(address));
  }
  return (address = '') => {
    // A link-local address ends with a zone, the name of an interface: fe80::1%eth0.
    const [plain = ''] = address.split('%');
    return isIP(plain) !== 0 && list.check(plain, findFamily(plain));
  };
}

function findFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function parseNetwork(text: string): Network {
  const [address = '', prefix] = text.split('/', 2);
  const bitsMax = isIP(address) === 4 ? 32 : 128;
  const bits = prefix === undefined ? bitsMax : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (isIP(address) === 0 || address.includes('%') || text.split('/').length > 2 || !(bits <= bitsMax))
    throw new Error(`"${text}" is not a network: write an IPv4 or IPv6 CIDR like 10.0.0.0/8 or 2001:db8::/32.`);
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= mappedBits
    ? [parsed.toIPv4Address(), bits - mappedBits]
    : [parsed, bits];
}

function formatNetwork([address, bits]: Network): string {
  const cidr = `${address.toString()}/${bits}`;
  const first =
    address instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
      : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return `${first.toString()}/${bits}`;
}
