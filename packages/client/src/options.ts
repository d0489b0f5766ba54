import type { TokenSource } from './credential.js';
import type { RetryOptions } from './retry.js';

export interface ServiceOptions extends Partial<RetryOptions> {
  /** URL of the service, e.g. `https://state.example.com`. Default: the environment variable `SERVICE_URL`. */
  readonly baseUrl?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface ClientOptions extends ServiceOptions {
  /** The API key, `sk_…`. Default: the environment variable `SERVICE_KEY`. */
  readonly key?: string;
}

/** Options of a client without a key, for browsers and apps. */
export interface TokenClientOptions extends ServiceOptions {
  /**
   * A session token, or a function that requests one from your backend. The function is called when the first request
   * starts and when the service rejects the token, e.g. because it has expired.
   */
  readonly token: TokenSource;
}

/** Options of one call. They override those of the client. */
export interface CallOptions extends Partial<RetryOptions> {
  /** Aborts the call, including waits between retries. */
  readonly signal?: AbortSignal;
  /** Called with the final response, also with an error response, before the call settles. */
  readonly onResponse?: (response: ResponseInfo) => void;
}

export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** `X-Request-Id`. Quote it in support requests. Null for a response that is not from the service. */
  readonly requestId: string | null;
}

export interface HistoryOptions extends CallOptions {
  /** End of the window, RFC 3339 in UTC. Default: now. */
  readonly until?: string;
}

/** Options of calls that are not idempotent without a key. */
export interface IdempotentCallOptions extends CallOptions {
  /** Use a new key per call. Resending a call with the same key within 24 hours is safe. Default: a new UUID. */
  readonly idempotencyKey?: string;
}
