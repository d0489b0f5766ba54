import { commandLine } from '../config/command-line.js';
import type { Schema } from '../contract.js';
import { parseUrl } from '../net/parse-url.js';

/** Maximum wait before a retry, s. Long enough for the window of a minute, but not for the quota of a month. */
export const waitSecondsMax = 60;
/** Maximum wait for a response, ms. */
export const responseLimitMs = 30_000;

const keyRemedy = `set --key or SERVICE_KEY. To create a key: ${commandLine('keys', 'create --account NAME --tier solo')}`;

/** Thrown if the service cannot be used at all. The message is one line that names the remedy. */
export class UnusableService extends Error {}

export interface ServiceAddress {
  readonly url: string;
  readonly key: string;
  /** Aborts requests and pauses. */
  readonly signal: AbortSignal;
}

/** Returns the URL without a trailing slash. Undefined if it is not an http or https URL. */
export function readBaseUrl(text: string): string | undefined {
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? '')) return undefined;
  return text.replace(/\/+$/, '');
}

/**
 * Returns a key that a header can contain. Throws an error without the key otherwise. Commands call this function
 * because the error message of commander would contain the malformed key.
 */
export function requireKey(key: string | undefined): string {
  if (!key || !/^[!-~]+$/.test(key)) throw new Error(`no usable key: ${keyRemedy}`);
  return key;
}

export function rejectedKey(detail: string): UnusableService {
  return new UnusableService(`the service rejected the key (401 ${detail}): ${keyRemedy}`);
}

export function otherService(url: string): UnusableService {
  return new UnusableService(`${url} is not this service: set --url`);
}

/** Returns the error of a request that got no response. */
export function unreachable(url: string, error: unknown): UnusableService {
  return new UnusableService(`cannot reach the service at ${url} (${causeOf(error)}): start it, or set --url`);
}

/** Returns the seconds until the retry. Undefined if the response is final. */
export function retryAfter({ status, headers }: Pick<Response, 'status' | 'headers'>): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) : 1;
}

/** Returns the first validation error with its field, because "Input should be …" does not name the field. */
export function detailOf(body: unknown): string | undefined {
  // Every field may be missing, because the error may come from another program.
  const problem = (body ?? {}) as Partial<Schema<'ValidationProblem'>>;
  const fault = problem.errors?.[0];
  return fault?.pointer ? `${fault.pointer}: ${fault.detail}` : problem.detail;
}

/** Returns the cause of an error of `fetch` in a few words, e.g. ECONNREFUSED. */
export function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no response within ${responseLimitMs / 1000} seconds`;
  return cause?.code ?? cause?.message ?? message;
}
