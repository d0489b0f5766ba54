import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { countDescriptors, readUsage } from '../../../testkit/program.js';
import { type Scenario } from './scenario.js';

/** Number of unexpected responses after which counting stops, to limit the time for a service that does not respond. */
const unlikeMax = 3;

/** Opens a connection that never reads and stays open when the service closes its side. */
async function openSilentSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  // The service is expected to reset these connections.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends the text. Closes the connection as soon as the kernel has the bytes, without reading a response. */
async function sendAndCut(url: string, text: string): Promise<void> {
  const socket = await openSilentSocket(url);
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(text, () => socket.destroy());
  });
}

/** Resolves with the status of a GET request on a new connection. 0 if there is no response. */
export async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(url, { headers, agent: false, timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(0));
    asked.end();
  });
}

/**
 * Returns how many of `count` requests do not get `status`. Each request uses a new connection. Stops counting at
 * three.
 */
export async function countUnlike(status: number, count: number, ask: () => Promise<number>): Promise<number> {
  let unlike = 0;
  for (let index = 0; index < count && unlike < unlikeMax; index += 1) if ((await ask()) !== status) unlike += 1;
  return unlike;
}

const settleMs = 3_000;
const probes = 20;
/**
 * Tolerance for the number of open file descriptors, because the service may open or close connections of the neighbor.
 */
const descriptorsTolerance = 30;
const documentConnections = 6;
const documentRequests = 3_000;

/**
 * Checks that a closed pipelined connection leaves no queued responses, which would hold request slots and open files.
 */
export const pipelinedRequests: Scenario = {
  item: 1,
  title: 'pipelined requests on connections that are cut',
  async attack({ service, attacker }) {
    const { url, pid } = service();
    const [descriptors, megabytes] = [countDescriptors(pid), readUsage(pid).residentMb];
    await sendAndCut(url, 'GET /v1/state HTTP/1.1\r\nHost: attack\r\n\r\n'.repeat(2_500));
    const get = 'GET /openapi.json HTTP/1.1\r\nHost: attack\r\n\r\n'.repeat(documentRequests);
    await Promise.all(Array.from({ length: documentConnections }, () => sendAndCut(url, get)));
    await sleep(settleMs);
    const headers = { 'X-Service-Key': attacker.key };
    const refused = await countUnlike(404, probes, () => statusOf(`${url}/v1/state?session_id=none`, headers));
    return [
      { what: `requests refused afterwards, of ${probes}`, found: refused, allowed: 0 },
      { what: 'file descriptors leaked', found: countDescriptors(pid) - descriptors, allowed: descriptorsTolerance },
      { what: 'memory added, MB', found: Math.round(readUsage(pid).residentMb - megabytes) },
    ];
  },
};

const connectionsMax = 100;
const socketsPerRound = 60;
const rounds = 2;
/** Wait of the senders, ms. Longer than the time limits for the head and the body of a request. */
const waitMs = 12_000;

/** First bytes that the senders send. The service must respond or time out, and then close the connection. */
const beginnings = ['GARBAGE\r\n\r\n', '', 'POST /v1/ingest HTTP/1.1\r\nHost: attack\r\nContent-Length: 9\r\n\r\n{'];

export const halfOpenSockets: Scenario = {
  item: 3,
  title: '120 silent senders that ignore the FIN, of 100 connections',
  setUp: () => ({ env: { MAX_CONNECTIONS: String(connectionsMax) } }),
  async attack({ service, defer }) {
    const { url, pid } = service();
    const descriptors = countDescriptors(pid);
    const sockets: Socket[] = [];
    defer(() => sockets.forEach((socket) => socket.destroy()));
    for (let round = 0; round < rounds; round += 1) {
      for (let index = 0; index < socketsPerRound; index += 1) {
        const socket = await openSilentSocket(url);
        sockets.push(socket);
        socket.write(beginnings[index % beginnings.length] ?? '');
      }
      await sleep(waitMs);
    }
    const refused = await countUnlike(200, probes, () => statusOf(`${url}/healthz`));
    return [
      { what: `new connections refused afterwards, of ${probes}`, found: refused, allowed: 0 },
      { what: 'connections left open', found: countDescriptors(pid) - descriptors, allowed: descriptorsTolerance },
    ];
  },
};
