import { setTimeout as sleep } from 'node:timers/promises';
import { draw, type Scene, scenes } from '../../../packages/tools/terminal/scenes.js';
import type { Schema, StateReading } from '../../../src/contract/contract.js';
import type { NamedSubmission as Submission } from '../../../src/readings/device.js';
import { ndjson } from '../../../testkit/batch.js';
import { chapterOf } from '../../../testkit/story.js';
import { headersOf } from './client.js';

/** A reading with the responses to it. A line of a batch gets no state. */
export interface Sent {
  readonly reading: Submission;
  readonly answers: Array<StateReading | 'stored'>;
}

/** Readings by session, in order of their first requests. */
export type SentReadings = ReadonlyMap<string, readonly Sent[]>;

export interface Loaded {
  /** All readings, also those without a response. */
  readonly sent: SentReadings;
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
  /** Resolves when every sender has returned an empty list. */
  finish(): Promise<Loaded>;
  /** Sends no further readings. Resolves when the requests in progress have ended. */
  stop(): Promise<Loaded>;
}

/** Returns the readings of the next request of a sender. Several readings are sent as a batch. Without any, it ends. */
export type Sender = (count: number) => readonly Submission[];

export interface LoadOptions {
  /** Returns the URLs of services on one database. Each request goes to a random one. */
  readonly urls: () => readonly string[];
  readonly key: string;
  readonly senders: readonly Sender[];
  readonly random: () => number;
  /** Whether a failed request is sent again to the next service until it is acknowledged. Requires single readings. */
  readonly isResent?: boolean;
  /** Whether the n-th reading goes to the n-th service, all at the same time, instead of in a batch. */
  readonly isSpread?: boolean;
  /** Whether a rejected request counts as failed. Otherwise, it ends the load with an error. */
  readonly isRefusalCounted?: boolean;
  /** Range of the interval between two requests of a sender, ms. Absent: none. */
  readonly pauseMs?: readonly [number, number];
  /**
   * Fixed interval between two requests of a sender, ms. After a stall, the overdue requests are sent, and their delay
   * counts as waiting.
   */
  readonly paceMs?: number;
  /** Called for each reading with the time since its first request was due, ms. */
  readonly onResponse?: (reading: Submission, waitedMs: number, isAcknowledged: boolean) => void;
}

/** A process that was frozen for longer than the service waits for a request responds with 408 when it continues. */
const repeatable = [408, 429];
const afterFailureMs = 100;
/** Longer than the service takes to return 503 while its database is locked, ms. */
const answerLimitMs = 15_000;
const lookMs = 10;
/** Time without an acknowledged reading after which a check fails, ms. A database server recovers earlier. */
const silenceMs = 120_000;
const triesMax = 500;

/** Starts senders. Each sends one request after another. */
export function startLoad(options: LoadOptions): Load {
  const { urls, key, senders, random, isResent = false, pauseMs, paceMs, onResponse } = options;
  const sent = new Map<string, Sent[]>();
  const failed: Record<string, number> = {};
  const startedAtMs = performance.now();
  let [acknowledged, batched, unanswered, isStopped] = [0, 0, 0, false];
  const fail = async (why: string) => {
    failed[why] = (failed[why] ?? 0) + 1;
    if (paceMs === undefined) await sleep(afterFailureMs);
  };
  const attempt = async (round: readonly Sent[], at: number) => {
    const all = urls();
    const readings = round.map(({ reading }) => reading);
    return sendReadings(all[at % all.length] ?? '', key, readings).catch((error: Error) => {
      if (options.isRefusalCounted && error instanceof RefusedError) return error.status;
      throw error;
    });
  };
  const deliver = async (round: readonly Sent[], at: number, dueAtMs: number) => {
    let answers = await attempt(round, at);
    for (let tries = 1; isResent && typeof answers === 'string'; tries += 1) {
      if (tries === triesMax) throw new Error(`a reading was not acknowledged after ${triesMax} attempts: ${answers}`);
      await fail(answers);
      answers = await attempt(round, at + tries);
    }
    if (typeof answers === 'string') await fail(answers);
    for (const [index, one] of round.entries()) {
      const answer = typeof answers === 'string' ? undefined : answers[index];
      if (answer === undefined) unanswered += 1;
      else if (one.answers.push(answer) === 1) acknowledged += 1;
      if (answer !== undefined && round.length > 1) batched += 1;
      onResponse?.(one.reading, performance.now() - dueAtMs, answer !== undefined);
    }
  };
  const known = new Map<Submission, Sent>();
  /** Returns the entries of the readings. A reading that is sent again has one entry with several responses. */
  const note = (readings: readonly Submission[]): Sent[] =>
    readings.map((reading) => {
      const earlier = known.get(reading);
      if (earlier) return earlier;
      const one: Sent = { reading, answers: [] };
      known.set(reading, one);
      sent.set(reading.session_id, sent.get(reading.session_id) ?? []);
      sent.get(reading.session_id)?.push(one);
      return one;
    });
  const live = async (next: Sender, index: number) => {
    for (let count = 0; !isStopped; count += 1) {
      const dueAtMs = startedAtMs + (count + index / senders.length) * (paceMs ?? 0);
      if (paceMs !== undefined) await sleep(Math.max(0, dueAtMs - performance.now()));
      const round = note(next(count));
      if (round.length === 0) return;
      const fromMs = paceMs === undefined ? performance.now() : dueAtMs;
      if (options.isSpread) await Promise.all(round.map((one, at) => deliver([one], at, fromMs)));
      else await deliver(round, Math.floor(random() * urls().length), fromMs);
      if (pauseMs) await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
    }
  };
  const lives = Promise.all(senders.map(live));
  // `stop` and `finish` report this error to their caller.
  lives.catch(() => undefined);
  const finish = async (): Promise<Loaded> => {
    await lives;
    return { sent, acknowledged, batched, unanswered, failed };
  };
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
    finish,
    async stop() {
      isStopped = true;
      return finish();
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

/**
 * Returns one entry per reading: its response, or undefined for a line that is not stored. If the request got no usable
 * response, returns the reason instead.
 */
async function sendReadings(
  url: string,
  key: string,
  readings: readonly Submission[],
): Promise<ReadonlyArray<Sent['answers'][number] | undefined> | string> {
  const [first] = readings;
  if (readings.length === 1) {
    const answer = await trySend<StateReading>(`${url}/v1/ingest`, headersOf(key), JSON.stringify(first));
    return typeof answer === 'string' ? answer : [answer];
  }
  const headers = headersOf(key, 'application/x-ndjson');
  const answer = await trySend<Schema<'BatchResult'>>(`${url}/v1/ingest/batch`, headers, ndjson(readings));
  if (typeof answer === 'string') return answer;
  const invalid = answer.results.find(({ status }) => status >= 400 && status < 500);
  if (invalid) throw new Error(JSON.stringify(invalid));
  return answer.results.map(({ status }) => (status === 200 ? 'stored' : undefined));
}

/**
 * Returns the response, or the reason why the request must be resent. Rejects if the service rejects the request
 * permanently.
 */
async function trySend<Body>(url: string, headers: Record<string, string>, body: string): Promise<Body | string> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(answerLimitMs) });
    const text = await response.text();
    const status = `status ${response.status}`;
    if (response.ok) return JSON.parse(text) as Body;
    if (response.status < 500 && !repeatable.includes(response.status)) throw new RefusedError(status, text);
    return status;
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    return (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
  }
}

class RefusedError extends Error {
  constructor(
    readonly status: string,
    text: string,
  ) {
    super(`${status}: ${text}`);
  }
}
