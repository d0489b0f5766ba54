import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookDelivery } from '../../../generated/spec.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { type Scenario } from './scenario.js';
import { type Caller } from './stage.js';

/** Receivers on loopback addresses that accept connections and never respond. */
export interface HangingReceivers {
  /** One URL per host and port. */
  readonly urls: readonly string[];
  readonly accepted: () => number;
  /** Returns the number of connections that have been open for longer than `ms`. */
  openLongerThan(ms: number): number;
  close(): void;
}

export async function startHangingReceivers(hosts: number, portsPerHost: number): Promise<HangingReceivers> {
  const openedAt = new Map<object, number>();
  const sockets = new Set<{ destroy(): void }>();
  let accepted = 0;
  const servers = Array.from({ length: hosts * portsPerHost }, (_, index) => {
    const server = createServer((socket) => {
      accepted += 1;
      sockets.add(socket);
      // Measured from the first bytes of the request, because the service keeps idle connections open.
      socket.once('data', () => openedAt.set(socket, performance.now()));
      socket.on('data', () => undefined);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        openedAt.delete(socket);
        sockets.delete(socket);
      });
    });
    return server.listen(0, `127.0.1.${1 + Math.floor(index / portsPerHost)}`);
  });
  await Promise.all(servers.map((server) => once(server, 'listening')));
  return {
    urls: servers.map((server) => {
      const { address, port } = server.address() as AddressInfo;
      return `http://${address}:${port}/hooks`;
    }),
    accepted: () => accepted,
    openLongerThan: (ms) => [...openedAt.values()].filter((at) => performance.now() - at > ms).length,
    close() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const hosts = 13;
const portsPerHost = 10;
const sessionsPerAccount = 6;
const [attackMs, shortMs] = [25_000, 15_000];
/**
 * An attempt that is open for longer is overdue, ms: the time limit of an attempt, with a margin for a busy machine.
 */
const overdueMs = (webhookDelivery.attempt_timeout_seconds + 6) * 1000;

/** Changes the state of new sessions. Each change has a delivery per webhook of the account. */
async function changeStates({ swing }: Caller, name: string, sessions: number, changes = 1): Promise<Row> {
  let found = 0;
  for (let session = 0; session < sessions; session += 1) {
    let { state } = await swing(`${name}-${session}`);
    for (let change = 0; change < changes; change += 1) {
      const before = state;
      ({ state } = await swing(`${name}-${session}`));
      if (state !== before) found += 1;
    }
  }
  return { what: `state changes of ${name}, each for every webhook`, found, allowed: atLeast(sessions * changes) };
}

/** Two accounts send 24 requests, which cause 780 attempts. This is more than the number of slots of a worker. */
export const hangingHosts: Scenario = {
  item: 2,
  title: '130 webhooks of two accounts to hosts that hang',
  async attack({ attacker, accomplice, defer }) {
    const receivers = await startHangingReceivers(hosts, portsPerHost);
    defer(receivers.close);
    const accounts = [attacker, accomplice];
    const half = receivers.urls.length / accounts.length;
    for (const [index, { webhooks }] of accounts.entries())
      for (const url of receivers.urls.slice(index * half, (index + 1) * half)) await webhooks.register(url);
    const rows: Row[] = [];
    for (const account of accounts) rows.push(await changeStates(account, 'hang', sessionsPerAccount));
    await sleep(attackMs);
    return [
      ...rows,
      { what: 'attempts that reached a hanging host', found: receivers.accepted(), allowed: atLeast(1) },
      {
        what: `attempts open for more than ${overdueMs / 1000} s`,
        found: receivers.openLongerThan(overdueMs),
        allowed: 0,
      },
    ];
  },
};

const sharedWebhooks = 20;
const sharedSessions = 10;

export const sharedHost: Scenario = {
  item: 9,
  title: "another account's webhooks hang on the neighbor's host",
  async attack({ attacker, neighbor }) {
    for (let index = 0; index < sharedWebhooks; index += 1)
      await attacker.webhooks.register(`${neighbor.hangingUrl}/${index}`);
    const row = await changeStates(attacker, 'shared', sharedSessions);
    await sleep(shortMs);
    return [row];
  },
};

const webhookCount = 60;
const changes = 5;
const neighborName = 'neighbor.example';

/**
 * Checks that unanswered lookups of the attacker do not delay the neighbor. The nameserver responds only to lookups of
 * the neighbor's name.
 */
export const silentNameserver: Scenario = {
  item: 4,
  title: '60 webhooks to names whose nameserver does not respond',
  async setUp(defer) {
    const nameserver = createSocket('udp4');
    nameserver.on('message', (query, { port, address }) => {
      if (query.includes('neighbor')) nameserver.send(addressResponse(query), port, address);
    });
    nameserver.bind(0, '127.0.0.1');
    await once(nameserver, 'listening');
    defer(() => nameserver.close());
    const env = { WEBHOOK_DNS_SERVERS: `127.0.0.1:${nameserver.address().port}`, WEBHOOK_ALLOW_HTTP: '1' };
    return { env, neighborReceiverHost: neighborName };
  },
  async attack({ attacker }) {
    const names = Array.from({ length: webhookCount }, (_, index) => `https://hook-${index}.attack.example/hooks`);
    await Promise.all(names.map((name) => attacker.webhooks.register(name)));
    const row = await changeStates(attacker, 'unresolved', 1, changes);
    await sleep(shortMs);
    return [row];
  },
};

const headerBytes = 12;
const questionCount = [0, 1];
/** DNS flags of a response: recursion desired and available, no error. */
const responseFlags = [0x81, 0x80];
/** DNS answer record: the name of the question, class IN, TTL 1 s, 127.0.0.1. */
const loopbackRecord = [0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1];

/** Returns a DNS response (RFC 1035, 4.1): 127.0.0.1 for type A, no record for other types. */
function addressResponse(query: Buffer): Buffer {
  const endOfName = query.indexOf(0, headerBytes);
  const question = query.subarray(headerBytes, endOfName + 5);
  const isTypeA = query.readUInt16BE(endOfName + 1) === 1;
  const counts = [...questionCount, 0, isTypeA ? 1 : 0, 0, 0, 0, 0];
  const header = Buffer.from([...query.subarray(0, 2), ...responseFlags, ...counts]);
  return Buffer.concat([header, question, Buffer.from(isTypeA ? loopbackRecord : [])]);
}
