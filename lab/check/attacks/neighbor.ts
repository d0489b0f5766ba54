import { setTimeout as sleep } from 'node:timers/promises';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { openReceiver } from '../../../testkit/open-receiver.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { createRequest, createWebhookClient } from '../shared/client.js';
import { type Sender, startLoad } from '../shared/load.js';
import { countLost, listChanges } from '../shared/verdict.js';

const sessionCount = 10;
/** Interval between readings of one session, ms. */
const paceMs = 400;
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

export async function startNeighbor({ url, key, receiverHost, now, settleMs }: NeighborOptions): Promise<Neighbor> {
  // Arrival time of each state change, as a value of `performance.now`.
  const arrivedAt = new Map<string, number>();
  const receiver = await openReceiver(({ event, path }, response) => {
    if (path.startsWith(hangingPath)) return;
    const change = changeKey(event.session_id, event.timestamp);
    if (!arrivedAt.has(change)) arrivedAt.set(change, performance.now());
    response.writeHead(204).end();
  });
  const random = seededRandom(1);
  const receiverUrl = `http://${receiverHost}:${new URL(receiver.url).port}`;
  await createWebhookClient(createRequest(url(), key)).register(`${receiverUrl}/hooks`);
  let phases = 0;
  return {
    hangingUrl: receiverUrl + hangingPath,
    async measure(ms, work = Promise.resolve()) {
      phases += 1;
      const ingestMs: number[] = [];
      const sentAt = new Map<string, number>();
      /** A session has a calm and a hostile reading, because a calm reading that follows at once changes no state. */
      const alternate =
        (name: string): Sender =>
        (count) => {
          const [session_id, timestamp] = [`${name}-${Math.floor(count / 2)}`, new Date(now()).toISOString()];
          sentAt.set(changeKey(session_id, timestamp), performance.now());
          return [{ session_id, timestamp, ...draw(count % 2 === 0 ? calm : hostile, random) }];
        };
      // Each phase uses new sessions. After a clock is set back, readings of an earlier session would be late.
      const names = Array.from({ length: sessionCount }, (_, index) => `neighbor-${phases}-${index}`);
      const load = startLoad({
        ...{ urls: () => [url()], key, senders: names.map(alternate), random, paceMs, isRefusalCounted: true },
        onResponse: (_, waitedMs) => void ingestMs.push(waitedMs),
      });
      await Promise.all([sleep(ms), work]).finally(load.stop);
      const { sent, acknowledged, failed: failures } = await load.stop();
      const changes = [...listChanges(sent).values()].flat().map((it) => changeKey(it.session_id, it.timestamp));
      const endsAt = performance.now() + settleMs;
      while (changes.some((change) => !arrivedAt.has(change)) && performance.now() < endsAt) await sleep(lookMs);
      const missing = changes.filter((change) => !arrivedAt.has(change));
      const arrived = changes.filter((change) => arrivedAt.has(change));
      const webhookMs = arrived.map((change) => (arrivedAt.get(change) ?? NaN) - (sentAt.get(change) ?? NaN));
      const lost = await countLost(url(), key, sent);
      return { ingestMs, webhookMs, counts: { acknowledged, lost, changes: changes.length, missing, failures } };
    },
    close: async () => receiver.close(),
  };
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
