import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema, Submission } from '../../../src/contract.js';
import { createRequest } from '../webhooks/client.js';
import { trySend } from '../webhooks/load.js';
import { draw, type Scene, scenes } from '../../../src/terminal/scenes.js';

const afterFailureMs = 50;
const lookMs = 10;
/**
 * Time without an acknowledged reading after which the check fails, ms. Longer than the database server and the service
 * need to recover.
 */
const silenceMs = 120_000;
/** Sessions with an odd number send batches of this many readings, the others send single readings. */
const batchLines = 10;
/** Length of the longest history, minutes. */
const reachMinutes = 60;

export interface Load {
  /** Resolves after `more` further readings are acknowledged. Rejects if no reading is acknowledged for a long time. */
  acknowledges(more: number): Promise<void>;
  /** Waits for the requests in progress. Resolves with the timestamps of the acknowledged readings, by session. */
  stop(): Promise<Acknowledged>;
}

export interface Acknowledged {
  readonly timestampsBySession: ReadonlyMap<string, readonly string[]>;
  /** Number of acknowledged readings that were lines of a batch. */
  readonly batched: number;
  /** Number of readings without a response. They may or may not be stored. */
  readonly unanswered: number;
}

export function sessionIdsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `durable-${index}`);
}

/**
 * Starts sessions that send one request after another, with one reading or with a batch. Each reading is sent once and
 * has a unique timestamp.
 */
export function startLoad(url: string, key: string, sessionIds: readonly string[], random: () => number): Load {
  const timestampsBySession = new Map<string, string[]>();
  let acknowledged = 0;
  let batched = 0;
  let unanswered = 0;
  let isStopped = false;
  const live = async (session_id: string, index: number) => {
    const mine: string[] = [];
    timestampsBySession.set(session_id, mine);
    for (let lastMs = 0; !isStopped;) {
      lastMs = Math.max(Date.now(), lastMs + 1);
      const isBatch = index % 2 === 1;
      const readings = Array.from({ length: isBatch ? batchLines : 1 }, (_, line) => {
        const signals = draw(scenes[index % scenes.length] as Scene, random);
        return { session_id, timestamp: new Date(lastMs + line).toISOString(), ...signals };
      });
      lastMs += readings.length;
      const stored = isBatch ? await sendBatch(url, key, readings) : await sendOne(url, key, readings[0] as Submission);
      mine.push(...stored);
      acknowledged += stored.length;
      if (isBatch) batched += stored.length;
      unanswered += readings.length - stored.length;
      if (stored.length === 0) await sleep(afterFailureMs);
    }
  };
  const lives = Promise.all(sessionIds.map(live));
  lives.catch(() => undefined);
  return {
    async acknowledges(more) {
      const goal = acknowledged + more;
      const reached = async () => {
        for (let [last, atMs] = [acknowledged, Date.now()]; acknowledged < goal && !isStopped; await sleep(lookMs)) {
          if (acknowledged > last) [last, atMs] = [acknowledged, Date.now()];
          if (Date.now() > atMs + silenceMs) throw new Error('no reading was acknowledged for a long time');
        }
      };
      await Promise.race([reached(), lives]);
    },
    async stop() {
      isStopped = true;
      await lives;
      return { timestampsBySession, batched, unanswered };
    },
  };
}

/** Sends a reading. Returns its timestamp if it is acknowledged. */
async function sendOne(url: string, key: string, reading: Submission): Promise<string[]> {
  const answer = await trySend(`${url}/v1/ingest`, key, JSON.stringify(reading));
  return typeof answer === 'string' ? [] : [reading.timestamp];
}

/** Sends a batch. Returns the timestamps of the acknowledged lines. */
async function sendBatch(url: string, key: string, readings: readonly Submission[]): Promise<string[]> {
  const body = readings.map((reading) => `${JSON.stringify(reading)}\n`).join('');
  const answer = await trySend<Schema<'BatchResult'>>(`${url}/v1/ingest/batch`, key, body, 'application/x-ndjson');
  if (typeof answer === 'string') return [];
  const invalid = answer.results.find(({ status }) => status >= 400 && status < 500);
  if (invalid) throw new Error(JSON.stringify(invalid));
  return readings.filter((_, index) => answer.results[index]?.status === 200).map(({ timestamp }) => timestamp);
}

/** Returns the number of acknowledged readings that the histories do not contain. */
export async function countLost(
  url: string,
  key: string,
  timestampsBySession: Acknowledged['timestampsBySession'],
): Promise<number> {
  const request = createRequest(url, key);
  let lost = 0;
  for (const [session, acknowledged] of timestampsBySession) {
    if (Date.now() - Date.parse(acknowledged[0] ?? '') > reachMinutes * 60_000)
      throw new Error('the run was longer than the maximum history: use fewer kills');
    const { datapoints }: Schema<'History'> = await request(
      `/v1/history?session_id=${session}&minutes=${reachMinutes}`,
    );
    const stored = new Set(datapoints.map(({ timestamp }) => timestamp));
    lost += acknowledged.filter((timestamp) => !stored.has(timestamp)).length;
  }
  return lost;
}
