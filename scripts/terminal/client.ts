import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema, StateReading, Submission } from '../../src/contract.js';
import { startTimeLimit } from '../../src/delivery/time-limit.js';
import { parseUrl } from '../../src/net/parse-url.js';

/** A service that stays busy longer is reported instead of waited for. */
const triesMax = 5;
/** A limit of a minute is waited for, one of a month is not. */
const waitSecondsMax = 60;
const answerLimitMs = 30_000;

export const keyRemedy =
  'give one with --key or SERVICE_KEY; npm run keys -- create --account replay --tier solo makes one';

export type Answer =
  | { readonly kind: 'state'; readonly reading: StateReading }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string };

/** Sends one reading; waits and repeats it where the service asks for that with Retry-After. */
export type Send = (submission: Submission) => Promise<Answer>;

/** Nothing can be sent at all; the message is one line that names the remedy. */
export class UnusableService extends Error {}

export interface ServiceAddress {
  readonly url: string;
  readonly key: string;
  /** Ends whatever is under way. */
  readonly signal: AbortSignal;
}

export function createSend(service: ServiceAddress): Send {
  return async (submission) => {
    for (let tries = 1; ; tries += 1) {
      const response = await post(service, submission);
      const waitSeconds = retryAfter(response);
      if (waitSeconds === undefined || waitSeconds > waitSecondsMax || tries === triesMax)
        return read(response, service.url);
      await sleep(waitSeconds * 1000, undefined, { signal: service.signal });
    }
  };
}

/** A base address, checked and without a slash at its end; undefined when it is none. */
export function readBaseUrl(text: string): string | undefined {
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? '')) return undefined;
  return text.replace(/\/+$/, '');
}

/** Resolves after the whole response has arrived: the limit covers its body too. */
async function post({ url, key, signal }: ServiceAddress, submission: Submission): Promise<Response> {
  const limit = startTimeLimit(answerLimitMs, signal);
  try {
    const response = await fetch(`${url}/v1/ingest`, {
      method: 'POST',
      headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(submission),
      signal: limit.signal,
    });
    return new Response((await response.text()) || null, response);
  } catch (error) {
    signal.throwIfAborted();
    throw new UnusableService(
      `cannot reach the service at ${url} (${causeOf(error)}): start it with npm start, or name its address with --url`,
    );
  } finally {
    limit.clear();
  }
}

/** Seconds to wait before the same request is sent again; undefined when it has its final answer. */
function retryAfter({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) : 1;
}

async function read(response: Response, url: string): Promise<Answer> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) {
    if (isState(body)) return { kind: 'state', reading: body };
    throw new UnusableService(`what answers at ${url} is not this service: name its address with --url`);
  }
  const detail = detailOf(body) ?? response.statusText;
  if (response.status === 401) throw new UnusableService(`the service refused the key (401 ${detail}): ${keyRemedy}`);
  return { kind: 'refused', status: response.status, detail };
}

function isState(body: unknown): body is StateReading {
  return typeof body === 'object' && body !== null && 'stress_score' in body && 'state' in body;
}

/** The first fault with the field it is about: "Input should be …" alone does not say which. */
function detailOf(body: unknown): string | undefined {
  // Whoever answers an error need not be this service, so nothing is sure to be there.
  const problem = (body ?? {}) as Partial<Schema<'ValidationProblem'>>;
  const fault = problem.errors?.[0];
  return fault?.pointer ? `${fault.pointer}: ${fault.detail}` : problem.detail;
}

function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no answer within ${answerLimitMs / 1000} seconds`;
  return cause?.code ?? cause?.message ?? message;
}
