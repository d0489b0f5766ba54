import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ndjson } from '../../../testkit/batch.js';
import { chapterOf } from '../../../testkit/story.js';
import type { Schema, StateReading, Submission } from '../../../src/contract/contract.js';
import { draw, type Scene, scenes } from '../../../packages/tools/terminal/scenes.js';

/** A state change, derived from the responses to a session's readings. */
export interface Change {
  readonly session_id: string;
  readonly previous_state: string;
  readonly new_state: string;
  readonly stress_score: number;
  readonly timestamp: string;
}

export interface Loaded {
  /** State changes by session, in order. Complete if each reading is sent until it is acknowledged. */
  readonly changes: ReadonlyMap<string, readonly Change[]>;
  /** Timestamps of the acknowledged readings, by session. */
  readonly timestampsBySession: ReadonlyMap<string, readonly string[]>;
  readonly acknowledged: number;
  /** Number of acknowledged readings that were lines of a batch. */
  readonly batched: number;
  /** Number of readings without a response. They may or may not be stored. */
  readonly unanswered: number;
  /** Number of failed requests, by their outcome. */
  readonly failed: Readonly<Record<string, number>>;
}

export interface Load {
  /** Resolves after `more` further readings are acknowledged. Rejects if no reading is acknowledged for a long time. */
  acknowledges(more: number): Promise<void>;
  /** Sends no further readings. Resolves when the requests in progress have ended. */
  stop(): Promise<Loaded>;
}

/** Returns the readings of the next request of a sender. Several readings are sent as a batch. */
export type Sender = (count: number) => readonly Submission[];

export interface LoadOptions {
  /** URLs of services on one database. Each request goes to a random one. */
  readonly urls: readonly string[];
  readonly key: string;
  readonly senders: readonly Sender[];
  readonly random: () => number;
  /** Whether a failed request is sent again to the next service until it is acknowledged. Requires single readings. */
  readonly isResent?: boolean;
  /** Range of the interval between two requests of a sender, ms. Absent: none. */
  readonly pauseMs?: readonly [number, number];
  /** Called for each acknowledged reading with the time since its first request, ms. */
  readonly onAcknowledged?: (reading: Submission, waitedMs: number) => void;
}

const afterFailureMs = 100;
const answerLimitMs = 10_000;
const lookMs = 10;
/** Time without an acknowledged reading after which a check fails, ms. A database server recovers earlier. */
const silenceMs = 120_000;
/** Maximum duration of an export, ms. */
const exportMs = 120_000;
const triesMax = 500;

/** Starts senders. Each sends one request after another. */
export function startLoad({
  urls,
  key,
  senders,
  random,
  isResent = false,
  pauseMs,
  onAcknowledged,
}: LoadOptions): Load {
  const changes = new Map<string, Change[]>();
  const states = new Map<string, string>();
  const timestampsBySession = new Map<string, string[]>();
  const failed: Record<string, number> = {};
  let [acknowledged, batched, unanswered, isStopped] = [0, 0, 0, false];
  const fail = (why: string) => {
    failed[why] = (failed[why] ?? 0) + 1;
    return sleep(afterFailureMs);
  };
  const record = ({ session_id, timestamp }: Submission, answer: Answer) => {
    acknowledged += 1;
    timestampsBySession.set(session_id, [...(timestampsBySession.get(session_id) ?? []), timestamp]);
    if (answer === 'stored') return;
    const [previous_state, { state, stress_score }] = [states.get(session_id), answer];
    states.set(session_id, state);
    if (previous_state === undefined || previous_state === state) return;
    const change = { session_id, previous_state, new_state: state, stress_score, timestamp: answer.timestamp };
    changes.set(session_id, [...(changes.get(session_id) ?? []), change]);
  };
  const live = async (next: Sender) => {
    for (let count = 0; !isStopped; count += 1) {
      const readings = next(count);
      const startedAtMs = performance.now();
      let at = Math.floor(random() * urls.length);
      const send = () => sendReadings(urls[at % urls.length] ?? '', key, readings);
      let answers = await send();
      for (let tries = 1; isResent && typeof answers === 'string'; tries += 1, at += 1) {
        if (tries === triesMax)
          throw new Error(`a reading was not acknowledged after ${triesMax} attempts: ${answers}`);
        await fail(answers);
        answers = await send();
      }
      if (typeof answers === 'string') await fail(answers);
      for (const [index, reading] of readings.entries()) {
        const answer = typeof answers === 'string' ? undefined : answers[index];
        if (answer === undefined) unanswered += 1;
        else {
          record(reading, answer);
          onAcknowledged?.(reading, performance.now() - startedAtMs);
          if (readings.length > 1) batched += 1;
        }
      }
      if (pauseMs) await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
    }
  };
  const lives = Promise.all(senders.map(live));
  // `stop` reports this error to its caller.
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
      return { changes, timestampsBySession, acknowledged, batched, unanswered, failed };
    },
  };
}

