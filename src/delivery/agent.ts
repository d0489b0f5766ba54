import { lookup as systemLookup } from 'node:dns';
import { isIPv6, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { faultOfAddress, literalAddress, type TargetPolicy } from './target.js';

const keepAliveMs = 4_000;

/** The address that was about to be dialled may not be a target. */
export class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

/**
 * Dials receivers. Each address is judged at the moment it is dialled, so that a name that resolves to another one
 * than at registration, or to another one every time, gains nothing.
 */
export function createAgent(policy: TargetPolicy, connectionsPerReceiver: number, timeoutMs: number): Agent {
  const connectorOf = (protocol: string) =>
    buildConnector({ timeout: timeoutMs, lookup: judgingLookup(new URL(`${protocol}//name`), policy) });
  const connectors = new Map(['http:', 'https:'].map((protocol) => [protocol, connectorOf(protocol)]));
  return new Agent({
    connections: connectionsPerReceiver,
    keepAliveTimeout: keepAliveMs,
    connect(options, callback) {
      // Without the brackets that an IPv6 address has in a URL.
      const host = isIPv6(options.hostname) ? `[${options.hostname}]` : options.hostname;
      const url = new URL(`${options.protocol}//${host}`);
      // A literal address is dialled without being looked up.
      const address = literalAddress(url);
      if (address !== undefined && faultOfAddress(address, url, policy)) callback(new AddressRefusedError(), null);
      else connectors.get(options.protocol)?.(options, callback);
    },
  });
}

/** Hands out the allowed ones of a name's addresses; fails when there is none. */
function judgingLookup(url: URL, policy: TargetPolicy): LookupFunction {
  return (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const allowed = found.filter(({ address }) => faultOfAddress(address, url, policy) === undefined);
      const [first] = allowed;
      if (!first) return callback(new AddressRefusedError(), []);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
