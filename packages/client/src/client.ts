import { sendBatches } from './batches.js';
import { fitBody } from './fit-body.js';
import {
  type ExportedRows,
  type ExportOptions,
  exportReadings,
  exportRows,
  type ExportRowsOptions,
} from './export-readings.js';
import {
  type AccountMethods,
  createMethods,
  type SessionMethods,
  type TokenClient,
  type WebhookClient,
} from './generated/methods.js';
import { openStream } from './open-stream.js';
import type { CallOptions, ClientOptions, HistoryOptions, TokenClientOptions } from './options.js';
import type { BatchResult, ExportedReading, History, StateReading, StreamEventType, Submission } from './schemas.js';
import type { StreamEvent, StreamOptions } from './stream.js';
import { createTransport, read } from './transport.js';

export type { TokenClient, WebhookClient };

/** A person instead of a session. A token gets a person only if the person is signed into it. */
export interface Person {
  readonly subject_id: string;
}

/** The operations of a session token, for the session of the token. */
export interface SessionClient extends SessionMethods {
  /** Sends a reading. Cuts texts if the body would be too large. Requires the scope `ingest`. */
  ingest(submission: Submission, call?: CallOptions): Promise<StateReading>;
  /**
   * Sends readings, in several requests if they exceed 1,000 readings or 1 MB. Resolves with one result per reading, in
   * their order. Check `rejected`: an invalid reading does not reject the promise. Cuts texts like `ingest`. The options
   * of the call apply to each request. If a request after the first one fails, rejects with PartialBatchError, which has
   * the results so far. Requires the scope `ingest`.
   */
  ingestBatch(submissions: readonly Submission[], call?: CallOptions): Promise<BatchResult>;
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
export interface StateClient extends SessionClient, AccountMethods {
  readonly tokens: TokenClient;
  readonly webhooks: WebhookClient;
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
  return {
    ...createMethods(transport),
    ingest: async (submission, call) => read(await api.POST('/v1/ingest', { ...on(call), body: fitBody(submission) })),
    ingestBatch: async (submissions, call) =>
      sendBatches(submissions, async (lines) => read(await api.POST('/v1/ingest/batch', { ...on(call), ...lines }))),
    state: async (of, call) => read(await api.GET('/v1/state', { ...on(call), params: { query: named(of) } })),
    history: async (of, minutes, { until, ...call } = {}) => {
      const query = { ...named(of), ...(minutes !== undefined && { minutes }), ...(until !== undefined && { until }) };
      return read(await api.GET('/v1/history', { ...on(call), params: { query } }));
    },
    stream: (streamed = {}, call = {}) => openStream(transport, streamed, call),
    exportReadings: (exported = {}, call = {}) => exportReadings(transport, exported, call),
    exportRows: (exported = {}, call = {}) => exportRows(transport, exported, call),
  };
}
