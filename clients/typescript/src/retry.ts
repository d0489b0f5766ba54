import { retryAfterSeconds } from './problem-error.js';

export interface RetryOptions {
  /** Maximum number of retries per call. */
  readonly retriesMax: number;
  /** Maximum wait before a retry. A longer `Retry-After` fails the call, and the error contains the wait. */
  readonly waitMaxSeconds: number;
  /** Timeout of one attempt. */
  readonly timeoutMs: number;
}

export interface RetryParts extends RetryOptions {
  readonly fetch: typeof fetch;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

const backoffMs = 250;
/** 409: the first request with this Idempotency-Key is in progress. */
const busy = [409, 429, 503];

/**
 * Returns a fetch that resends requests with a retryable error: 429 and 503 stored nothing. When a response is lost, it
 * resends only requests that get the same response again: reads, readings, and requests with an Idempotency-Key.
 */
export function retrying(parts: RetryParts): (request: Request) => Promise<Response> {
  return async (request) => {
    for (let retries = 0; ; retries += 1) {
      const isLast = retries >= parts.retriesMax;
      const outcome = await attempt(parts, request);
      if (outcome instanceof Response) {
        const waitSeconds = busy.includes(outcome.status) ? (retryAfterSeconds(outcome.headers) ?? 1) : undefined;
        if (isLast || waitSeconds === undefined || waitSeconds > parts.waitMaxSeconds) return outcome;
        await parts.sleep(waitSeconds * 1000 + jitterMs(parts, retries), request.signal);
      } else {
        request.signal.throwIfAborted();
        if (isLast || !answersTheSame(request)) throw outcome.error;
        await parts.sleep(jitterMs(parts, retries), request.signal);
      }
    }
  };
}

/** Waits, or rejects when the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Resolves with the response after its whole body has arrived, so that the timeout covers the body too. Fetches a
 * clone, so that the request can be resent. The timer holds the controller: runtimes may garbage-collect the timeout of
 * `AbortSignal.any([…, AbortSignal.timeout()])` before it fires (nodejs/node#57736).
 */
async function attempt({ fetch, timeoutMs }: RetryParts, request: Request): Promise<Response | { error: unknown }> {
  const controller = new AbortController();
  const stop = () => controller.abort(request.signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('timed out', 'TimeoutError')), timeoutMs);
  request.signal.addEventListener('abort', stop, { once: true });
  try {
    if (request.signal.aborted) stop();
    const response = await fetch(request.clone(), { signal: controller.signal });
    const body = await response.arrayBuffer();
    return new Response(body.byteLength > 0 ? body : null, response);
  } catch (error) {
    return { error };
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', stop);
  }
}

function answersTheSame({ method, url, headers }: Request): boolean {
  return method === 'GET' || isReading({ method, url }) || headers.has('Idempotency-Key');
}

function isReading({ method, url }: Pick<Request, 'method' | 'url'>): boolean {
  return method === 'POST' && new URL(url).pathname.endsWith('/v1/ingest');
}

/** Returns extra random wait, so that clients rejected together do not retry together. */
function jitterMs({ random }: RetryParts, retries: number): number {
  return Math.round(random() * backoffMs * 2 ** retries);
}
