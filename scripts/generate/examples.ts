/**
 * The responses in the contract, README and guides. `runExamples` gets them from a running service, so that they cannot
 * be outdated. Each story has a new account, so that no person and no session of another story affects its scores.
 */
import { createKeyTable } from '../../src/store/keys.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapi from '../../generated/openapi.json' with { type: 'json' };
import { createKey } from '../../src/keys/manage.js';
import { startService } from '../../src/serve/compose.js';
import { readConfig } from '../../src/config/config.js';
import { startCore } from '../../src/serve/core.js';
import { createLog } from '../../src/observe/log.js';
import { openStore } from '../../src/store/store.js';

const root = new URL('../../', import.meta.url);
const nowMs = Date.parse('2026-11-21T09:30:00.000Z');
const subject_id = '5f2b51ca2b4d1a7e';
const session_id = 'demo-session';
/** Replaces the ids that the service draws at random. */
const request_id = '01JD6Z7Q8N4W3V5K2M9T';

/** The first example of a request in the contract. */
const fused = openapi.paths['/v1/ingest'].post.requestBody.content['application/json'].examples.fused.value;
const lines = {
  distress: 'I have not slept for days, I am scared of tomorrow and I cannot stop crying.',
  selfHarm: 'I cut myself again last night',
  exam: 'I am afraid of my exam, I will fail it.',
  sleep: 'I have slept badly again.',
  work: 'My review at work is tomorrow and I am worried about it.',
  batch:
    '{"session_id":"demo-session","timestamp":"2026-11-21T09:30:00.000Z","heart_rate":88}\n' +
    '{"session_id":"demo-session","timestamp":"2026-11-21T09:30:00.000Z","heart_rate":"high"}\n',
};

type Json = ReturnType<JSON['parse']>;

/** The service as one account, and its clock. */
interface Stage {
  /** Sets the clock to this many seconds before the time of the examples. */
  setAge(seconds: number): void;
  /** Sends a request. Returns the body of the response as text. */
  send(path: string, body?: string): Promise<string>;
  /** Sends a reading at the time of the clock. */
  read(signals: object): Promise<Json>;
  get(path: string): Promise<Json>;
  /** Returns the events of the stream of the account while the work runs, except the first one. */
  listen(work: () => Promise<unknown>): Promise<string>;
}

export interface Examples {
  /**
   * `components/examples` of the contract. A new example first needs a line `Name: { summary: new, value: {} }` there,
   * because the service does not start with a contract whose references lead nowhere.
   */
  readonly contract: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  /** Code blocks of the README and the guides, by the name that their comments contain. */
  readonly guides: Readonly<Record<string, string>>;
}

/** Starts a service, plays the stories and returns their responses. */
export async function runExamples(): Promise<Examples> {
  const folder = await mkdtemp(join(tmpdir(), 'state-service-examples-'));
  let atMs = nowMs;
  const now = () => atMs;
  const config = readConfig({ PORT: '0', WORKER: '0', LOG_LEVEL: 'silent', DATABASE_URL: `sqlite:${folder}/state.db` });
  const service = await startService({
    config,
    root,
    log: createLog('silent', { write: () => undefined }),
    startCore,
    now,
    databaseNow: now,
  });
  const store = openStore(config.database);
  const stage = async (): Promise<Stage> => {
    atMs = nowMs;
    const { key } = await createKey(store.use(createKeyTable), { account: `story-${(accounts += 1)}` }, atMs);
    return createStage(service.url, key, (seconds) => (atMs = nowMs - seconds * 1000), now);
  };
  let accounts = 0;
  try {
    return await play(stage);
  } finally {
    await service.close();
    await store.close();
    await rm(folder, { recursive: true });
  }
}

function createStage(url: string, key: string, setAge: Stage['setAge'], now: () => number): Stage {
  const headers = { 'X-Service-Key': key };
  const send: Stage['send'] = async (path, body) => {
    const type = path.endsWith('/batch') ? 'application/x-ndjson' : 'application/json';
    const init =
      body === undefined ? { headers } : { method: 'POST', headers: { ...headers, 'Content-Type': type }, body };
    const response = await fetch(url + path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text.replace(/"request_id":"[^"]+"/g, `"request_id":"${request_id}"`);
  };
  const get = async (path: string) => JSON.parse(await send(path));
  const read = async (signals: object) =>
    JSON.parse(
      await send('/v1/ingest', JSON.stringify({ session_id, timestamp: new Date(now()).toISOString(), ...signals })),
    );
  const listen: Stage['listen'] = async (work) => {
    const closing = new AbortController();
    const { body } = await fetch(`${url}/v1/stream?session_id=${session_id}`, { headers, signal: closing.signal });
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of body ?? []) {
      if (text === '') await work();
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (/event: state_change\ndata: .+\n\n/.test(text)) break;
    }
    closing.abort();
    return text;
  };
  return { setAge, send, get, read, listen };
}

