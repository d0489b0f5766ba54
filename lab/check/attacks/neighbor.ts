import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { openReceiver } from '../../../testkit/open-receiver.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import type { StateReading } from '../../../src/contract/contract.js';
import { createRequest, createWebhookClient } from '../shared/client.js';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { countLost } from '../shared/load.js';

const sessionCount = 10;
/** Interval between readings of one session, ms. */
const paceMs = 400;
const answerMs = 15_000;
const lookMs = 50;
/** Path of the URL that never responds. */
const hangingPath = '/hang';
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
  // Arrival time of each state change, as a value of `performance.now`.
  const arrivedAt = new Map<string, number>();
  const receiver = await openReceiver(({ event, path }, response) => {
    if (path.startsWith(hangingPath)) return;
    const change = changeKey(event.session_id, event.timestamp);
    if (!arrivedAt.has(change)) arrivedAt.set(change, performance.now());
    response.writeHead(204).end();
  });
  const agent = new Agent({ connections: 4, headersTimeout: answerMs, bodyTimeout: answerMs });
  const random = seededRandom(1);
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const receiverUrl = `http://${receiverHost}:${new URL(receiver.url).port}`;
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
      await waitForWebhooks(observed, arrivedAt, settleMs);
      const arrived = [...observed.changes].flatMap(([change, sentAt]) => {
        const at = arrivedAt.get(change);
        return at === undefined ? [] : [at - sentAt];
      });
      const lost = await countLost(url(), key, observed.acknowledged);
      return { ingestMs: observed.ingestMs, webhookMs: arrived, counts: countsOf(observed, arrivedAt, lost) };
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

function changeKey(sessionId: string, timestamp: string): string {
  return `${sessionId} ${timestamp}`;
}

/** Results of the readings and state changes of a phase. */
export interface Counts {
  readonly acknowledged: number;
  /** Number of acknowledged readings that are missing in the export. */
  readonly lost: number;
  readonly changes: number;
  /** Session and timestamp of each state change whose webhook had not arrived at the end of the wait. */
  readonly missing: readonly string[];
  /** Number of requests without status 200, by status or error code. */
  readonly failures: Readonly<Record<string, number>>;
}

/** The records of one phase. */
interface Observed {
  readonly ingestMs: number[];
  readonly failures: Map<string, number>;
  readonly acknowledged: Map<string, string[]>;
  /** Send time of each state change, as a value of `performance.now`. */
  readonly changes: Map<string, number>;
}

async function waitForWebhooks(
  { changes }: Observed,
  arrivedAt: ReadonlyMap<string, number>,
  settleMs: number,
): Promise<void> {
  const endsAt = performance.now() + settleMs;
  while ([...changes.keys()].some((change) => !arrivedAt.has(change)) && performance.now() < endsAt)
    await sleep(lookMs);
}

function countsOf(
  { failures, acknowledged, changes }: Observed,
  arrivedAt: ReadonlyMap<string, number>,
  lost: number,
): Counts {
  const missing = [...changes.keys()].filter((change) => !arrivedAt.has(change));
  return {
    acknowledged: [...acknowledged.values()].reduce((sum, { length }) => sum + length, 0),
    ...{ lost, changes: changes.size, missing, failures: Object.fromEntries(failures) },
  };
}

/** Returns findings that pass if every request of the neighbor got a 200. */
export function findingsOf({ acknowledged, lost, changes, missing, failures }: Counts): Row[] {
  return [
    { what: "neighbor's readings acknowledged", found: acknowledged },
    ...Object.entries(failures).map(([why, found]) => ({
      what: `neighbor's requests that failed: ${why}`,
      ...{ found, allowed: 0 },
    })),
    { what: "neighbor's acknowledged readings lost", found: lost, allowed: 0 },
    { what: "neighbor's state changes", found: changes, allowed: atLeast(1) },
    { what: "neighbor's webhooks that did not arrive in time", found: missing.length, allowed: 0 },
  ];
}
