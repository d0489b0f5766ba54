import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { operations } from '../../generated/api.js';
import { body as bodyLimits, timestamps } from '../../generated/spec.js';
import type { OperationId } from '../../src/contract.js';
import type { Transaction } from './dredd.js';
import type { BringAbout, Defer } from './run-dredd.js';
import { beginIngest } from './service-process.js';
import type { World } from './world.js';

const closingMs = 5_000;

/** What a scenario works on: Dredd's happy request, carrying a valid key where the operation needs one. */
interface Stage {
  readonly world: World;
  readonly transaction: Transaction;
  readonly defer: Defer;
}

type Scenario = (stage: Stage) => Promise<unknown>;

/** One scenario for each documented status of each operation: a missing one does not compile. */
type Scenarios = { readonly [Op in OperationId]: { readonly [Status in keyof operations[Op]['responses']]: Scenario } };

const scenarios: Scenarios = {
  ingest: {
    200: async ({ world, transaction }) => {
      const session_id = await sessionWithData(world);
      submit(transaction, { session_id, subject_id: session_id });
    },
    400: async ({ transaction }) => submit(transaction, { timestamp: ago(timestamps.max_age_seconds + 1) }),
    401: withoutKey,
    413: async ({ transaction }) => submit(transaction, { user_message: 'x'.repeat(bodyLimits.max_bytes) }),
    415: async ({ transaction }) => {
      transaction.request.headers['Content-Type'] = 'text/plain';
    },
    422: async ({ transaction }) => submit(transaction, { hrv_sdnn: 28, tone: 'cheerful', sentiment: 'negative' }),
    500: withoutTable('sessions'),
    503: whileLocked('sessions', 'readings'),
  },
  getState: {
    200: ofKnownSession,
    401: withUnknownKey,
    404: ofUnknownSession,
    422: withUnknownParameter,
    500: withoutTable('sessions'),
    503: unavailable('sessions'),
  },
  getHistory: {
    200: ofKnownSession,
    401: withUnknownKey,
    404: ofUnknownSession,
    422: withUnknownParameter,
    500: withoutTable('sessions'),
    503: unavailable('sessions'),
  },
  getTriggers: {
    200: async ({ world, transaction }) => setQuery(transaction, 'subject_id', await subjectWithTopic(world)),
    401: withUnknownKey,
    404: async ({ transaction }) => setQuery(transaction, 'subject_id', randomUUID()),
    422: withUnknownParameter,
    500: withoutTable('triggers'),
    503: unavailable('triggers'),
  },
  deleteSubject: {
    200: async ({ world, transaction }) => setSubjectInPath(transaction, await subjectWithTopic(world)),
    401: withUnknownKey,
    404: async ({ transaction }) => setSubjectInPath(transaction, randomUUID()),
    422: withUnknownParameter,
    500: withoutTable('triggers'),
    503: whileLocked('subjects', 'triggers', 'sessions'),
  },
  getHealth: {
    200: asDocumented,
    422: withUnknownParameter,
  },
  getReadiness: {
    200: asDocumented,
    422: withUnknownParameter,
    503: unavailable('schema_migrations'),
  },
};

/** Brings about every documented answer of the real service. */
export function bringAboutIn(world: World): BringAbout {
  return async (transaction, { operationId, status, needsKey }, defer) => {
    const table: Readonly<Record<string, Readonly<Record<string, Scenario>> | undefined>> = scenarios;
    const scenario = table[operationId]?.[status];
    if (!scenario) throw new Error(`no scenario brings about ${operationId} ${status}`);
    if (needsKey) transaction.request.headers['X-Service-Key'] = world.key;
    // Every start of the service takes another port.
    transaction.port = new URL(world.service.url).port;
    if (operationId === 'ingest') submit(transaction, {});
    await scenario({ world, transaction, defer });
  };
}

async function asDocumented(): Promise<void> {}

async function withoutKey({ transaction }: Stage): Promise<void> {
  delete transaction.request.headers['X-Service-Key'];
}

