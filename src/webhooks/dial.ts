import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { ResolveName } from './resolve-name.js';
import { findAddressFault, readLiteralAddress, type TargetPolicy } from './target.js';

const keepAliveMs = 4_000;
/**
 * Time to try one address of a name before the next address, in ms. The 250 ms of Node are too short for distant
 * receivers.
 */
const addressMs = 1_000;
/** Idle timeout of the socket in ms. A second safeguard in addition to the time limit of the attempt. */
const silenceMs = 11_000;

const sent = { 'Content-Type': 'application/json', 'User-Agent': 'realtime-state-service' };

/** Thrown if the address is not allowed as a target. */
export class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

interface Target {
  readonly accountId: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Dial = ReturnType<typeof createDialer>['dial'];

/**
 * Creates a dialer that checks each address when it connects. This prevents DNS rebinding, where a name resolves to a
 * different address than at registration.
 */
export function createDialer(policy: TargetPolicy, resolveName: ResolveName) {
  const options = { keepAlive: true, timeout: keepAliveMs, autoSelectFamilyAttemptTimeout: addressMs };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  return {
    /** Starts a POST request. Throws AddressRefusedError for a literal address that the policy refuses. */
    dial({ accountId, url: text, headers }: Target, signal: AbortSignal): ClientRequest {
      const url = new URL(text);
      // A literal address is dialed without a lookup.
      const address = readLiteralAddress(url);
      if (address !== undefined && findAddressFault(address, url, policy)) throw new AddressRefusedError();
      const lookup = checkedLookup((hostname) => resolveName(hostname, accountId), url, policy);
      const common = { method: 'POST', headers: { ...sent, ...headers }, lookup, signal, timeout: silenceMs };
      const sending =
        url.protocol === 'https:'
          ? https.request(url, { ...common, agent: agents.https })
          : http.request(url, { ...common, agent: agents.http });
      return sending.on('timeout', () => sending.destroy(Object.assign(new Error(), { code: 'ATTEMPT_TIMEOUT' })));
    },
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Returns a lookup function that finds the allowed addresses of a name. The lookup fails if no address is allowed. */
function checkedLookup(resolve: (hostname: string) => ReturnType<ResolveName>, url: URL, policy: TargetPolicy) {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const allowed = found.filter(({ address }) => findAddressFault(address, url, policy) === undefined);
        const [first] = allowed;
        if (!first) callback(new AddressRefusedError(), []);
        else if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
  return lookup;
}