/** Returns a sender whose readings change the state. It starts a new session every few readings. Requires `storyEnv`. */
export function changing(name: string, random: () => number): Sender {
  return (count) => [{ ...chapterOf(name, count), ...draw(scenes.at(count % 2 === 0 ? 0 : -1) as Scene, random) }];
}

/** Returns a sender of one session with unique timestamps. With `lines`, its readings are sent in batches. */
export function steady(session_id: string, scene: Scene, random: () => number, lines = 1): Sender {
  let lastMs = 0;
  return () => {
    const firstMs = Math.max(Date.now(), lastMs + 1);
    lastMs = firstMs + lines;
    return Array.from({ length: lines }, (_, line) => {
      return { session_id, timestamp: new Date(firstMs + line).toISOString(), ...draw(scene, random) };
    });
  };
}

/** The response of a reading. The response of a batch contains no states. */
type Answer = StateReading | 'stored';

/**
 * Returns one entry per reading: its response, or undefined for a line that is not stored. If the request got no usable
 * response, returns the reason instead.
 */
async function sendReadings(
  url: string,
  key: string,
  readings: readonly Submission[],
): Promise<ReadonlyArray<Answer | undefined> | string> {
  const [first] = readings;
  if (readings.length === 1) {
    const answer = await trySend(`${url}/v1/ingest`, key, JSON.stringify(first));
    return typeof answer === 'string' ? answer : [answer];
  }
  const path = `${url}/v1/ingest/batch`;
  const answer = await trySend<Schema<'BatchResult'>>(path, key, ndjson(readings), 'application/x-ndjson');
  if (typeof answer === 'string') return answer;
  const invalid = answer.results.find(({ status }) => status >= 400 && status < 500);
  if (invalid) throw new Error(JSON.stringify(invalid));
  return answer.results.map(({ status }) => (status === 200 ? 'stored' : undefined));
}

/**
 * Returns the response, or the reason why the request must be resent. Rejects if the service rejects the request
 * permanently.
 */
export async function trySend<Body = StateReading>(
  url: string,
  key: string,
  body: string,
  mediaType = 'application/json',
): Promise<Body | string> {
  try {
    const headers = { 'X-Service-Key': key, 'Content-Type': mediaType };
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(answerLimitMs) });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Body;
    if (response.status < 500 && response.status !== 429) throw new RefusedError(`${response.status}: ${text}`);
    return `status ${response.status}`;
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    return (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
  }
}

class RefusedError extends Error {}

/** Returns the number of acknowledged readings that the account's export does not contain. */
export async function countLost(
  url: string,
  key: string,
  timestampsBySession: Loaded['timestampsBySession'],
): Promise<number> {
  const missing = new Map([...timestampsBySession].map(([session, timestamps]) => [session, new Set(timestamps)]));
  const count = () => [...missing.values()].reduce((sum, timestamps) => sum + timestamps.size, 0);
  if (count() === 0) return 0;
  const signal = AbortSignal.timeout(exportMs);
  const response = await fetch(`${url}/v1/export`, { headers: { 'X-Service-Key': key }, signal });
  if (!response.ok || !response.body) throw new Error(`the export responded with ${response.status}`);
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    const { reading } = JSON.parse(line) as Schema<'ExportedReading'>;
    missing.get(reading.session_id)?.delete(reading.timestamp);
  }
  return count();
}