async function withUnknownKey({ transaction }: Stage): Promise<void> {
  transaction.request.headers['X-Service-Key'] = `sk_${'0'.repeat(32)}`;
}

async function ofKnownSession({ world, transaction }: Stage): Promise<void> {
  setQuery(transaction, 'session_id', await sessionWithData(world));
}

async function ofUnknownSession({ transaction }: Stage): Promise<void> {
  setQuery(transaction, 'session_id', randomUUID());
}

async function withUnknownParameter({ transaction }: Stage): Promise<void> {
  setQuery(transaction, 'verbose', '1');
}

function withoutTable(table: string): Scenario {
  return async ({ world: { faults }, defer }) => {
    await faults.hide(table);
    defer(() => faults.show(table));
  };
}

function whileLocked(...tables: string[]): Scenario {
  return async ({ world: { faults }, defer }) => {
    await faults.lock(tables);
    defer(() => faults.unlock());
  };
}

/** Nothing keeps a reader waiting in SQLite's WAL mode; there the service is unavailable while it shuts down. */
function unavailable(...tables: string[]): Scenario {
  return (stage) => (stage.world.kind === 'sqlite' ? whileClosing(stage) : whileLocked(...tables)(stage));
}

/** The service closes while a reading is on its way to it: that one it still takes in, and everything else is refused. */
async function whileClosing({ world: { service, key }, defer }: Stage): Promise<void> {
  const finish = await beginIngest(service.url, key, JSON.stringify(reading(randomUUID())));
  service.terminate();
  defer(async () => {
    const status = await finish();
    await service.ended();
    await service.start();
    if (status !== 200) throw new Error(`the reading under way at the shutdown was answered with ${status}`);
  });
  const endsAtMs = Date.now() + closingMs;
  while ((await statusOf(`${service.url}/readyz`)) !== 503) {
    if (Date.now() > endsAtMs) throw new Error('the service does not notice SIGTERM');
    await sleep(10);
  }
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(closingMs) });
  await response.arrayBuffer();
  return response.status;
}

/** The documented example, sensed now in a new session, with some fields changed. */
function submit({ request }: Transaction, changes: object): void {
  const example = JSON.parse(request.body ?? '{}') as object;
  request.body = JSON.stringify({ ...example, session_id: randomUUID(), timestamp: ago(0), ...changes });
}

function setQuery(transaction: Transaction, name: string, value: string): void {
  const url = new URL(transaction.fullPath, 'http://any');
  url.searchParams.set(name, value);
  transaction.fullPath = `${url.pathname}${url.search}`;
}

function setSubjectInPath(transaction: Transaction, subjectId: string): void {
  transaction.fullPath = transaction.fullPath.replace(/[^/]+$/, subjectId);
}

/** A new session of a subject of the same name, with two readings, so that answers about it hold every optional field. */
async function sessionWithData(world: World): Promise<string> {
  const sessionId = randomUUID();
  for (const seconds of [2, 1]) await ingest(world, turn(sessionId, sessionId, seconds));
  return sessionId;
}

/** A new subject whose topic is known. */
async function subjectWithTopic(world: World): Promise<string> {
  const subjectId = randomUUID();
  await ingest(world, turn(randomUUID(), subjectId));
  return subjectId;
}

async function ingest({ service, key }: World, body: object): Promise<void> {
  const response = await fetch(`${service.url}/v1/ingest`, {
    method: 'POST',
    headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`a reading was answered with ${response.status}: ${answer}`);
}

function turn(sessionId: string, subjectId: string, secondsAgo = 0): object {
  const talk = { user_message: 'My exam is tomorrow', ai_response: 'How do you feel about it?' };
  return { ...reading(sessionId, secondsAgo), subject_id: subjectId, ...talk };
}

function reading(sessionId: string, secondsAgo = 0): object {
  return { session_id: sessionId, timestamp: ago(secondsAgo), heart_rate: 96, tone: 'tense' };
}

function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}
