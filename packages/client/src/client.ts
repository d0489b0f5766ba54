import { sendBatches } from './batches.js';
import { fitBody } from './fit-body.js';
import {
  type ExportedRows,
  type ExportOptions,
  exportReadings,
  exportRows,
  type ExportRowsOptions,
} from './export-readings.js';
import { openStream } from './open-stream.js';
import type {
  CallOptions,
  ClientOptions,
  HistoryOptions,
  IdempotentCallOptions,
  TokenClientOptions,
} from './options.js';
import { type Pages, pagesOf } from './pages.js';
import type {
  Access,
  AccessList,
  Agreement,
  BatchResult,
  Consent,
  ConsentSubmission,
  ConsentVersions,
  Delivery,
  DeliveryFilter,
  DeliveryList,
  Erasure,
  ExportedReading,
  FailedDelivery,
  FailedDeliveryFilter,
  FailedDeliveryList,
  Feedback,
  FeedbackFilter,
  FeedbackList,
  FeedbackSubmission,
  History,
  ReceiptKey,
  RetryAccepted,
  RetryRequest,
  SessionFilter,
  SessionList,
  SessionSummary,
  SessionToken,
  StateReading,
  StreamEventType,
  SubjectProfile,
  SubjectSummary,
  Submission,
  SummaryFilter,
  SummaryRow,
  TestAccepted,
  TokenRequest,
  TriggerProfile,
  Webhook,
  WebhookRegistration,
} from './schemas.js';
import type { StreamEvent, StreamOptions } from './stream.js';
import { createTransport, read, requireNoNull, succeed, withKey } from './transport.js';

/** A person instead of a session. A token gets a person only if the person is signed into it. */
export interface Person {
  readonly subject_id: string;
}

/** The operations of a session token, for the session of the token. */
export interface SessionClient {
  /** Sends a reading. Cuts texts if the body would be too large. Requires the scope `ingest`. */
  ingest(submission: Submission, call?: CallOptions): Promise<StateReading>;
  /**
   * Sends readings, in several requests if they exceed 1,000 readings or 1 MB. Resolves with one result per reading, in
   * their order. Check `rejected`: an invalid reading does not reject the promise. Cuts texts like `ingest`. The options
   * of the call apply to each request. If a request after the first one fails, rejects with PartialBatchError, which has
   * the results so far. Requires the scope `ingest`.
   */
  ingestBatch(submissions: readonly Submission[], call?: CallOptions): Promise<BatchResult>;
  /** Stores how stressed the person feels. An identical report is stored once. Requires the scope `feedback`. */
  submitFeedback(report: FeedbackSubmission, call?: CallOptions): Promise<Feedback>;
  /** Returns the state of a session, or of a person over all of its sessions. */
  state(of: string | Person, call?: CallOptions): Promise<StateReading>;
  /** Returns the last `minutes` minutes, 5 by default. They end now, or at `until` of the call. */
  history(of: string | Person, minutes?: number, call?: HistoryOptions): Promise<History>;
  /**
   * Iterates over the readings and state changes from now on, or after `lastEventId`. Connects again after each
   * disconnect and misses nothing. Leaving the loop closes the connection. Throws the error of a response that another
   * attempt cannot fix, and the reason of an aborted `signal`. `timeoutMs` is the time until the headers of a connection
   * arrive. `maxRetries` and `waitBudgetMs` apply until the first connection.
   */
  stream<Type extends StreamEventType = StreamEventType>(
    options?: StreamOptions<Type>,
    call?: CallOptions,
  ): AsyncGenerator<StreamEvent<Type>, void, undefined>;
  /**
   * Iterates over stored readings with all accepted and computed fields, in the order of their acceptance. Holds few rows
   * in memory. Continues after the last row when the connection breaks. Leaving the loop closes the connection.
   */
  exportReadings(options?: ExportOptions, call?: CallOptions): AsyncGenerator<ExportedReading, void, undefined>;
  /** Iterates over the same rows as text, as NDJSON or CSV, e.g. to write them to a file. Each item has some rows. */
  exportRows(options?: ExportRowsOptions, call?: CallOptions): AsyncGenerator<ExportedRows, void, undefined>;
}

