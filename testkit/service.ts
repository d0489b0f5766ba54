import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { startEvidence } from '../src/access-record/chain.js';
import { readConfig } from '../src/config/config.js';
import { requireSecretsKeys } from '../src/config/secrets-key.js';
import type { StateReading, Submission } from '../src/contract/contract.js';
import { createKey } from '../src/keys/manage.js';
import { allScopes } from '../src/keys/scopes.js';
import { createLog } from '../src/observe/log.js';
import type { ReadPostedBody } from '../src/readings/posted-body.js';
import { type Service, startService } from '../src/serve/compose.js';
import { type StartCore, startCore } from '../src/serve/core.js';
import { createKeyTable } from '../src/store/keys.js';
import { openStore, type Store } from '../src/store/store.js';
import { atEndOfFile } from './at-end-of-file.js';
import { assertConforms } from './conformance.js';
import { settingsFor, type TestDatabase } from './databases.js';
import { createMigratedDatabase } from './migrated-database.js';
import { storyEnv } from './story.js';
import { textOf } from './text-of.js';

export const root = new URL('../', import.meta.url);

/**
 * High limits, because tests send more requests than the default limits allow. Tests of limits set their own limits.
 */
export const ample = {
  LIMIT_SESSION_REQUESTS_PER_MINUTE: '1000000',
  LIMIT_NEW_SESSIONS_PER_MINUTE: '1000000',
  LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE: '0',
};

/**
 * Time limit for sending a request in ms. Test and service share an event loop. If it stands still on a loaded machine,
 * the service must not blame the client.
 */
const patientRequestMs = 120_000;

/** A manual clock. It starts at the real time, so that timestamps are plausible. */
export class Clock {
  nowMs = Date.now();
  now = (): number => this.nowMs;
  /** Returns the timestamp, in the contract's format, this many seconds from now. */
  at(seconds = 0): string {
    return new Date(this.now() + seconds * 1000).toISOString();
  }
  advance(seconds: number): void {
    this.nowMs += seconds * 1000;
  }
}

/** Returns a clock with the time of the machine, which programs and pages use that send readings. */
export function realTime(): Clock {
  return Object.assign(new Clock(), { now: Date.now });
}

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A parsed JSON value. Its shape is checked against the contract at run time. */
type AnyBody = ReturnType<JSON['parse']>;

export interface TestService {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly key: string;
  readonly accountId: string;
  readonly clock: Clock;
  readonly store: Store;
  readonly database: TestDatabase;
  /** The log lines. */
  readonly logs: string[];
  /** Sends a request and checks that the contract documents the response. */
  request(path: string, init?: RequestInit): Promise<Answer<AnyBody>>;
  /** Sends a GET request. Requires a 200, and resolves with the body. */
  get(path: string): Promise<AnyBody>;
  /** Sends a POST request with a JSON body, and with these headers, e.g. those of a token. */
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer<AnyBody>>;
  /** Sends a reading with these signals. Adds the session and the current timestamp. */
  ingest(signals: Record<string, unknown>): Promise<Answer<AnyBody>>;
  /** Sends a reading like `ingest`. Requires a 200. */
  read(signals: Partial<Submission>): Promise<StateReading>;
  /** Begins a shutdown: the readiness check fails, and all other requests are served until `close`. */
  leave(): void;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  /** True if the manual clock is the clock of the process only, and the database keeps its own. */
  readonly hasOwnDatabaseClock?: boolean;
  /** Time between two comments of a stream, ms. */
  readonly heartbeatMs?: number;
  /** Time limit for sending a request, ms. Default two minutes. */
  readonly requestMs?: number;
  /** Time limit for sending what a source posts, ms. */
  readonly uploadMs?: number;
  /** Reads large bodies of sources. */
  readonly readLarge?: ReadPostedBody;
  /** Called with the store of the service itself. `TestService.store` has connections of its own. */
  readonly onStore?: (store: Store) => void;
  /** Starts the core in another way than on this thread. */
  readonly startCore?: StartCore;
  /** An existing database, which is not dropped when the service ends. */
  readonly database?: TestDatabase;
}

/**
 * Starts the real service on a free port with its own database. Each call creates a new account.
 *
 * Tests of one file share a service, unless they pass options. The clock of a shared service only moves forward.
 */
export async function startTestService(options?: TestServiceOptions): Promise<TestService> {
  const running = await (options ? start(options) : share('0'));
  if (options) onTestFinished(running.close);
  return asNewAccount(running);
}

/**
 * Returns a function that starts the service with these options once. The tests of a file that call it share this service.
 * Each call creates a new account.
 */
