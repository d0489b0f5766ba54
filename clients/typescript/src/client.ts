import createFetchClient from 'openapi-fetch';
import type { paths } from '../../../generated/api.js';
import { fitBody } from './fit-body.js';
import { errorOf } from './problem-error.js';
import { retrying, type RetryOptions, sleep } from './retry.js';
import type {
  Delivery,
  DeliveryFilter,
  DeliveryList,
  Erasure,
  FailedDeliveryFilter,
  FailedDeliveryList,
  History,
  RetryAccepted,
  RetryRequest,
  StateReading,
  Submission,
  TestAccepted,
  TriggerProfile,
  Webhook,
  WebhookRegistration,
} from './schemas.js';

export interface ClientOptions extends Partial<RetryOptions> {
  /** URL of the service, e.g. `https://state.example.com`. */
  readonly baseUrl: string;
  /** The API key, `sk_…`. */
  readonly key: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  /** Aborts the call, including waits between retries. */
  readonly signal?: AbortSignal;
}

/** Options of calls that are not idempotent without a key. */
export interface IdempotentCallOptions extends CallOptions {
  /** Use a new key per call. Resending a call with the same key within 24 hours is safe. Default: a new UUID. */
  readonly idempotencyKey?: string;
}

/**
 * Client of the API. Every method rejects with ProblemError for an error of the service, and retries retryable errors.
 */
export interface StateClient {
  /** Sends a reading. Cuts texts if the body would be too large. */
  ingest(submission: Submission, call?: CallOptions): Promise<StateReading>;
  state(session_id: string, call?: CallOptions): Promise<StateReading>;
  /** Returns the last `minutes` minutes, 5 by default. */
  history(session_id: string, minutes?: number, call?: CallOptions): Promise<History>;
  triggers(subject_id: string, call?: CallOptions): Promise<TriggerProfile>;
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
  /** Returns a page of the delivery log, newest first. Continue with `next_cursor` until it is null. */
  deliveries(filter?: DeliveryFilter, call?: CallOptions): Promise<DeliveryList>;
  /** Returns one delivery of any status, by its `webhook-id`. */
  delivery(id: string, call?: CallOptions): Promise<Delivery>;
  /** Returns a page, newest first. Continue with `next_cursor` until it is null. */
  failedDeliveries(filter?: FailedDeliveryFilter, call?: CallOptions): Promise<FailedDeliveryList>;
  retry(deliveries: RetryRequest, call?: CallOptions): Promise<RetryAccepted>;
}

const defaults: RetryOptions = { retriesMax: 4, waitMaxSeconds: 60, timeoutMs: 30_000 };

export function createStateClient({ baseUrl, key, fetch = globalThis.fetch, ...retry }: ClientOptions): StateClient {
  const api = createFetchClient<paths>({
    baseUrl,
    headers: { 'X-Service-Key': key },
    fetch: retrying({ ...defaults, ...retry, fetch, sleep, random: Math.random }),
  });
  const ofSession = (session_id: string) => ({ params: { query: { session_id } } });
  const ofWebhook = (id: string) => ({ params: { path: { id } } });
  return {
    ingest: async (submission, call) => read(await api.POST('/v1/ingest', { ...call, body: fitBody(submission) })),
    state: async (session_id, call) => read(await api.GET('/v1/state', { ...call, ...ofSession(session_id) })),
    history: async (session_id, minutes, call) => {
      const query = minutes === undefined ? { session_id } : { session_id, minutes };
      return read(await api.GET('/v1/history', { ...call, params: { query } }));
    },
    triggers: async (subject_id, call) =>
      read(await api.GET('/v1/triggers', { ...call, params: { query: { subject_id } } })),
    deleteSubject: async (subject_id, call) =>
      read(await api.DELETE('/v1/subjects/{subject_id}', { ...call, params: { path: { subject_id } } })),
    webhooks: {
      register: async (body, call) => read(await api.POST('/webhooks/register', { ...sending(call), body })),
      list: async (call) => read(await api.GET('/webhooks', { ...call })).webhooks,
      remove: async (id, call) => succeed(await api.DELETE('/webhooks/{id}', { ...call, ...ofWebhook(id) })),
      rotateSecret: async (id, call) =>
        read(await api.POST('/webhooks/{id}/rotate-secret', { ...sending(call), ...ofWebhook(id) })),
      test: async (id, call) => read(await api.POST('/webhooks/{id}/test', { ...sending(call), ...ofWebhook(id) })),
      deliveries: async (query = {}, call) =>
        read(await api.GET('/webhooks/deliveries', { ...call, params: { query } })),
      delivery: async (delivery_id, call) =>
        read(await api.GET('/webhooks/deliveries/{delivery_id}', { ...call, params: { path: { delivery_id } } })),
      failedDeliveries: async (query = {}, call) =>
        read(await api.GET('/webhooks/retries', { ...call, params: { query } })),
      retry: async (body, call) => read(await api.POST('/webhooks/retries', { ...call, body })),
    },
  };
}

/** Adds an Idempotency-Key, so that the call can be resent when its response is lost. */
function sending({ idempotencyKey = crypto.randomUUID(), ...call }: IdempotentCallOptions = {}) {
  return { ...call, headers: { 'Idempotency-Key': idempotencyKey } };
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
