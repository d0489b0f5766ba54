import { retryAfterSeconds } from './problem-error.js';

export interface RetryOptions {
  /** How often a call is sent again at most. */
  readonly retriesMax: number;
  /** A longer wait is not waited for: the call fails, and its error says how long it would be. */
  readonly waitMaxSeconds: number;
  /** How long one attempt may take. */
  readonly timeoutMs: number;
}

export interface RetryParts extends RetryOptions {
  readonly fetch: typeof fetch;
  /** Rejects when the signal does. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

const backoffMs = 250;
/** 409: the first request with this Idempotency-Key is in progress. */
const busy = [409, 429, 503];

/**
 * A fetch that sends a request again where the service asks for that: 429 and 503 stored nothing. When a response is
 * lost, it resends only requests that get the same response again: reads, readings, and requests with an
 * Idempotency-Key.
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

/** Waits so long unless the signal ends it. */
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
 * Resolves with the response after its whole body has arrived, so the limit covers the body too. The request stays
 * unread, so that it can be sent again. The timer holds the controller: runtimes may garbage-collect the timeout of
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

/** On top of what was asked for, so that clients refused together do not come back together. */
function jitterMs({ random }: RetryParts, retries: number): number {
  return Math.round(random() * backoffMs * 2 ** retries);
}
