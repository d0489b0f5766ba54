import createFetchClient from 'openapi-fetch';
import type { paths } from '../../../generated/api.js';
import { fitBody } from './fit-body.js';
import { errorOf } from './problem-error.js';
import { type Pages, pagesOf } from './pages.js';
import { retrying, retryDefaults, type RetryOptions, sleep } from './retry.js';
import type {
  Delivery,
  DeliveryFilter,
  DeliveryList,
  Erasure,
  FailedDelivery,
  FailedDeliveryFilter,
  FailedDeliveryList,
  History,
  RetryAccepted,
  RetryRequest,
  SessionFilter,
  SessionList,
  SessionSummary,
  StateReading,
  Submission,
  TestAccepted,
  TriggerProfile,
  Webhook,
  WebhookRegistration,
} from './schemas.js';

export interface ClientOptions extends Partial<RetryOptions> {
  /** URL of the service, e.g. `https://state.example.com`. Default: the environment variable `SERVICE_URL`. */
  readonly baseUrl?: string;
  /** The API key, `sk_…`. Default: the environment variable `SERVICE_KEY`. */
  readonly key?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
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

/** Options of calls that are not idempotent without a key. */
export interface IdempotentCallOptions extends CallOptions {
  /** Use a new key per call. Resending a call with the same key within 24 hours is safe. Default: a new UUID. */
  readonly idempotencyKey?: string;
}

/**
 * Client of the API. Every method retries retryable errors. It rejects with ProblemError for an error of the service, and
 * with ConnectionError or TimeoutError without a response.
 */
export interface StateClient {
  /** Sends a reading. Cuts texts if the body would be too large. */
  ingest(submission: Submission, call?: CallOptions): Promise<StateReading>;
  state(session_id: string, call?: CallOptions): Promise<StateReading>;
  /** Returns the last `minutes` minutes, 5 by default. */
  history(session_id: string, minutes?: number, call?: CallOptions): Promise<History>;
  triggers(subject_id: string, call?: CallOptions): Promise<TriggerProfile>;
  /** Returns the sessions, newest first. */
  sessions(filter?: SessionFilter, call?: CallOptions): Pages<SessionList, SessionSummary>;
  /** Erases all data about a person. */
  deleteSubject(subject_id: string, call?: CallOptions): Promise<Erasure>;
  readonly webhooks: WebhookClient;
}

export interface WebhookClient {
  /** `secret` is present only in the response that creates the webhook. Store it. */
  register(registration: WebhookRegistration, call?: IdempotentCallOptions): Promise<Webhook>;
  list(call?: CallOptions): Promise<Webhook[]>;
  remove(id: string, call?: CallOptions): Promise<void>;
  /** Returns the new `secret`. For 24 hours, deliveries are signed with both the new and the old secret. */
  rotateSecret(id: string, call?: IdempotentCallOptions): Promise<Webhook>;
  /** Sends a signed sample event. */
  test(id: string, call?: IdempotentCallOptions): Promise<TestAccepted>;
  /** Returns the delivery log, newest first. */
  deliveries(filter?: DeliveryFilter, call?: CallOptions): Pages<DeliveryList, Delivery>;
  /** Returns one delivery of any status, by its `webhook-id`. */
  delivery(id: string, call?: CallOptions): Promise<Delivery>;
  /** Returns the failed deliveries, newest first. */
  failedDeliveries(filter?: FailedDeliveryFilter, call?: CallOptions): Pages<FailedDeliveryList, FailedDelivery>;
  retry(deliveries: RetryRequest, call?: CallOptions): Promise<RetryAccepted>;
}

export function createStateClient(options: ClientOptions = {}): StateClient {
  const { baseUrl = fromEnvironment('SERVICE_URL', 'baseUrl'), key = fromEnvironment('SERVICE_KEY', 'key') } = options;
  const api = createFetchClient<paths>({ baseUrl, headers: { 'X-Service-Key': key } });
  const on = optionsWith(options);
  const ofSession = (session_id: string) => ({ params: { query: { session_id } } });
  const ofWebhook = (id: string) => ({ params: { path: { id } } });
  return {
    ingest: async (submission, call) => read(await api.POST('/v1/ingest', { ...on(call), body: fitBody(submission) })),
    state: async (session_id, call) => read(await api.GET('/v1/state', { ...on(call), ...ofSession(session_id) })),
    history: async (session_id, minutes, call) => {
      const query = minutes === undefined ? { session_id } : { session_id, minutes };
      return read(await api.GET('/v1/history', { ...on(call), params: { query } }));
    },
    triggers: async (subject_id, call) =>
      read(await api.GET('/v1/triggers', { ...on(call), params: { query: { subject_id } } })),
    sessions: (filter, call) =>
      pagesOf(
        async (cursor) => read(await api.GET('/v1/sessions', { ...on(call), params: { query: at(cursor, filter) } })),
        ({ sessions }) => sessions,
      ),
    deleteSubject: async (subject_id, call) =>
      read(await api.DELETE('/v1/subjects/{subject_id}', { ...on(call), params: { path: { subject_id } } })),
    webhooks: {
      register: async (body, call) => read(await api.POST('/webhooks/register', { ...on(withKey(call)), body })),
      list: async (call) => read(await api.GET('/webhooks', on(call))).webhooks,
      remove: async (id, call) => succeed(await api.DELETE('/webhooks/{id}', { ...on(call), ...ofWebhook(id) })),
      rotateSecret: async (id, call) =>
        read(await api.POST('/webhooks/{id}/rotate-secret', { ...on(withKey(call)), ...ofWebhook(id) })),
      test: async (id, call) => read(await api.POST('/webhooks/{id}/test', { ...on(withKey(call)), ...ofWebhook(id) })),
      deliveries: (filter, call) =>
        pagesOf(
          async (cursor) =>
            read(await api.GET('/webhooks/deliveries', { ...on(call), params: { query: at(cursor, filter) } })),
          ({ deliveries }) => deliveries,
        ),
      delivery: async (delivery_id, call) =>
        read(await api.GET('/webhooks/deliveries/{delivery_id}', { ...on(call), params: { path: { delivery_id } } })),
      failedDeliveries: (filter, call) =>
        pagesOf(
          async (cursor) =>
            read(await api.GET('/webhooks/retries', { ...on(call), params: { query: at(cursor, filter) } })),
          ({ deliveries }) => deliveries,
        ),
      retry: async (body, call) => read(await api.POST('/webhooks/retries', { ...on(call), body })),
    },
  };
}

type InternalCall = CallOptions & { readonly headers?: Record<string, string> };

/** Returns a function that converts the options of a call to those of openapi-fetch. */
function optionsWith({ fetch = globalThis.fetch, baseUrl: _, key: __, ...ofClient }: ClientOptions) {
  return ({ signal, headers, onResponse, ...ofCall }: InternalCall = {}) => {
    const send = retrying({ ...retryDefaults, ...ofClient, ...ofCall, fetch, sleep, random: Math.random });
    const observed = async (request: Request) => {
      const response = await send(request);
      onResponse?.({
        status: response.status,
        headers: response.headers,
        requestId: response.headers.get('x-request-id'),
      });
      return response;
    };
    return { fetch: observed, ...(signal && { signal }), ...(headers && { headers }) };
  };
}

/** Adds an Idempotency-Key, so that the call can be resent when its response is lost. */
function withKey({ idempotencyKey = crypto.randomUUID(), ...call }: IdempotentCallOptions = {}): InternalCall {
  return { ...call, headers: { 'Idempotency-Key': idempotencyKey } };
}

/** Returns the query of a page. */
function at<Filter extends object>(cursor: string | undefined, filter: Filter | undefined): Filter {
  return { ...filter, ...(cursor !== undefined && { cursor }) } as Filter;
}

/** Reads a variable of the environment. Browsers and some edge runtimes have none. */
function fromEnvironment(variable: string, option: string): string {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  const value = process?.env?.[variable];
  if (!value) throw new Error(`${option} is missing: pass it to createStateClient or set ${variable}`);
  return value;
}

interface Answered<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

function read<Data>(answered: Answered<Data>): Data {
  succeed(answered);
  if (answered.data === undefined) throw errorOf(undefined, answered.response);
  return answered.data;
}

function succeed({ error, response }: Answered<unknown>): void {
  if (!response.ok) throw errorOf(error, response);
}