async function play(stage: () => Promise<Stage>): Promise<Examples> {
  const first = await stage().then((it) => it.read(fused));
  const rising = await playRise(await stage());
  const chat = await stage().then((it) =>
    it.read({ session_id: 'chat-session', user_message: lines.distress, derive_sentiment: true }),
  );
  const safety = await stage().then((it) => it.read({ subject_id, heart_rate: 96, user_message: lines.selfHarm }));
  const batch = JSON.parse(await stage().then((it) => it.send('/v1/ingest/batch', lines.batch)));
  const exporting = await stage();
  await exporting.read({ heart_rate: 96 });
  const row = await exporting.send(`/v1/export?session_id=${session_id}`);
  const profile = await playTopics(await stage());
  const { event } = rising;
  const delivery = { id: 'dlv_2b7e9d4f6a1c4e3b8d05', webhook_id: 'wh_4f1c9e0b7a2d4c8e9f60' };
  const sentAt = '2026-11-21T09:30:00.040Z';
  const delivered = {
    ...{ ...delivery, status: 'delivered', payload: event },
    attempts: [{ timestamp: sentAt, status: 204, duration_ms: 12 }],
    settled_at: '2026-11-21T09:30:00.052Z',
  };
  const failed = {
    ...{ ...delivery, payload: event },
    attempts: [
      { timestamp: sentAt, status: 500, duration_ms: 12, answer: 'oops' },
      { timestamp: '2026-11-21T09:30:01.050Z', error: 'timeout', duration_ms: 10_000 },
    ],
    reason: 'attempts_exhausted',
  };
  const page = (deliveries: unknown[]) => ({ deliveries, next_cursor: null });
  return {
    contract: {
      FirstReading: { summary: 'The first reading of a person: four categories agree', value: first },
      LaterReading: { summary: 'A later reading of a session', value: rising.latest },
      ChatReading: { summary: 'A chat without sensors', value: chat },
      SafetyReading: { summary: 'The message may describe self-harm', value: safety },
      MixedBatch: { summary: 'An accepted and a rejected line', value: batch },
      RisingHistory: { summary: 'Stress rises over three readings', value: rising.history },
      TwoSessions: { summary: 'Two sessions, one without a subject', value: rising.sessions },
      ExportedRow: { summary: 'One reading', value: row },
      StateChangeStream: { summary: 'The first event, a reading and a state change', value: rising.stream },
      RiseToStressed: { summary: 'A rise into the stressed band', value: event },
      FailedDeliveries: { summary: 'A delivery whose attempts failed', value: page([failed]) },
      Deliveries: { summary: 'A delivered state change', value: page([delivered]) },
      DeliveredChange: { summary: 'A delivered state change', value: delivered },
      ThreeTopics: { summary: 'An active, a resolved and an observed topic', value: profile },
    },
    guides: {
      readme: block(some(await playCommand('README.md', await stage()), [...shownFields, 'topics_detected'])),
      getting_started: block(some(await playCommand('docs/getting-started.md', await stage()), shownFields)),
      batches: block({ ...batch, results: batch.results.map(shorten) }),
      export: `\`\`\`json\n${row}\`\`\``,
      safety: block(some(safety, ['text_analysis', 'safety'])),
      streams: `\`\`\`text\n${rising.stream.replace(/(data: .{110}\S*?,).+/g, '$1 … }').trimEnd()}\n\`\`\``,
      webhooks: deliveryRequest(JSON.stringify(event)),
      triggers: block(profile),
    },
  };
}

const shownFields = [
  'session_id',
  'state',
  'stress_score',
  'confidence',
  'suggested_action',
  'action_reason',
  'recommendation',
];

