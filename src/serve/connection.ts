import type { MessagePort, Worker } from 'node:worker_threads';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { readError, type WireError, writeError } from './wire-error.js';

/** Functions that the other thread may call, by name. Arguments and results are copied (structured clone). */
export type Functions = Readonly<Record<string, AnyFunction>>;

/** Declared as a method, because TypeScript then accepts functions with narrower parameters. */
type AnyFunction = { call(...args: readonly unknown[]): unknown }['call'];

type Call = readonly ['call', id: number, name: string, args: readonly unknown[], headers: TraceHeaders | undefined];
type Done = readonly ['done', id: number, value: unknown];
type Failed = readonly ['failed', id: number, error: WireError];
type Message = Call | Done | Failed;

export interface ThreadConnection<Theirs> {
  /**
   * Calls a function of the other thread and resolves with its result. Rejects with the error that the function throws.
   */
  call<Name extends keyof Theirs & string>(name: Name, ...args: ArgsOf<Theirs[Name]>): Promise<ResultOf<Theirs[Name]>>;
  /** Calls a function of the other thread without waiting for a result. An error in the function ends the process. */
  notify<Name extends keyof Theirs & string>(name: Name, ...args: ArgsOf<Theirs[Name]>): void;
}

type ArgsOf<F> = F extends (...args: infer Args) => unknown ? Args : never;
type ResultOf<F> = F extends (...args: infer _Args) => infer Result ? Awaited<Result> : never;

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The id of a call that expects no result. */
const notificationId = -1;
/**
 * A batch of this many messages is sent immediately. Otherwise, the other thread would idle during a long iteration of
 * this event loop.
 */
const batchMax = 8;

/**
 * Connects two threads that call each other's functions. Messages of one event-loop iteration are sent as a batch,
 * because waking the other thread costs more than a call. Arguments must not be modified after the call.
 */
export function connectThread<Theirs>(port: MessagePort | Worker, mine: Functions): ThreadConnection<Theirs> {
  const send = createBatchedSend(port);
  // An array whose ids are reused, because a Map allocates a new table about every hundred calls. Tables in the old
  // generation would keep the later ones, and their calls, until the next full garbage collection.
  const pending: Array<PendingCall | undefined> = [];
  const free: number[] = [];

  async function run([, , name, args, headers]: Call): Promise<unknown> {
    const called = mine[name];
    if (!called) throw new Error(`unknown function: ${name}`);
    return inTrace(headers, () => called(...args));
  }

  async function respond(call: Call): Promise<void> {
    const [, id] = call;
    const outcome = run(call).then(
      (value): Done => ['done', id, value],
      (error: unknown): Failed => ['failed', id, writeError(error)],
    );
    send(await outcome);
  }

  function settle([kind, id, outcome]: Done | Failed): void {
    const call = pending[id];
    pending[id] = undefined;
    free.push(id);
    if (kind === 'done') call?.resolve(outcome);
    else call?.reject(readError(outcome));
  }

  port.on('message', (messages: readonly Message[]) => {
    for (const message of messages) {
      if (message[0] !== 'call') settle(message);
      // A notification that fails is a defect. Its unhandled rejection ends the process.
      else void (message[1] === notificationId ? run(message) : respond(message));
    }
  });
  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        const id = free.pop() ?? pending.length;
        pending[id] = { resolve, reject };
        send(['call', id, name, args, activeTrace()]);
      }),
    notify: (name, ...args) => send(['call', notificationId, name, args, undefined]),
  };
}

/** Returns an object with the functions of the other thread that have these names. `act` is `call` or `notify`. */
export function createRemoteFunctions<Theirs>(names: readonly string[], act: AnyFunction): Theirs {
  const call = (name: string) => [name, (...args: readonly unknown[]) => act(name, ...args)] as const;
  return Object.fromEntries(names.map(call)) as Theirs;
}

function createBatchedSend(port: MessagePort | Worker): (message: Message) => void {
  let batch: Message[] = [];
  const flush = () => {
    const messages = batch;
    if (messages.length === 0) return;
    batch = [];
    port.postMessage(messages);
  };
  return (message) => {
    if (batch.push(message) === 1) setImmediate(flush);
    if (batch.length >= batchMax) flush();
  };
}

/** The headers of W3C Trace Context: `traceparent` and `tracestate`. */
type TraceHeaders = Readonly<Record<string, string>>;

/** Returns the active trace as plain data. Undefined outside of a trace. */
function activeTrace(): TraceHeaders | undefined {
  if (!trace.getActiveSpan()) return undefined;
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Runs the work as part of the caller's trace if `headers` contain one. */
function inTrace<T>(headers: TraceHeaders | undefined, work: () => T): T {
  return headers ? context.with(propagation.extract(ROOT_CONTEXT, headers), work) : work();
}
