/** The calls of the journeys that every generated client passes. The compiler and the run check the responses. */

/** Calls as the TypeScript client has them. An adapter must not convert values. */
export interface Calls {
  /** Throws the problem of a reading that is rejected with 422. */
  ingest(reading: Reading): Promise<StateLike>;
  state(session_id: string): Promise<StateLike>;
  /** Resolves with the sessions of the person that are in one of the states. */
  sessions(filter: { subject_id: string; state: Array<StateLike['state']> }): Promise<SessionsLike>;
  history(session_id: string, minutes: number): Promise<HistoryLike>;
  triggers(subject_id: string): Promise<TriggersLike>;
  /** Sends an array of readings in one request. */
  ingestBatch(readings: Reading[]): Promise<BatchLike>;
  /** Yields the rows of an export as NDJSON. */
  exportReadings(options: { sessionId: string }): AsyncGenerator<unknown>;
  /** Yields the first reading of a stream from its start. Absent if the client only reads responses that end. */
  stream?(options: { sessionId: string }): AsyncGenerator<{ data: StateLike }>;
  readonly webhooks: {
    register(body: { url: string; events: Array<'state_change'> }): Promise<{ id: string; secret?: string }>;
    remove(id: string): Promise<void>;
  };
}

export interface Service {
  readonly baseUrl: string;
  readonly key: string;
}

interface Reading {
  session_id: string;
  subject_id?: string;
  timestamp: string;
  heart_rate: number;
  tone?: 'calm' | 'tense';
  sentiment?: number;
  user_message?: string;
  ai_response?: string;
}
interface StateLike {
  session_id: string;
  state: 'calm' | 'relaxed' | 'focused' | 'stressed' | 'acute_stress';
  stress_score: number;
  topics_detected: string[];
}
interface SessionsLike {
  sessions: Array<{ session_id: string }>;
}
interface BatchLike {
  accepted: number;
  rejected: number;
  results: Array<{ line: number; status: number; state?: StateLike | undefined }>;
}
interface HistoryLike {
  datapoints: Array<{ timestamp: string; stress_score: number; heart_rate?: number | undefined }>;
  trend: 'rising' | 'falling' | 'stable';
}
interface TriggersLike {
  triggers: Record<string, { status: 'observed' | 'active' | 'resolved'; sessions: number }>;
  active: string[];
}
interface ProblemLike {
  status: number;
  code: string;
  request_id: string;
  errors: Array<{ detail: string; code: string; pointer?: string | undefined }>;
}

/** Returns the data of a response. Throws with its error if it has none. */
export async function readData<Data>(what: string, response: Promise<{ data?: Data; error?: unknown }>) {
  const { data, error } = await response;
  return data ?? failWith(what, error);
}

export function* readRows(text: string): Generator<unknown> {
  for (const row of text.trimEnd().split('\n')) yield JSON.parse(row);
}

/** Returns the first reading of a stream, and closes the stream. */
export async function readFirstReading(body: ReadableStream<Uint8Array>): Promise<StateLike> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const [, data] = /^event: reading\ndata: (.*)\n\n/m.exec(text) ?? [];
    if (data !== undefined) return JSON.parse(data);
  }
  return failWith('the stream', text);
}

/** Throws a problem with its members, as the clients of this project do. */
export function refuse({ status, code, errors }: ProblemLike): never {
  throw Object.assign(new Error(code), { status, code, faults: errors });
}

/** Throws an error with the unexpected response of the client. */
export function failWith(what: string, answer: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(answer)}`);
}
