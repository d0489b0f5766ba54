import { randomUUID } from 'node:crypto';
import { afterAll, onTestFinished } from 'vitest';
import { createKey } from '../../src/accounts/manage.js';
import { type Service, startService } from '../../src/compose.js';
import { readConfig } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import type { StateReading, Submission } from '../../src/contract.js';
import { openStore, type Store } from '../../src/store/store.js';
import { assertConforms } from './conformance.js';
import { createTestDatabase, type TestDatabase } from './databases.js';

export const root = new URL('../../', import.meta.url);

/** A clock made by hand; it starts at the real time, so that instants are plausible. */
export class Clock {
  nowMs = Date.now();
  now = (): number => this.nowMs;
  /** An instant as the contract writes it, by seconds from now. */
  at(seconds = 0): string {
    return new Date(this.nowMs + seconds * 1000).toISOString();
  }
  advance(seconds: number): void {
    this.nowMs += seconds * 1000;
  }
}

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** What a JSON text may be; its shape is checked against the contract at run time. */
type AnyBody = ReturnType<JSON['parse']>;

export interface TestService {
  readonly url: string;
  readonly key: string;
  readonly clock: Clock;
  readonly store: Store;
  readonly database: TestDatabase;
  /** What was logged, line by line. */
  readonly logs: string[];
  /** Sends a request and checks that the contract documents the answer. */
  request(path: string, init?: RequestInit): Promise<Answer<AnyBody>>;
  /** Sends a body of signals; session and timestamp (now) are filled in. */
  ingest(signals: Record<string, unknown>): Promise<Answer<AnyBody>>;
  /** The same, and the answer must be a 200. */
  read(signals: Partial<Submission>): Promise<StateReading>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  /** An existing database, kept when the service ends. */
  readonly database?: TestDatabase;
}

/**
 * The real service on a free port and a database of its own, with a new account for each call. Tests of one file share
 * a service unless they ask for something special; its clock only goes forward.
 */
export async function startTestService(options?: TestServiceOptions): Promise<TestService> {
  const running = await (options ? start(options) : share());
  if (options) onTestFinished(running.close);
  const account = `test-${randomUUID()}`;
  const { key } = await createKey(running.store.keys, { account, tier: 'enterprise' }, running.clock.nowMs);
  return { ...running, ...client(running.url, key, running.clock), key };
}

type Running = Omit<TestService, 'key' | 'request' | 'ingest' | 'read'>;

let shared: Promise<Running> | undefined;
afterAll(async () => (await shared)?.close());

function share(): Promise<Running> {
  shared ??= start({});
  return shared;
}

async function start(options: TestServiceOptions): Promise<Running> {
  const database = options.database ?? (await createTestDatabase());
  const clock = options.clock ?? new Clock();
  const logs: string[] = [];
  const config = readConfig({ PORT: '0', DATABASE_URL: database.url, LOG_LEVEL: 'debug', ...options.env });
  const log = createLog(config.logLevel, { write: (line: string) => void logs.push(line) });
  const service = await startService({ config, root, log, now: clock.now, validateResponses: true });
  const store = openStore(config.database);
  const close = closer(service, store, options.database ? undefined : database);
  return { url: service.url, clock, store, database, logs, close };
}

/** Requests with a key and a hand-made clock; every answer is checked against the contract. */
export function client(url: string, key: string, clock: Clock): Pick<TestService, 'request' | 'ingest' | 'read'> {
  const request = async (path: string, init: RequestInit = {}): Promise<Answer<AnyBody>> => {
    const headers = { 'X-Service-Key': key, ...(init.headers as Record<string, string>) };
    const answer = await fetch(url + path, { ...init, headers });
    const text = await answer.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    assertConforms(init.method ?? 'GET', path.split('?')[0] ?? '', answer, body);
    return { status: answer.status, headers: answer.headers, body };
  };
  const ingest: TestService['ingest'] = (signals) =>
    request('/v1/ingest', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ session_id: 's1', timestamp: clock.at(), ...signals }),
    });
  const read: TestService['read'] = async (signals) => {
    const answer = await ingest(signals);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return { request, ingest, read };
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
