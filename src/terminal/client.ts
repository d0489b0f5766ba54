import { commandLine } from '../config/command-line.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema, StateReading, Submission } from '../contract.js';
import { startTimeLimit } from '../delivery/time-limit.js';
import { parseUrl } from '../net/parse-url.js';

/** Maximum number of requests for one reading. After the last one, the service is reported as busy. */
const triesMax = 5;
/** Maximum wait before a retry, s. Long enough for the window of a minute, but not for the quota of a month. */
const waitSecondsMax = 60;
const responseLimitMs = 30_000;

export const keyRemedy = `set --key or SERVICE_KEY. To create a key: ${commandLine('keys', 'create --account replay --tier solo')}`;

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

/** Thrown if the service cannot be used at all. The message is one line that names the remedy. */
export class UnusableService extends Error {}

export interface ServiceAddress {
  readonly url: string;
  readonly key: string;
  /** Aborts requests and pauses. */
  readonly signal: AbortSignal;
}

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
    const answers: Answer[] = new Array(submissions.length);
    let waiting = submissions.map((submission, index) => ({ submission, index }));
    for (let tries = 1; waiting.length > 0; tries += 1) {
      const response = await post(service, batchRequest(waiting.map(({ submission }) => submission)));
      const results = response.ok ? readResults(await response.json().catch(() => undefined), service.url) : undefined;
      const refusal = results ? undefined : await read(response.clone(), service.url);
      let waitSeconds = results ? 0 : (retryAfter(response) ?? Number.POSITIVE_INFINITY);
      const again: typeof waiting = [];
      waiting.forEach((it, at) => {
        const result = results?.[at];
        const answer = refusal ?? (result ? answerOf(result) : { kind: 'refused', status: 502, detail: 'no result' });
        answers[it.index] = answer;
        if (answer.kind !== 'refused' || (answer.status !== 429 && answer.status !== 503)) return;
        again.push(it);
        waitSeconds = Math.max(waitSeconds, result?.error?.retry_after_seconds ?? 1);
      });
      if (waitSeconds > waitSecondsMax || tries === triesMax) break;
      waiting = again;
      if (waiting.length > 0) await sleep(waitSeconds * 1000, undefined, { signal: service.signal });
    }
    return answers;
  };
}

/** Returns the URL without a trailing slash. Undefined if it is not an http or https URL. */
export function readBaseUrl(text: string): string | undefined {
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? '')) return undefined;
  return text.replace(/\/+$/, '');
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
    throw new UnusableService(`cannot reach the service at ${url} (${causeOf(error)}): start it, or set --url`);
  } finally {
    limit.clear();
  }
}

/** Returns the seconds until the retry. Undefined if the response is final. */
function retryAfter({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) : 1;
}

async function read(response: Response, url: string): Promise<Answer> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) {
    if (isState(body)) return { kind: 'state', reading: body };
    throw new UnusableService(`${url} is not this service: set --url`);
  }
  const detail = detailOf(body) ?? response.statusText;
  if (response.status === 401) throw new UnusableService(`the service rejected the key (401 ${detail}): ${keyRemedy}`);
  return { kind: 'refused', status: response.status, detail };
}

type LineResult = Schema<'BatchResult'>['results'][number];

function readResults(body: unknown, url: string): readonly LineResult[] {
  const { results } = (body ?? {}) as { results?: LineResult[] };
  if (!Array.isArray(results)) throw new UnusableService(`${url} is not this service: set --url`);
  return results;
}

function answerOf({ status, state, error }: LineResult): Answer {
  if (state) return { kind: 'state', reading: state };
  return { kind: 'refused', status, detail: detailOf(error) ?? '' };
}

function isState(body: unknown): body is StateReading {
  return typeof body === 'object' && body !== null && 'stress_score' in body && 'state' in body;
}

/** Returns the first validation error with its field, because "Input should be …" does not name the field. */
function detailOf(body: unknown): string | undefined {
  // Every field may be missing, because the error may come from another program.
  const problem = (body ?? {}) as Partial<Schema<'ValidationProblem'>>;
  const fault = problem.errors?.[0];
  return fault?.pointer ? `${fault.pointer}: ${fault.detail}` : problem.detail;
}

function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no response within ${responseLimitMs / 1000} seconds`;
  return cause?.code ?? cause?.message ?? message;
}
