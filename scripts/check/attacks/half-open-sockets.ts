import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { Scenario } from './scenario.js';
import { countDescriptors } from './service.js';
import { countUnlike, openSilentSocket, statusOf } from './sockets.js';

const connectionsMax = 100;
const socketsPerRound = 60;
const rounds = 2;
/** Wait of the senders, ms. Longer than the time limits for the head and the body of a request. */
const waitMs = 12_000;
const probes = 20;
const descriptorsTolerance = 20;

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
