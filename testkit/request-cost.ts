import { EventEmitter, once } from 'node:events';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { connectThread, createRemoteFunctions, type Functions } from '../src/serve/connection.js';
import { type Core, type CoreHost, type StartCore, startCore } from '../src/serve/core.js';
import type { Store } from '../src/store/store.js';
import { Clock, startTestService } from './service.js';

/** What the service does for one request. */
export interface RequestCost {
  /** Verb and table of each statement, in order. */
  readonly statements: readonly string[];
  /** Bytes of these statements with their values, without the begin and end of the transaction. */
  readonly databaseBytes: number;
  /** Messages between the two threads, in order: the name of the called function, or `done`. */
  readonly messages: readonly string[];
  /** Bytes of these messages. */
  readonly threadBytes: number;
  /** Event and file of each listener that the service or a library adds, not Node itself. */
  readonly listeners: readonly string[];
  /** Function and file of each timer that the service or a library sets. */
  readonly timers: readonly string[];
}

type Recorder = { -readonly [Name in keyof RequestCost]: RequestCost[Name] extends number ? number : string[] };

let recorder: Recorder | undefined;

const [warmUp, recorded] = [3, 7];

/**
 * Starts the service on its own database. Returns a function that sends readings which `bodyOf` returns for a number, and
 * resolves with what one of them costs when all that the service keeps in memory is known.
 */
export async function openRequestCost(): Promise<(bodyOf: (index: number) => object) => Promise<RequestCost>> {
  let store: Store | undefined;
  const clock = Object.assign(new Clock(), { nowMs: Date.UTC(2026, 0, 1) });
  const onStore = (it: Store) => void (store = it);
  const service = await startTestService({ clock, onStore, startCore: startRecordedCore, env: { LOG_LEVEL: 'info' } });
  const knex = await store?.run(async (it) => it);
  knex?.on('query', recordStatement);
  const send = await openClient(`${service.url}/v1/ingest`, service.key);
  recordCalls(EventEmitter.prototype, 'on', (event) => addCall('listeners', event));
  recordCalls(EventTarget.prototype, 'addEventListener', (event) => addCall('listeners', event));
  for (const name of ['setTimeout', 'setInterval'] as const)
    recordCalls(globalThis, name, () => addCall('timers', name));
  let index = 0;
  return async (bodyOf) => {
    const costs: RequestCost[] = [];
    for (let count = -warmUp; count < recorded; count += 1) {
      clock.advance(5);
      const body = { timestamp: clock.at(), ...bodyOf(index++) };
      recorder = { statements: [], databaseBytes: 0, messages: [], threadBytes: 0, listeners: [], timers: [] };
      await send(body);
      if (count >= 0) costs.push(recorder);
      recorder = undefined;
    }
    return chooseLeast(costs);
  };
}

/** Returns the least of each part. What a timer does meanwhile, such as counting usage, is not part of it. */
function chooseLeast(costs: readonly RequestCost[]): RequestCost {
  const size = (part: RequestCost[keyof RequestCost]) => (typeof part === 'number' ? part : part.length);
  const least = (name: keyof RequestCost) => costs.map((it) => it[name]).reduce((a, b) => (size(b) < size(a) ? b : a));
  const names = Object.keys(costs[0] ?? {}) as Array<keyof RequestCost>;
  return Object.fromEntries(names.map((name) => [name, least(name)])) as unknown as RequestCost;
}

/** Tables that the service reads and writes in the background: usage, uses of keys, the record of accesses, migrations. */
const background = /(?:usage_|api_keys|access_|schema_migrations)/;

function recordStatement({ sql, bindings = [] }: { sql: string; bindings?: readonly unknown[] }): void {
  if (!recorder || background.test(sql)) return;
  recorder.statements.push(...sql.split('; ').map(describeStatement));
  if (isFrame.test(sql)) return;
  const bytes = bindings.reduce<number>((sum, it) => sum + Buffer.byteLength(String(it)), 0);
  recorder.databaseBytes += Buffer.byteLength(sql) + bytes;
}

