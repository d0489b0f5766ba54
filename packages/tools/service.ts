import {
  ConnectionError,
  createStateClient,
  ProblemError,
  type StateClient,
  TimeoutError,
  UnexpectedAnswerError,
} from '../client/src/index.js';
import { describeReason } from './send-batch.js';

/** Longest total wait for the retries of a call, ms. Enough for a limit per minute, but not for the monthly quota. */
const waitBudgetMs = 120_000;

/** How a person runs the command `keys`, of the installed program and in a checkout. */
const keysCommand = import.meta.url.includes('/node_modules/') ? 'state-service keys' : 'npx state-service keys';
const keyRemedy = `set --key or SERVICE_KEY. To create a key: ${keysCommand} create --account NAME --tier solo`;

export interface ServiceOptions {
  readonly url: string;
  readonly key?: string;
}

/** Thrown if the service cannot be used at all. The message is one line that names the remedy. */
export class UnusableService extends Error {}

/** Returns the client of a command. Throws an error if there is no usable key. */
export function connect({ url, key }: ServiceOptions): StateClient {
  return createStateClient({ baseUrl: url, key: requireKey(key), waitBudgetMs, fetch: refusingRedirects(url) });
}

/**
 * Returns a key that a header can contain. Throws an error without the key otherwise. Commands call this function
 * because the error message of commander would contain the malformed key.
 */
function requireKey(key: string | undefined): string {
  if (!key || !/^[!-~]+$/.test(key)) throw new Error(`no usable key: ${keyRemedy}`);
  return key;
}

/** A redirect could send the key to another host. */
function refusingRedirects(url: string): typeof fetch {
  return async (request, init) => {
    const response = await fetch(request, { ...init, redirect: 'manual' });
    const { status, headers } = response;
    if (status >= 300 && status < 400)
      throw new UnusableService(
        `${url} redirects to ${headers.get('location')}: set --url to the address of the service`,
      );
    return response;
  };
}

/** Returns the URL without a trailing slash. Undefined if it is not an http or https URL. */
export function readBaseUrl(text: string): string | undefined {
  try {
    return /^https?:$/.test(new URL(text).protocol) ? text.replace(/\/+$/, '') : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the error of a call as an error of one line that names the remedy. `remedies` contains the remedies of the
 * command, by the status of the response.
 */
export function explain(error: unknown, url: string, remedies: Readonly<Record<number, string>> = {}): Error {
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    if (error.cause instanceof UnusableService) return error.cause;
    return new UnusableService(`cannot reach the service at ${url} (${describeReason(error)}): start it, or set --url`);
  }
  if (!(error instanceof ProblemError || error instanceof UnexpectedAnswerError)) return error as Error;
  const { status, message, retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined)
    return new UnusableService(
      `the service responded with ${describeReason(error)}: run the command again in ${retryAfterSeconds} s`,
    );
  if (error instanceof UnexpectedAnswerError)
    return status < 500 ? otherService(url) : new UnusableService(`the service responded with ${message}`);
  if (status === 401)
    return new UnusableService(`the service rejected the key (401 ${error.problem.detail}): ${keyRemedy}`);
  return new UnusableService(`the service responded with ${describeReason(error)}${remedies[status] ?? ''}`);
}

export function otherService(url: string): UnusableService {
  return new UnusableService(`${url} is not this service: set --url`);
}
