import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCommand } from '../../../contract-tests/support/service-process.js';
import type { Schema, StateReading } from '../../../src/contract.js';
import { createRequest, createWebhookClient } from '../../check/webhooks/client.js';
import { freePorts, type ProcessOptions, startFleet } from '../../../contract-tests/support/fleet.js';
import { draw, type Scene, scenes, seededRandom } from '../../../src/terminal/scenes.js';

export interface LiveWebhook {
  /** Sends one reading. Each call alternates the session between calm and acute stress. */
  swing(sessionId: string): Promise<Swing>;
  /** Sets the status of further responses of the receiver, initially 204. */
  answer(status: number): void;
  /** Arrival times of all events so far, epoch ms. */
  readonly arrivedAtMs: readonly number[];
  failed(): Promise<Schema<'FailedDeliveryList'>>;
  retry(deliveryId: string): Promise<void>;
  close(): Promise<void>;
}

/** A sent reading. Times are values of performance.now. */
export interface Swing {
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Arrival time of the event. Undefined if the state did not change, e.g. at a session's first reading. */
  readonly arrivedAt: Promise<number> | undefined;
}

export type WorkerPlace = 'in process' | 'alone';

/**
 * Starts a service with a webhook to a receiver in this process. The worker runs in the process of the service or in a
 * separate process.
 */
export async function startLiveWebhook(databaseUrl: string, place: WorkerPlace): Promise<LiveWebhook> {
  const key = await runCommand(databaseUrl, ['keys', 'create', '--account', 'live', '--tier', 'enterprise']);
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const fleet = startFleet(processes(databaseUrl, port, place));
  const waiting = new Map<string, (atMs: number) => void>();
  const arrivedAtMs: number[] = [];
  let status = 204;
  const server = createServer(async (request, response) => {
    const at = performance.now();
    arrivedAtMs.push(Date.now());
    const { timestamp }: Schema<'StateChange'> = JSON.parse(Buffer.concat(await request.toArray()).toString());
    response.writeHead(status).end();
    waiting.get(timestamp)?.(at);
    waiting.delete(timestamp);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await fleet.ready();

  const request = createRequest(url, key);
  const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  await createWebhookClient(request).register(receiver);
  const states = new Map<string, string>();
  const random = seededRandom(1);
  return {
    async swing(sessionId) {
      const before = states.get(sessionId);
      const scene = (before === 'acute_stress' ? scenes[0] : scenes.at(-1)) as Scene;
      const timestamp = new Date().toISOString();
      const sentAt = performance.now();
      const arrivedAt = new Promise<number>((resolve) => waiting.set(timestamp, resolve));
      const submission = { session_id: sessionId, timestamp, ...draw(scene, random) };
      const { state } = await request<StateReading>('/v1/ingest', submission);
      states.set(sessionId, state);
      const isChange = before !== undefined && before !== state;
      return { sentAt, answeredAt: performance.now(), arrivedAt: isChange ? arrivedAt : undefined };
    },
    answer: (next) => void (status = next),
    arrivedAtMs,
    failed: () => request('/webhooks/retries'),
    retry: async (deliveryId) => void (await request('/webhooks/retries', { delivery_ids: [deliveryId] })),
    async close() {
      server.close();
      server.closeAllConnections();
      await fleet.close();
    },
  };
}

function processes(databaseUrl: string, port: number, place: WorkerPlace): ProcessOptions[] {
  const env = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    SECRETS_KEY: 'bench-bench-bench-bench-bench-bench',
    WEBHOOK_ALLOW_LOOPBACK: '1',
  };
  const serves = { ...env, PORT: String(port), WORKER: place === 'alone' ? '0' : '1' };
  const service = { name: 'service', args: [], env: serves };
  return place === 'alone' ? [service, { name: 'worker', args: ['deliver'], env }] : [service];
}
