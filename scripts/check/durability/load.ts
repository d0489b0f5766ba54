import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema } from '../../../src/contract.js';
import { createRequest } from '../webhooks/client.js';
import { trySend } from '../webhooks/load.js';
import { draw, type Scene, scenes } from '../../terminal/scenes.js';

const afterFailureMs = 50;
const lookMs = 10;
/** Longer than the database server and the service need to recover. */
const silenceMs = 120_000;
/** Maximum length of a history. */
const reachMinutes = 60;

export interface Load {
  /** Resolves after `more` further readings are acknowledged. Rejects if no reading is acknowledged for a long time. */
  acknowledges(more: number): Promise<void>;
  /** Resolves with the instants of the acknowledged readings by session, once no request is in progress. */
  stop(): Promise<Acknowledged>;
}

export interface Acknowledged {
  readonly instants: ReadonlyMap<string, readonly string[]>;
  /** Number of readings that were not acknowledged; they may or may not be stored. */
  readonly unanswered: number;
}

/** Sessions that send one reading after another, each once and with a distinct timestamp. */
export function startLoad(url: string, key: string, sessions: number, random: () => number): Load {
  const instants = new Map<string, string[]>();
  let acknowledged = 0;
  let unanswered = 0;
  let isStopped = false;
  const live = async (session_id: string, index: number) => {
    const mine: string[] = [];
    instants.set(session_id, mine);
    for (let lastMs = 0; !isStopped;) {
      lastMs = Math.max(Date.now(), lastMs + 1);
      const timestamp = new Date(lastMs).toISOString();
      const signals = draw(scenes[index % scenes.length] as Scene, random);
      const answer = await trySend(`${url}/v1/ingest`, key, JSON.stringify({ session_id, timestamp, ...signals }));
      if (typeof answer === 'string') {
        unanswered += 1;
        await sleep(afterFailureMs);
      } else {
        acknowledged += 1;
        mine.push(timestamp);
      }
    }
  };
  const lives = Promise.all(Array.from({ length: sessions }, (_, index) => live(`durable-${index}`, index)));
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
      return { instants, unanswered };
    },
  };
}

/** Returns the number of acknowledged readings that the histories do not contain. */
export async function countLost(url: string, key: string, { instants }: Acknowledged): Promise<number> {
  const request = createRequest(url, key);
  let lost = 0;
  for (const [session, acknowledged] of instants) {
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