/** Three readings of a session, the last two with a change of the state. */
async function playRise(stage: Stage) {
  stage.setAge(1549);
  await stage.read({ session_id: 'kiosk-7', heart_rate: 72 });
  stage.setAge(120);
  await stage.read({ subject_id, heart_rate: 66, tone: 'calm' });
  stage.setAge(60);
  await stage.read({ heart_rate: 84, tone: 'hesitant', sentiment: -0.2 });
  stage.setAge(0);
  let latest: Json;
  const stream = await stage.listen(async () => {
    latest = await stage.read({ heart_rate: 92, tone: 'tense', sentiment: -0.2 });
  });
  // The body of a webhook has no person.
  const { subject_id: _, ...event } = JSON.parse(/event: state_change\ndata: (.+)/.exec(stream)?.[1] ?? '');
  const history = await stage.get(`/v1/history?session_id=${session_id}`);
  return { latest, stream, event, history, sessions: await stage.get('/v1/sessions') };
}

const day = 86_400;

/** Turns of a person in several sessions, which make a topic active, another one resolved and a third one observed. */
async function playTopics(stage: Stage): Promise<Json> {
  const turn = async (session: string, age: number, user_message: string, signals: object) => {
    stage.setAge(age);
    await stage.read({
      session_id: session,
      subject_id,
      user_message,
      ai_response: 'Tell me more about it.',
      ...signals,
    });
  };
  const calm = { heart_rate: 62, tone: 'calm', sentiment: 0.1 };
  const upset = { heart_rate: 88, tone: 'tense', expression: 'frowning', sentiment: -0.3 };
  await turn('s1', 9 * day, lines.exam, upset);
  await turn('s1', 9 * day - 30, lines.exam, upset);
  await turn('s2', 5 * day, lines.exam, calm);
  await turn('s3', 3 * day, lines.exam, calm);
  await turn('s4', 2 * day, lines.sleep, calm);
  await turn('s5', day, lines.work, upset);
  await turn('s6', 0, lines.work, upset);
  return stage.get(`/v1/triggers?subject_id=${subject_id}`);
}

/** Sends the first reading of a guide, exactly as its command does. */
async function playCommand(file: string, stage: Stage): Promise<Json> {
  const text = await readFile(new URL(file, root), 'utf8');
  const [, body = ''] = /\/v1\/ingest[^]*?(?:-d '|<<JSON\n)(\{[^]*?\n?[^]*?\})(?:'|\nJSON)/.exec(text) ?? [];
  const { timestamp: _, ...signals } = JSON.parse(body.replace(/"'"\$\(date [^)]*\)"'"|"\$\(date [^)]*\)"/g, '""'));
  return stage.read(signals);
}

function some(body: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.filter((name) => name in body).map((name) => [name, body[name]]));
}

/** Returns the fields of a line's result that tell the most. */
function shorten({ line, status, state, error }: Json): Json {
  return {
    ...{ line, status },
    ...(state && { state: some(state, ['session_id', 'state', 'stress_score']) }),
    ...(error && { error: some(error, ['code', 'detail']) }),
  };
}

/** Returns a JSON block with one line per field of the body, and per item of a list of objects. */
function block(body: object): string {
  const line = (value: unknown): string =>
    Array.isArray(value) && typeof value[0] === 'object'
      ? `[\n${value.map((it) => `    ${flat(it)}`).join(',\n')}\n  ]`
      : name(value);
  const name = (value: unknown): string =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && flat(value).length > 100
      ? `{\n${Object.entries(value)
          .map(([field, it]) => `    "${field}": ${flat(it)}`)
          .join(',\n')}\n  }`
      : flat(value);
  const fields = Object.entries(body).map(([field, value]) => `  "${field}": ${line(value)}`);
  return `\`\`\`json\n{\n${fields.join(',\n')}\n}\n\`\`\``;
}

/** Returns JSON on one line with spaces, e.g. `{ "status": "learning", "progress": 0 }`. */
function flat(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, it]) => `"${name}": ${flat(it)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function deliveryRequest(payload: string): string {
  return `\`\`\`http
POST /hooks/state
Content-Type: application/json
X-Service-Signature: sha256=5f2b51ca…
webhook-id: dlv_2b7e9d4f6a1c4e3b8d05
webhook-timestamp: 1795253400
webhook-signature: v1,K5oZfzN9…
ce-specversion: 1.0
ce-id: dlv_2b7e9d4f6a1c4e3b8d05
ce-source: https://state.example.com
ce-type: state_change
ce-time: 2026-11-21T09:30:00.000Z

${payload}
\`\`\``;
}