/**
 * Client of the API. Every method retries retryable errors. It rejects with ProblemError for an error of the service, and
 * with ConnectionError or TimeoutError without a response.
 */
export interface StateClient extends SessionClient {
  triggers(subject_id: string, call?: CallOptions): Promise<TriggerProfile>;
  /** Returns the sessions, newest first, or as a snapshot in the order of `sort`. */
  sessions(filter?: SessionFilter, call?: CallOptions): Pages<SessionList, SessionSummary>;
  /** Returns what the service has learned about a person: the baseline. */
  subject(subject_id: string, call?: CallOptions): Promise<SubjectProfile>;
  /** Returns the hours or days of a person with data, oldest first. */
  summary(subject_id: string, filter?: SummaryFilter, call?: CallOptions): Pages<SubjectSummary, SummaryRow>;
  /** Returns the reports of the account or of a person, newest first. */
  feedback(filter?: FeedbackFilter, call?: CallOptions): Pages<FeedbackList, Feedback>;
  /** Returns how well the published score agrees with the reports of all people. */
  agreement(call?: CallOptions): Promise<Agreement>;
  /** Returns how well the published score agrees with the reports of a person. */
  subjectAgreement(subject_id: string, call?: CallOptions): Promise<Agreement>;
  /** Returns who read, exported or erased the data of a person, newest first. */
  accesses(subject_id: string, call?: CallOptions): Pages<AccessList, Access>;
  /** Returns the newest version of a person's consent. */
  consent(subject_id: string, call?: CallOptions): Promise<Consent>;
  /** Records what a person allows. Fewer categories than before are a withdrawal, which applies to every later reading. */
  putConsent(subject_id: string, consent: ConsentSubmission, call?: CallOptions): Promise<Consent>;
  /** Returns all versions of a person's consent, newest first. */
  consentVersions(subject_id: string, call?: CallOptions): Pages<ConsentVersions, Consent>;
  /** Removes one topic of a person, e.g. because the person says that it is wrong. */
  deleteTrigger(subject_id: string, topic: string, call?: CallOptions): Promise<void>;
  /** Erases all data about a person. Store the `receipt`: the service does not. */
  deleteSubject(subject_id: string, call?: CallOptions): Promise<Erasure>;
  /** Returns the public keys that verify receipts, newest first. */
  receiptKeys(call?: CallOptions): Promise<ReceiptKey[]>;
  readonly tokens: TokenClient;
  readonly webhooks: WebhookClient;
}

export interface TokenClient {
  /** Issues a token for one session, for code that must not hold the key. */
  create(request: TokenRequest, call?: CallOptions): Promise<SessionToken>;
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
  /** Returns the failed deliveries, newest first. With `sort: 'event_time'`, the newest event first. */
  failedDeliveries(filter?: FailedDeliveryFilter, call?: CallOptions): Pages<FailedDeliveryList, FailedDelivery>;
  retry(deliveries: RetryRequest, call?: CallOptions): Promise<RetryAccepted>;
}

