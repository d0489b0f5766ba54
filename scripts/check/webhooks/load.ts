import { setTimeout as sleep } from 'node:timers/promises';
import type { StateReading } from '../../../src/contract.js';
import { draw, type Scene, scenes } from '../../../src/terminal/scenes.js';

/** A state change, derived from the responses to a session's readings. */
export interface Change {
  readonly session_id: string;
  readonly previous_state: string;
  readonly new_state: string;
  readonly stress_score: number;
  readonly timestamp: string;
}

export interface Loaded {
  /** State changes by session, in order. */
  readonly changes: ReadonlyMap<string, readonly Change[]>;
  readonly acknowledged: number;
  /** Number of resent requests, by the outcome of the previous request. */
  readonly resent: ReadonlyMap<string, number>;
}

export interface Load {
  acknowledged(): number;
  /** Sends no further readings. Resolves when the readings in progress are acknowledged. */
  stop(): Promise<Loaded>;
}

export interface LoadOptions {
  /** URLs of services on one database. If a request to one service fails, it is resent to the next. */
  readonly urls: readonly string[];
  readonly key: string;
  readonly sessions: number;
  readonly random: () => number;
  /** Range of the interval between two readings of a session, ms. Absent: below the limit of a session. */
  readonly pauseMs?: readonly [number, number];
  /** Called for each acknowledged reading. */
  readonly onAcknowledged?: (reading: Acknowledged) => void;
}

export interface Acknowledged {
  readonly sessionId: string;
  readonly timestamp: string;
  /** Time from the first request with the reading to the acknowledgment, ms. */
  readonly waitedMs: number;
}

/** Range of the interval between two readings of a session, ms. The limit is two readings per second. */
const defaultPauseMs = [550, 1_450] as const;
const afterFailureMs = 100;
const answerLimitMs = 10_000;
const triesMax = 500;
const calm = scenes[0] as Scene;
const hostile = scenes.at(-1) as Scene;

/**
 * Starts sessions that alternate between calm and hostile. Each session sends its next reading after the previous one
 * is acknowledged.
 */
export function startLoad(options: LoadOptions): Load {
  const { urls, key, sessions, random, pauseMs = defaultPauseMs, onAcknowledged } = options;
  const changes = new Map<string, Change[]>();
  const resent = new Map<string, number>();
  let acknowledged = 0;
  let isStopped = false;

  const acknowledge = async (body: string): Promise<StateReading> => {
    let at = Math.floor(random() * urls.length);
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const answer = await trySend(`${urls[at % urls.length]}/v1/ingest`, key, body);
      if (typeof answer !== 'string') return answer;
      resent.set(answer, (resent.get(answer) ?? 0) + 1);
      at += 1;
      await sleep(afterFailureMs);
    }
    throw new Error('a reading was not acknowledged after many attempts');
  };

  const live = async (sessionId: string) => {
    const mine: Change[] = [];
    changes.set(sessionId, mine);
    let state: string | undefined;
    for (let count = 0; !isStopped; count += 1) {
      const signals = draw(count % 2 === 0 ? calm : hostile, random);
      const submission = { session_id: sessionId, timestamp: new Date().toISOString(), ...signals };
      const startedAtMs = performance.now();
      const answer = await acknowledge(JSON.stringify(submission));
      acknowledged += 1;
      const waitedMs = performance.now() - startedAtMs;
      onAcknowledged?.({ sessionId, timestamp: submission.timestamp, waitedMs });
      if (state !== undefined && answer.state !== state)
        mine.push({
          session_id: sessionId,
          previous_state: state,
          new_state: answer.state,
          stress_score: answer.stress_score,
          timestamp: answer.timestamp,
        });
      state = answer.state;
      await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
    }
  };

  const lives = Promise.all(Array.from({ length: sessions }, (_, index) => live(`chaos-${index}`)));
  // `stop` reports this error to its caller.
  lives.catch(() => undefined);
  return {
    acknowledged: () => acknowledged,
    async stop() {
      isStopped = true;
      await lives;
      return { changes, acknowledged, resent };
    },
  };
}

/**
 * Returns the response, or the reason why the request must be resent. Rejects if the service rejects the request
 * permanently.
 */
export async function trySend<Answer = StateReading>(
  url: string,
  key: string,
  body: string,
  mediaType = 'application/json',
): Promise<Answer | string> {
  try {
    const headers = { 'X-Service-Key': key, 'Content-Type': mediaType };
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(answerLimitMs) });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Answer;
    if (response.status < 500 && response.status !== 429) throw new RefusedError(`${response.status}: ${text}`);
    return `status ${response.status}`;
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    return (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
  }
}

class RefusedError extends Error {}
