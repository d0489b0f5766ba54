/** The scenario that runs with every generated client. The compiler and the run check the responses. */

/** Interface through which the scenario uses a generated client. An adapter must not convert values. */
export interface StoryClient {
  ingest(reading: Reading): Promise<StateLike>;
  state(session_id: string): Promise<StateLike>;
  /** Resolves with the sessions of the person that are in one of the states. */
  sessions(subject_id: string, state: Array<StateLike['state']>): Promise<SessionsLike>;
  history(session_id: string, minutes: number): Promise<HistoryLike>;
  triggers(subject_id: string): Promise<TriggersLike>;
  /** Sends an array of readings in one request. */
  batch(readings: Reading[]): Promise<BatchLike>;
  /** Resolves with the rows of an export as NDJSON. */
  exported(session_id: string): Promise<string>;
  /** Resolves with the first reading of a stream from its start. Absent if the client only reads responses that end. */
  streamed?(session_id: string): Promise<StateLike>;
  register(url: string): Promise<{ id: string; secret?: string }>;
  remove(id: string): Promise<void>;
  /** Sends a reading that is rejected with 422. Resolves with its problem. Absent if the client itself rejects it. */
  refused?(reading: Reading): Promise<ProblemLike>;
}

export interface Reading {
  session_id: string;
  subject_id: string;
  timestamp: string;
  heart_rate: number;
  tone: 'calm' | 'tense';
  sentiment: number;
  user_message: string;
  ai_response: string;
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

declare const process: { env: Record<string, string | undefined>; exitCode?: number };

export const service = { url: process.env['SERVICE_URL'] ?? '', key: process.env['SERVICE_KEY'] ?? '' };

export async function tell(client: StoryClient): Promise<void> {
  const session_id = crypto.randomUUID();
  const subject_id = crypto.randomUUID();
  const reading: Reading = {
    session_id,
    subject_id,
    timestamp: new Date().toISOString(),
    heart_rate: 96,
    tone: 'tense',
    sentiment: -0.4,
    user_message: 'My performance review at work is tomorrow.',
    ai_response: 'What worries you most about the review?',
  };
  const answered = await client.ingest(reading);
  expect('the topic of the turn', answered.topics_detected.length, 1);
  const { stress_score, state } = await client.state(session_id);
  expect('the state', `${stress_score} ${state}`, `${answered.stress_score} ${answered.state}`);
  const [second, third] = (['calm', 'relaxed', 'focused'] as const).filter((it) => it !== state);
  if (!second || !third) return wrong('the states', state);
  const found = await client.sessions(subject_id, [second, state]);
  expect('the sessions in two states', found.sessions.map((it) => it.session_id).join(), session_id);
  expect('the sessions in other states', (await client.sessions(subject_id, [second, third])).sessions.length, 0);
  const { datapoints, trend } = await client.history(session_id, 5);
  expect('the history', `${datapoints.map((it) => it.heart_rate)} ${trend}`, '96 stable');
  const { triggers } = await client.triggers(subject_id);
  expect('the trigger', triggers[answered.topics_detected[0] ?? '']?.sessions, 1);
  const now = new Date().toISOString();
  const batch = await client.batch([
    { ...reading, heart_rate: 97, timestamp: now },
    { ...reading, timestamp: '2020-01-01T00:00:00.000Z' },
  ]);
  expect('the batch', batch.results.map(({ line, status }) => `${line}: ${status}`).join(), '1: 200,2: 400');
  const rows = (await client.exported(session_id)).trimEnd().split('\n');
  expect('the export', rows.map((row) => JSON.parse(row).reading.heart_rate).join(), '96,97');
  const streamed = await client.streamed?.(session_id);
  if (streamed)
    expect('the stream', `${streamed.session_id} ${streamed.stress_score}`, `${session_id} ${stress_score}`);
  const webhook = await client.register(`http://127.0.0.1:9/${session_id}`);
  expect('the secret', webhook.secret?.startsWith('whsec_'), true);
  await client.remove(webhook.id);
  if (client.refused === undefined) return;
  const { code, errors } = await client.refused({ ...reading, sentiment: 7, heart_rate: 700 });
  expect('the problem', code, 'validation_failed');
  expect(
    'the faults',
    errors
      .map(({ pointer }) => pointer)
      .sort()
      .join(),
    '/heart_rate,/sentiment',
  );
}

/** Returns the data of a response. Throws with its error if it has none. */
export async function readData<Data>(what: string, response: Promise<{ data?: Data; error?: unknown }>) {
  const { data, error } = await response;
  return data ?? wrong(what, error);
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
  return wrong('the stream', text);
}

/** Throws an error with the unexpected response of the client. */
export function wrong(what: string, answer: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(answer)}`);
}

export function expect(what: string, actual: unknown, wanted: unknown): void {
  if (actual !== wanted) wrong(what, { actual, wanted });
}
