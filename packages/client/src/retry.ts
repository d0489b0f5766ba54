import { ConnectionError, type TimeoutError } from './connection-error.js';
import { resendable } from './generated/resendable.js';
import { retryAfterSeconds } from './problem-error.js';
import { createTimeLimit } from './time-limit.js';

export interface RetryOptions {
  /** Maximum number of retries per call. Default: 4. */
  readonly maxRetries: number;
  /** Total time in ms that a call may wait between its attempts. A longer wait fails the call. Default: 10,000. */
  readonly waitBudgetMs: number;
  /** Timeout of one attempt in ms. Default: 30,000. */
  readonly timeoutMs: number;
}

export const retryDefaults: RetryOptions = { maxRetries: 4, waitBudgetMs: 10_000, timeoutMs: 30_000 };

export interface RetryParts extends RetryOptions {
  readonly fetch: typeof fetch;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

type Outcome = Response | ConnectionError | TimeoutError;

const backoffMs = 250;
/** The service rejected the request before it did anything. */
const refused = [429, 503];
/** A proxy got no response from the service, which may have processed the request. */
const lostByProxy = [502, 504];

/**
 * Returns a fetch that resends requests with a retryable error: 429 and 503 stored nothing. When a response is lost, it
 * resends only requests that are safe to repeat: reads, readings, feedback, consent, tokens, and requests with an
 * Idempotency-Key. Rejects with ConnectionError or TimeoutError when the last attempt got no response.
 */
export function retrying(parts: RetryParts): (request: Request) => Promise<Response> {
  return async (request) => {
    let budgetMs = parts.waitBudgetMs;
    for (let retries = 0; ; retries += 1) {
      const outcome = await attempt(parts, request);
      const waitMs = waitBefore(outcome, request, jitterMs(parts, retries));
      if (waitMs === undefined || waitMs > budgetMs || retries >= parts.maxRetries) return settle(outcome);
      budgetMs -= waitMs;
      await parts.sleep(waitMs, request.signal);
    }
  };
}

/** Returns the wait in ms before the request may be resent. Undefined when resending is useless or not safe. */
function waitBefore(outcome: Outcome, request: Request, jitter: number): number | undefined {
  if (outcome instanceof Response && isRefused(outcome))
    return (retryAfterSeconds(outcome.headers) ?? 1) * 1000 + jitter;
  const isLost = !(outcome instanceof Response) || lostByProxy.includes(outcome.status);
  return isLost && answersTheSame(request) ? jitter : undefined;
}

/** A 409 with `Retry-After`: the first request with this Idempotency-Key runs. Any other 409 is final. */
function isRefused({ status, headers }: Response): boolean {
  return refused.includes(status) || (status === 409 && headers.has('Retry-After'));
}

function settle(outcome: Outcome): Response {
  if (outcome instanceof Response) return outcome;
  throw outcome;
}

/** Waits, or rejects when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Resolves with the response after its whole body has arrived, so that the timeout covers the body too. Fetches a
 * clone, so that the request can be resent. Rejects when the caller aborts.
 */
async function attempt({ fetch, timeoutMs }: RetryParts, request: Request): Promise<Outcome> {
  const limit = createTimeLimit([request.signal]);
  limit.start(timeoutMs);
  try {
    const response = await fetch(request.clone(), { signal: limit.signal });
    const body = await response.arrayBuffer();
    return new Response(body.byteLength > 0 ? body : null, response);
  } catch (cause) {
    request.signal.throwIfAborted();
    return limit.signal.aborted ? limit.signal.reason : ConnectionError.of(request, cause);
  } finally {
    limit.release();
  }
}

function answersTheSame({ method, url, headers }: Request): boolean {
  const isSafe = ['GET', 'PUT'].includes(method) || headers.has('Idempotency-Key');
  return isSafe || (method === 'POST' && resendable.test(new URL(url).pathname));
}

/** Returns extra random wait, so that clients rejected together do not retry together. */
function jitterMs({ random }: RetryParts, retries: number): number {
  return Math.round(random() * backoffMs * 2 ** retries);
}
