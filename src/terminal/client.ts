import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema, StateReading, Submission } from '../contract.js';
import { startTimeLimit } from '../delivery/time-limit.js';
import {
  detailOf,
  otherService,
  rejectedKey,
  responseLimitMs,
  retryAfter,
  type ServiceAddress,
  unreachable,
  waitSecondsMax,
} from './service.js';

/** Maximum number of requests for one reading. After the last one, the service is reported as busy. */
const triesMax = 5;

export type Answer =
  | { readonly kind: 'state'; readonly reading: StateReading }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string };

/** Sends one reading. Retries a 429 or 503 after the seconds in Retry-After. */
export type Send = (submission: Submission) => Promise<Answer>;

/**
 * Sends readings in one batch of at most 1,000 lines and 1 MB. Returns one answer per reading, in order. Retries lines
 * with a 429 or 503 after the longest of their waits.
 */
export type SendBatch = (submissions: readonly Submission[]) => Promise<Answer[]>;

export function createSend(service: ServiceAddress): Send {
  return async (submission) => {
    for (let tries = 1; ; tries += 1) {
      const response = await post(service, ingestRequest(submission));
      const waitSeconds = retryAfter(response);
      if (waitSeconds === undefined || waitSeconds > waitSecondsMax || tries === triesMax)
        return read(response, service.url);
      await sleep(waitSeconds * 1000, undefined, { signal: service.signal });
    }
  };
}

export function createSendBatch(service: ServiceAddress): SendBatch {
  return async (submissions) => {
    const answers: Answer[] = [];
    let waiting = submissions.map((submission, index) => ({ submission, index }));
    for (let tries = 1; ; tries += 1) {
      const outcomes = await sendLines(
        service,
        waiting.map(({ submission }) => submission),
      );
      waiting.forEach(({ index }, at) => (answers[index] = outcomes[at]?.answer ?? missing));
      const again = waiting.filter((_, at) => outcomes[at]?.waitSeconds !== undefined);
      const waitSeconds = Math.max(...outcomes.map((it) => it.waitSeconds ?? 0));
      if (again.length === 0 || waitSeconds > waitSecondsMax || tries === triesMax) return answers;
      waiting = again;
      await sleep(waitSeconds * 1000, undefined, { signal: service.signal });
    }
  };
}

interface LineOutcome {
  readonly answer: Answer;
  /** Seconds until the retry. Absent if the answer is final. */
  readonly waitSeconds?: number | undefined;
}

const missing: Answer = { kind: 'refused', status: 502, detail: 'no result' };

/** Sends a batch once. Returns the outcome of each line, in order. */
async function sendLines(service: ServiceAddress, submissions: readonly Submission[]): Promise<LineOutcome[]> {
  const response = await post(service, batchRequest(submissions));
  if (!response.ok) {
    const waitSeconds = retryAfter(response);
    const answer = await read(response, service.url);
    return submissions.map(() => ({ answer, waitSeconds }));
  }
  const results = readResults(await response.json().catch(() => undefined), service.url);
  return submissions.map((_, at) => outcomeOf(results[at]));
}

function outcomeOf(result: LineResult | undefined): LineOutcome {
  if (!result) return { answer: missing };
  const isFinal = result.status !== 429 && result.status !== 503;
  return { answer: answerOf(result), ...(!isFinal && { waitSeconds: result.error?.retry_after_seconds ?? 1 }) };
}

interface OutgoingRequest {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

function ingestRequest(submission: Submission): OutgoingRequest {
  return { path: '/v1/ingest', type: 'application/json', body: JSON.stringify(submission) };
}

function batchRequest(submissions: readonly Submission[]): OutgoingRequest {
  const body = submissions.map((it) => `${JSON.stringify(it)}\n`).join('');
  return { path: '/v1/ingest/batch', type: 'application/x-ndjson', body };
}

/** Sends a request. Resolves after the whole response has arrived, so that the time limit includes the body. */
async function post({ url, key, signal }: ServiceAddress, { path, type, body }: OutgoingRequest): Promise<Response> {
  const limit = startTimeLimit(responseLimitMs, signal);
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'X-Service-Key': key, 'Content-Type': type },
      body,
      signal: limit.signal,
    });
    return new Response((await response.text()) || null, response);
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(url, error);
  } finally {
    limit.clear();
  }
}

async function read(response: Response, url: string): Promise<Answer> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) {
    if (isState(body)) return { kind: 'state', reading: body };
    throw otherService(url);
  }
  const detail = detailOf(body) ?? response.statusText;
  if (response.status === 401) throw rejectedKey(detail);
  return { kind: 'refused', status: response.status, detail };
}

type LineResult = Schema<'BatchResult'>['results'][number];

function readResults(body: unknown, url: string): readonly LineResult[] {
  const { results } = (body ?? {}) as { results?: LineResult[] };
  if (!Array.isArray(results)) throw otherService(url);
  return results;
}

function answerOf({ status, state, error }: LineResult): Answer {
  if (state) return { kind: 'state', reading: state };
  return { kind: 'refused', status, detail: detailOf(error) ?? '' };
}

function isState(body: unknown): body is StateReading {
  return typeof body === 'object' && body !== null && 'stress_score' in body && 'state' in body;
}
