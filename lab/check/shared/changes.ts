import { setTimeout as sleep } from 'node:timers/promises';
import { openReceiver } from '../../../testkit/open-receiver.js';
import { createRequest, createWebhookClient } from './client.js';
import { type Load, type LoadOptions, type Sender, startLoad } from './load.js';
import { countLost, listChanges } from './verdict.js';

const lookMs = 50;
/** Path of the URL that never responds. */
const hangingPath = '/hang';

/** Results of the readings and state changes of a load. */
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

export interface Phase {
  /** Latencies of the responses, ms. Measured from the scheduled time of the reading. */
  readonly ingestMs: readonly number[];
  /** Time from sending a reading to the arrival of its webhook, ms. */
  readonly webhookMs: readonly number[];
  readonly counts: Counts;
}

interface TimedPhase extends Phase {
  /** Time from the response of a reading to the arrival of its webhook, ms. The response is sent after the commit. */
  readonly afterResponseMs: readonly number[];
}

interface WatcherOptions {
  readonly url: () => string;
  readonly key: string;
  /** Host of the receiver. */
  readonly receiverHost?: string;
  /** Grace period for webhooks after a load, ms. */
  readonly settleMs: number;
  /** Called for each state change that arrives. */
  readonly onChange?: () => void;
}

/** Receives the state changes of an account, and times them. */
export async function watchChanges({ url, key, receiverHost = '127.0.0.1', settleMs, onChange }: WatcherOptions) {
  // Arrival time of each state change, as a value of `performance.now`.
  const arrivedAt = new Map<string, number>();
  const receiver = await openReceiver(({ event, path }, response) => {
    if (path.startsWith(hangingPath)) return;
    if (!arrivedAt.has(nameOf(event))) {
      arrivedAt.set(nameOf(event), performance.now());
      onChange?.();
    }
    response.writeHead(204).end();
  });
  const receiverUrl = `http://${receiverHost}:${new URL(receiver.url).port}`;
  await createWebhookClient(createRequest(url(), key)).register(`${receiverUrl}/hooks`);
  return {
    /** A URL with the host and port of the receiver. It never responds. */
    hangingUrl: receiverUrl + hangingPath,
    /** Sends readings until the work ends, and waits for the webhooks of their state changes. */
    async measure(
      { senders, ...options }: Omit<LoadOptions, 'urls' | 'key' | 'onResponse'>,
      work: (load: Load) => Promise<unknown>,
    ): Promise<TimedPhase> {
      const ingestMs: number[] = [];
      const [sentAt, respondedAt] = [new Map<string, number>(), new Map<string, number>()];
      const timed = senders.map((next): Sender => (count) => {
        const readings = next(count);
        for (const reading of readings) sentAt.set(nameOf(reading), performance.now());
        return readings;
      });
      const load = startLoad({
        ...{ ...options, urls: () => [url()], key, senders: timed },
        onResponse(reading, waitedMs) {
          ingestMs.push(waitedMs);
          respondedAt.set(nameOf(reading), performance.now());
        },
      });
      await work(load).finally(load.stop);
      const { sent, acknowledged, failed: failures } = await load.stop();
      const changes = [...listChanges(sent).values()].flat().map(nameOf);
      const endsAt = performance.now() + settleMs;
      while (changes.some((change) => !arrivedAt.has(change)) && performance.now() < endsAt) await sleep(lookMs);
      const missing = changes.filter((change) => !arrivedAt.has(change));
      const arrived = changes.filter((change) => arrivedAt.has(change));
      const since = (times: ReadonlyMap<string, number>) =>
        arrived.map((change) => (arrivedAt.get(change) ?? NaN) - (times.get(change) ?? NaN));
      const lost = await countLost(url(), key, sent);
      const counts = { acknowledged, lost, changes: changes.length, missing, failures };
      return { ingestMs, webhookMs: since(sentAt), afterResponseMs: since(respondedAt), counts };
    },
    close: receiver.close,
  };
}

function nameOf({ session_id, timestamp }: { readonly session_id: string; readonly timestamp: string }): string {
  return `${session_id} ${timestamp}`;
}
