import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Schema } from '../../../src/contract/contract.js';
import { openReceiver } from '../../../testkit/open-receiver.js';

/** A request to the receiver. */
export interface Arrival {
  readonly id: string;
  readonly event: Schema<'StateChange'>;
  readonly bodyDigest: string;
  readonly isSigned: boolean;
}

export interface UnreliableReceiver {
  readonly url: string;
  /** All requests, in order of arrival. */
  readonly arrivals: readonly Arrival[];
  /** Requests that got a 2xx response, in order of the responses. */
  readonly accepted: readonly Arrival[];
  /** Number of simulated failures, by kind. */
  readonly faults: ReadonlyMap<Fault, number>;
  /** Sets the secret that verifies signatures. Called after the webhook is registered. */
  expect(secret: string): void;
  /** Stops simulating failures. */
  recover(): void;
  close(): void;
}

/** Kinds of simulated failure, with their share of all requests. */
const shares = { 'status 500': 0.08, 'status 503': 0.03, redirect: 0.02, reset: 0.05, 'cut off': 0.02, hang: 0.002 };
export type Fault = keyof typeof shares | 'hopeless';
/** On average, one of `hopelessOneIn` deliveries fails at every attempt. */
const hopelessOneIn = 150;
const slowShare = 0.1;
const slowMsMax = 800;

/** Starts a receiver on a free loopback port. It fails and delays requests at random, and records every request. */
export async function startUnreliableReceiver(random: () => number): Promise<UnreliableReceiver> {
  const arrivals: Arrival[] = [];
  const accepted: Arrival[] = [];
  const faults = new Map<Fault, number>();
  let isReliable = false;
  let isSigned: (bytes: Buffer, headers: IncomingHttpHeaders) => boolean = () => false;
  const { url, close } = await openReceiver(({ id, event, bytes, headers }, response) => {
    const bodyDigest = createHash('sha256').update(bytes).digest('hex');
    const arrival: Arrival = { id, event, bodyDigest, isSigned: isSigned(bytes, headers) };
    arrivals.push(arrival);
    const fault = isReliable ? undefined : drawFault(id, random);
    if (fault) {
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      return fail(fault, response);
    }
    const accept = () => {
      accepted.push(arrival);
      response.writeHead(204).end();
    };
    if (!isReliable && random() < slowShare) setTimeout(accept, random() * slowMsMax);
    else accept();
  });
  return {
    ...{ url, close, arrivals, accepted, faults },
    expect: (secret) => void (isSigned = judgeOf(secret)),
    recover: () => void (isReliable = true),
  };
}

/** Returns a function that returns true if both signatures are valid. */
function judgeOf(secret: string) {
  const standard = new Webhook(secret);
  return (bytes: Buffer, headers: IncomingHttpHeaders): boolean => {
    const own = `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
    try {
      standard.verify(bytes, headers as Record<string, string>);
    } catch {
      return false;
    }
    return String(headers['x-service-signature']).split(',').includes(own);
  };
}

function drawFault(id: string, random: () => number): Fault | undefined {
  if (Number.parseInt(id.slice(-6), 16) % hopelessOneIn === 0) return 'hopeless';
  let left = random();
  for (const [fault, share] of Object.entries(shares)) {
    if (left < share) return fault as Fault;
    left -= share;
  }
  return undefined;
}

function fail(fault: Fault, response: ServerResponse): void {
  if (fault === 'hang') return;
  if (fault === 'reset') response.socket?.resetAndDestroy();
  else if (fault === 'cut off') response.socket?.end('HTTP/1.1 20');
  else if (fault === 'redirect') response.writeHead(302, { Location: '/elsewhere' }).end();
  else response.writeHead(fault === 'status 503' ? 503 : 500).end('out of order');
}