/** Creates a client of an account, with its key. */
export function createStateClient(options?: ClientOptions): StateClient;
/** Creates a client of one session, with a token. */
export function createStateClient(options: TokenClientOptions): SessionClient;
export function createStateClient(options: ClientOptions | TokenClientOptions = {}): StateClient {
  const transport = createTransport(options);
  const { api, on } = transport;
  // Null is a session, whose error names the argument.
  const named = (of: string | Person) =>
    typeof of === 'object' && of ? { subject_id: of.subject_id } : { session_id: of };
  const ofSubject = (subject_id: string) => ({ params: { path: { subject_id } } });
  const ofWebhook = (id: string) => ({ params: { path: { id } } });
  return {
    ingest: async (submission, call) => read(await api.POST('/v1/ingest', { ...on(call), body: fitBody(submission) })),
    ingestBatch: async (submissions, call) =>
      sendBatches(submissions, async (lines) => read(await api.POST('/v1/ingest/batch', { ...on(call), ...lines }))),
    submitFeedback: async (body, call) => read(await api.POST('/v1/feedback', { ...on(call), body })),
    state: async (of, call) => read(await api.GET('/v1/state', { ...on(call), params: { query: named(of) } })),
    history: async (of, minutes, { until, ...call } = {}) => {
      const query = { ...named(of), ...(minutes !== undefined && { minutes }), ...(until !== undefined && { until }) };
      return read(await api.GET('/v1/history', { ...on(call), params: { query } }));
    },
    triggers: async (subject_id, call) =>
      read(await api.GET('/v1/triggers', { ...on(call), params: { query: { subject_id } } })),
    sessions: (filter, call) =>
      pagesOf(
        async (cursor) => read(await api.GET('/v1/sessions', { ...on(call), params: { query: at(cursor, filter) } })),
        ({ sessions }) => sessions,
      ),
    subject: async (subject_id, call) =>
      read(await api.GET('/v1/subjects/{subject_id}', { ...on(call), ...ofSubject(subject_id) })),
    summary: (subject_id, filter, call) =>
      pagesOf(
        async (cursor) => {
          const params = { path: { subject_id }, query: at(cursor, filter) };
          return read(await api.GET('/v1/subjects/{subject_id}/summary', { ...on(call), params }));
        },
        ({ rows }) => rows,
      ),
    feedback: (filter, call) =>
      pagesOf(
        async (cursor) => read(await api.GET('/v1/feedback', { ...on(call), params: { query: at(cursor, filter) } })),
        ({ feedback }) => feedback,
      ),
    agreement: async (call) => read(await api.GET('/v1/agreement', on(call))),
    subjectAgreement: async (subject_id, call) =>
      read(await api.GET('/v1/subjects/{subject_id}/agreement', { ...on(call), ...ofSubject(subject_id) })),
    accesses: (subject_id, call) =>
      pagesOf(
        async (cursor) => {
          const params = { path: { subject_id }, query: at(cursor, {}) };
          return read(await api.GET('/v1/subjects/{subject_id}/accesses', { ...on(call), params }));
        },
        ({ accesses }) => accesses,
      ),
    receiptKeys: async (call) => read(await api.GET('/v1/receipt-keys', on(call))).keys,
    consent: async (subject_id, call) =>
      read(await api.GET('/v1/subjects/{subject_id}/consent', { ...on(call), ...ofSubject(subject_id) })),
    putConsent: async (subject_id, body, call) =>
      read(await api.PUT('/v1/subjects/{subject_id}/consent', { ...on(call), ...ofSubject(subject_id), body })),
    consentVersions: (subject_id, call) =>
      pagesOf(
        async (cursor) => {
          const params = { path: { subject_id }, query: at(cursor, {}) };
          return read(await api.GET('/v1/subjects/{subject_id}/consent/versions', { ...on(call), params }));
        },
        ({ versions }) => versions,
      ),
    deleteTrigger: async (subject_id, topic, call) => {
      const params = { path: { subject_id, topic } };
      return succeed(await api.DELETE('/v1/subjects/{subject_id}/triggers/{topic}', { ...on(call), params }));
    },
    deleteSubject: async (subject_id, call) =>
      read(await api.DELETE('/v1/subjects/{subject_id}', { ...on(call), ...ofSubject(subject_id) })),
    stream: (streamed = {}, call = {}) => openStream(transport, streamed, call),
    exportReadings: (exported = {}, call = {}) => exportReadings(transport, exported, call),
    exportRows: (exported = {}, call = {}) => exportRows(transport, exported, call),
    tokens: { create: async (body, call) => read(await api.POST('/v1/tokens', { ...on(call), body })) },
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

/** Returns the query of a page. */
function at<Filter extends object>(cursor: string | undefined, filter: Filter | undefined): Filter {
  requireNoNull({ filter });
  return { ...filter, ...(cursor !== undefined && { cursor }) } as Filter;
}