/** The begin and end of a transaction, which writes in the background also have. */
export const isFrame = /^(?:begin|commit)/i;

/** Returns the verb and the table of a statement. */
export function describeStatement(sql: string): string {
  const whole = sql.replaceAll(/\(select[^()]*\)/g, '');
  const [, verb, table] = /^(\w+).*?\b(?:from|into|update)\s+[`"]?(\w+)/is.exec(whole) ?? [undefined, sql];
  return table === undefined ? String(verb) : `${verb} ${table}`;
}

/** Starts the core on this thread, connected like a core on another thread. */
const startRecordedCore: StartCore = async (parts) => {
  const { port1, port2 } = new MessageChannel();
  for (const port of [port1, port2]) recordMessages(port);
  const functions: Record<string, Functions[string]> = {};
  const { notify } = connectThread<CoreHost>(port2, functions);
  const host = createRemoteFunctions<CoreHost>(Object.keys(parts.host), notify);
  const core = await startCore({ ...parts, host });
  Object.assign(functions, core);
  const { call } = connectThread<Core>(port1, { ...parts.host });
  const close = async () => {
    await core.close();
    port1.close();
  };
  return { ...createRemoteFunctions<Core>(Object.keys(core), call), close };
};

function recordMessages(port: MessagePort): void {
  recordCalls(port, 'postMessage', (messages) => {
    if (!recorder) return;
    const sent = messages as ReadonlyArray<readonly [kind: string, id: number, ...values: unknown[]]>;
    recorder.messages.push(...sent.map(([kind, , name]) => (kind === 'call' ? String(name) : kind)));
    // The number of a call takes more bytes the more calls there were.
    recorder.threadBytes += serialize(sent.map(([kind, , ...values]) => [kind, 0, ...values])).length;
  });
}

/** Calls `record` with the first argument of each call of a method, until the test ends. */
function recordCalls<Target extends object>(
  target: Target,
  name: keyof Target & string,
  record: (first: unknown) => void,
): void {
  const original = target[name] as (...args: unknown[]) => unknown;
  const recording = function (this: unknown, ...args: unknown[]) {
    record(args[0]);
    return original.apply(this, args);
  };
  Object.assign(target, { [name]: recording });
  onTestFinished(() => void Object.assign(target, { [name]: original }));
}

const root = fileURLToPath(new URL('../', import.meta.url));

/** Adds what is called, with the file or library that calls it, unless Node itself does. */
function addCall(part: 'listeners' | 'timers', called: unknown): void {
  if (!recorder) return;
  // Methods of emitters and streams call each other.
  const isAdd = /\b(?:on|once|addListener|prependListener|addEventListener)\b.*node:/;
  const frames = (new Error().stack ?? '').split('\n').filter((it) => it.includes('    at '));
  const caller = frames.find((it) => !it.includes('testkit/request-cost') && !isAdd.test(it)) ?? '';
  if (caller.includes('node:')) return;
  const path = relative(root, caller.replace(/^.*?\(?(?:file:\/\/)?(\/[^:]*):.*$/, '$1'));
  recorder[part].push(`${String(called)} ${path.replace(/^.*node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/, '$1')}`);
}

/** Returns a function that sends a body. The client runs on another thread, so that its listeners and timers are not counted. */
async function openClient(url: string, key: string): Promise<(body: object) => Promise<void>> {
  const program = `
    const { parentPort, workerData: { url, key } } = require('node:worker_threads');
    const headers = { 'Content-Type': 'application/json', 'X-Service-Key': key };
    parentPort.on('message', async (body) => {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      parentPort.postMessage([response.status, await response.text()]);
    });
    parentPort.postMessage('ready');`;
  const worker = new Worker(program, { eval: true, workerData: { url, key } });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, 'message');
  let settle: (answer: readonly [number, string]) => void = () => undefined;
  worker.on('message', (answer) => settle(answer));
  return async (body) => {
    const [status, text] = await new Promise<readonly [number, string]>((resolve) => {
      settle = resolve;
      worker.postMessage(body);
    });
    if (status !== 200) throw new Error(text);
  };
}
