import { setTimeout as sleep } from 'node:timers/promises';
import { startFleet } from '../../../testkit/fleet.js';
import { openReceiver } from '../../../testkit/open-receiver.js';
import { createKeyOf, freePorts } from '../../../testkit/program.js';
import { chapterOf } from '../../../testkit/story.js';
import type { StateReading } from '../../../src/contract/contract.js';
import { startProgress } from '../../../packages/tools/terminal/progress.js';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { createRequest, createWebhookClient } from '../../check/shared/client.js';
import { createSettings, createWorker } from './delivery-run.js';

/** Number of sessions. Readings alternate between them, so that no session reaches its limit of readings per minute. */
const sessionCount = 10;
const pauseMs = [60, 160] as const;
/** Maximum number of readings per state change. Usually seven of eight readings change the state. */
const quietMax = 5;

/** How the receiver of a second webhook behaves. */
export type Neighbor = 'working' | 'refusing' | 'hanging';

export interface LatencyLoad {
  readonly changes: number;
  /** Whether the worker runs in a separate process. */
  readonly isAlone: boolean;
  /** Receiver of a second webhook that gets the same events. Without it, there is only one webhook. */
  readonly neighbor?: Neighbor;
}

export interface Way {
  /** Time from the response of a reading to the arrival of its event, ms. The response is sent after the commit. */
  readonly sinceAnswer: number;
  readonly sinceSent: number;
}

/** Starts a service with a webhook and times the events of state changes. */
export async function timeChanges(databaseUrl: string, { changes, isAlone, neighbor }: LatencyLoad): Promise<Way[]> {
  const key = await createKeyOf(databaseUrl, 'live');
  const [port = 0, closedPort = 0] = await freePorts(2);
  const env = { ...createSettings(databaseUrl), PORT: String(port), WORKER: isAlone ? '0' : '1' };
  const worker = createWorker(databaseUrl);
  const fleet = startFleet([{ name: 'service', args: [], env }, ...(isAlone ? [worker] : [])]);
  const waiting = new Map<string, (atMs: number) => void>();
  const receiver = await openReceiver(({ event }, response) => {
    waiting.get(`${event.session_id} ${event.timestamp}`)?.(performance.now());
    response.writeHead(204).end();
  });
  const second = await openReceiver((_, response) => neighbor === 'working' && response.writeHead(204).end());
  const progress = startProgress(process.stderr, changes, `changes, worker ${isAlone ? 'alone' : 'in process'}`);
  try {
    await fleet.ready();
    const request = createRequest(`http://127.0.0.1:${port}`, key);
    const webhooks = createWebhookClient(request);
    await webhooks.register(receiver.url);
    if (neighbor) await webhooks.register(neighbor === 'refusing' ? `http://127.0.0.1:${closedPort}/` : second.url);
    const states = new Map<string, string>();
    const random = seededRandom(1);
    const ways: Way[] = [];
    for (let count = 0; ways.length < changes; count += 1) {
      const sender = count % sessionCount;
      const { session_id, timestamp } = chapterOf(`live-${sender}`, Math.floor(count / sessionCount));
      if (count > quietMax * (ways.length + sessionCount)) throw new Error('the readings change no state');
      const before = states.get(session_id);
      const scene = (before === 'acute_stress' ? scenes[0] : scenes.at(-1)) as Scene;
      const name = `${session_id} ${timestamp}`;
      const arrival = new Promise<number>((resolve) => waiting.set(name, resolve));
      const sentAt = performance.now();
      const { state } = await request<StateReading>('/v1/ingest', { session_id, timestamp, ...draw(scene, random) });
      const answeredAt = performance.now();
      states.set(session_id, state);
      if (before !== undefined && before !== state) {
        const at = await arrival;
        ways.push({ sinceAnswer: at - answeredAt, sinceSent: at - sentAt });
        progress.advance();
      }
      waiting.delete(name);
      await sleep(pauseMs[0] + Math.random() * (pauseMs[1] - pauseMs[0]));
    }
    return ways;
  } finally {
    progress.stop();
    await fleet.close();
    receiver.close();
    second.close();
  }
}