export function shareTestService(options: TestServiceOptions): () => Promise<TestService> {
  let running: Promise<Running> | undefined;
  return async () => {
    if (!running) {
      const own = (running = start(options));
      atEndOfFile(async () => (await own).close());
    }
    return asNewAccount(await running);
  };
}

/**
 * Starts the service with a worker that delivers webhooks. The tests of a file share this service, so it may retry
 * deliveries of an earlier test.
 */
export async function startDelivering(): Promise<TestService> {
  return asNewAccount(await share('1'));
}

async function asNewAccount(running: Running): Promise<TestService> {
  const account = `test-${randomUUID()}`;
  const { key } = await createKey(
    running.store.use(createKeyTable),
    { account, tier: 'enterprise', scopes: allScopes },
    running.clock.nowMs,
  );
  const accountId = (await running.store.use(createKeyTable).accountByName(account))?.accountId ?? '';
  return { ...running, ...client(running.url, key, running.clock), key, accountId };
}

type Running = Omit<TestService, keyof Client | 'key' | 'accountId'>;
type Client = Pick<TestService, 'request' | 'get' | 'post' | 'ingest' | 'read'>;

const shared = new Map<string, Promise<Running>>();

/** Starts one service that all tests of the test file share. */
function share(WORKER: '0' | '1'): Promise<Running> {
  const running = shared.get(WORKER) ?? start({ env: { WORKER, ...(WORKER === '1' && storyEnv) } });
  if (!shared.has(WORKER))
    atEndOfFile(async () => {
      shared.delete(WORKER);
      await (await running).close();
    });
  shared.set(WORKER, running);
  return running;
}

async function start(options: TestServiceOptions): Promise<Running> {
  const database = options.database ?? (await createMigratedDatabase());
  const clock = options.clock ?? new Clock();
  const logs: string[] = [];
  // The worker runs only in tests that require it, because it polls the database.
  const settings = {
    PORT: '0',
    WORKER: '0',
    WEBHOOK_ALLOW_LOOPBACK: '1',
    WEBHOOK_KEEP_ANSWERS: '1',
    LOG_LEVEL: 'debug',
    ...ample,
    ...options.env,
  };
  const config = readConfig({ ...settingsFor(database.url), ...settings });
  const log = createLog(config.logLevel, { write: (line: string) => void logs.push(line) });
  const service = await startService({
    config,
    root,
    log,
    startCore: (parts) => (options.startCore ?? startCore)({ ...parts, onStore: options.onStore }),
    now: clock.now,
    ...(!options.hasOwnDatabaseClock && { databaseNow: clock.now }),
    pollMs: 50,
    requestMs: options.requestMs ?? patientRequestMs,
    ...(options.heartbeatMs !== undefined && { heartbeatMs: options.heartbeatMs }),
    ...(options.uploadMs !== undefined && { uploadMs: options.uploadMs }),
    ...(options.readLarge && { readLarge: options.readLarge }),
  });
  const store = openStore(config.database);
  startEvidence(store, requireSecretsKeys(config), config.retention.accessesMs > 0, clock.now);
  const close = closer(service, store, options.database ? undefined : database);
  const { url, metricsUrl, leave } = service;
  return { url, metricsUrl, clock, store, database, logs, leave, close };
}

/**
 * Returns a client that sends requests with a key and a manual clock. It checks every response against the contract.
 */
export function client(url: string, key: string, clock: Clock): Client {
  const request = async (path: string, init: RequestInit = {}): Promise<Answer<AnyBody>> => {
    const headers = { 'X-Service-Key': key, ...(init.headers as Record<string, string>) };
    const answer = await fetch(url + path, { ...init, headers });
    const { body } = await textOf(answer);
    assertConforms(init.method ?? 'GET', path.split('?')[0] ?? '', answer, body);
    return { status: answer.status, headers: answer.headers, body };
  };
  const post: TestService['post'] = (path, body, headers) =>
    request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body) ?? null,
    });
  const ingest: TestService['ingest'] = (signals) =>
    post('/v1/ingest', { session_id: 's1', timestamp: clock.at(), ...signals });
  const get: TestService['get'] = async (path) => requireBody(await request(path));
  const read: TestService['read'] = async (signals) => requireBody(await ingest(signals));
  return { request, get, post, ingest, read };
}

function requireBody({ status, body }: Answer<AnyBody>): AnyBody {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

function closer(service: Service, store: Store, database: TestDatabase | undefined): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const close = async () => {
    await service.close();
    await store.close();
    await database?.drop();
  };
  return () => {
    closing ??= close();
    return closing;
  };
}
