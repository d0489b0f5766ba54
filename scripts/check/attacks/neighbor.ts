import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { StateReading } from '../../../src/contract.js';
import { createRequest, createWebhookClient } from '../webhooks/client.js';
import { draw, type Scene, scenes, seededRandom } from '../../../src/terminal/scenes.js';
import { changeKey, hangingPath, startNeighborReceiver } from './neighbor-receiver.js';
import { type Counts, countLost, countsOf, type Observed, waitForWebhooks } from './neighbor-counts.js';

const sessionCount = 10;
/** Interval between readings of one session, ms. */
const paceMs = 400;
const answerMs = 15_000;
const calm = scenes[0] as Scene;
const hostile = scenes.at(-1) as Scene;

/**
 * Another account of the attacked service. It sends readings at a constant rate and receives a webhook for each state
 * change.
 */
export interface Neighbor {
  /** A URL with the host and port of the neighbor's receiver. It never responds. */
  readonly hangingUrl: string;
  /** Sends readings for at least `ms` and until the work is complete. */
  measure(ms: number, work?: Promise<unknown>): Promise<Phase>;
  close(): Promise<void>;
}

export interface NeighborOptions {
  readonly url: () => string;
  readonly key: string;
  /** Host of the neighbor's receiver. */
  readonly receiverHost: string;
  readonly now: () => number;
  /** Grace period for webhooks after a phase, ms. */
  readonly settleMs: number;
}

export interface Phase {
  /** Latencies of the responses, ms. Measured from the scheduled time of the reading. */
  readonly ingestMs: readonly number[];
  /** Time from sending a reading to the arrival of its webhook, ms. */
  readonly webhookMs: readonly number[];
  readonly counts: Counts;
}

/** A scheduled reading. The time is a value of `performance.now`. */
interface Turn {
  readonly session_id: string;
  readonly count: number;
  readonly dueAt: number;
  /** State of the session before this reading. Undefined if it is unknown. */
  readonly previous: string | undefined;
}

export async function startNeighbor({ url, key, receiverHost, now, settleMs }: NeighborOptions): Promise<Neighbor> {
  const receiver = await startNeighborReceiver();
  const agent = new Agent({ connections: 4, headersTimeout: answerMs, bodyTimeout: answerMs });
  const random = seededRandom(1);
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const receiverUrl = `http://${receiverHost}:${receiver.port}`;
  await createWebhookClient(createRequest(url(), key)).register(`${receiverUrl}/hooks`);
  let phases = 0;

  const send = async (observed: Observed, { session_id, count, dueAt, previous }: Turn) => {
    const sentAt = performance.now();
    const timestamp = new Date(now()).toISOString();
    const signals = draw(count % 2 === 0 ? calm : hostile, random);
    const body = JSON.stringify({ session_id, timestamp, ...signals });
    const answer = await ingest(`${url()}/v1/ingest`, { dispatcher: agent, method: 'POST', headers, body });
    observed.ingestMs.push(performance.now() - dueAt);
    if (typeof answer === 'string') {
      observed.failures.set(answer, (observed.failures.get(answer) ?? 0) + 1);
      return undefined;
    }
    observed.acknowledged.get(session_id)?.push(timestamp);
    if (previous !== undefined && previous !== answer.state)
      observed.changes.set(changeKey(session_id, answer.timestamp), sentAt);
    return answer.state;
  };

  /**
   * Sends the readings of one session on a fixed schedule. After a stall, sends the overdue readings, and the delay
   * counts as latency.
   */
  const live = async (observed: Observed, name: string, firstAt: number, isOver: () => boolean) => {
    let previous: string | undefined;
    for (let count = 0; !isOver(); count += 1) {
      // A session has a calm and a hostile reading, because a calm reading that follows at once changes no state.
      const session_id = `${name}-${Math.floor(count / 2)}`;
      if (count % 2 === 0) observed.acknowledged.set(session_id, []);
      const dueAt = firstAt + count * paceMs;
      await sleep(Math.max(0, dueAt - performance.now()));
      const state = await send(observed, { session_id, count, dueAt, previous });
      previous = count % 2 === 0 ? state : undefined;
    }
  };

  return {
    hangingUrl: receiverUrl + hangingPath,
    async measure(ms, work = Promise.resolve()) {
      phases += 1;
      const observed: Observed = { ingestMs: [], failures: new Map(), acknowledged: new Map(), changes: new Map() };
      let isOver = false;
      const startedAt = performance.now();
      // Each phase uses new sessions. After a clock is set back, readings of an earlier session would be late.
      const lives = Array.from({ length: sessionCount }, (_, index) =>
        live(observed, `neighbor-${phases}-${index}`, startedAt + (index * paceMs) / sessionCount, () => isOver),
      );
      await Promise.all([sleep(ms), work]).finally(() => (isOver = true));
      await Promise.all(lives);
      await waitForWebhooks(observed, receiver.arrivedAt, settleMs);
      const arrived = [...observed.changes].flatMap(([change, sentAt]) => {
        const at = receiver.arrivedAt.get(change);
        return at === undefined ? [] : [at - sentAt];
      });
      const lost = await countLost(createRequest(url(), key), observed.acknowledged);
      return { ingestMs: observed.ingestMs, webhookMs: arrived, counts: countsOf(observed, receiver.arrivedAt, lost) };
    },
    async close() {
      receiver.close();
      await agent.destroy();
    },
  };
}

/** Returns the state reading. If the request fails, returns the reason. */
async function ingest(url: string, options: Parameters<typeof request>[1]): Promise<StateReading | string> {
  try {
    const { statusCode, body } = await request(url, options);
    const text = await body.text();
    return statusCode === 200 ? (JSON.parse(text) as StateReading) : `status ${statusCode}`;
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).name;
  }
}
