import type { MessagePort, Worker } from 'node:worker_threads';
import { createUnderWay } from '../under-way.js';
import { errorOf, type WireError, wireErrorOf } from './wire-error.js';

/** Functions that the other side may call, by name. What they take and give is copied (structured clone). */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

type Call = readonly ['call', id: number, name: string, args: readonly unknown[]];
type Done = readonly ['done', id: number, value: unknown];
type Failed = readonly ['failed', id: number, error: WireError];
type Message = Call | Done | Failed;

export interface Connection<Theirs> {
  /** Calls a function of the other side; rejects with what it throws. */
  ask<Name extends keyof Theirs & string>(name: Name, ...args: ArgsOf<Theirs[Name]>): Promise<ResultOf<Theirs[Name]>>;
  /** The same where nobody waits for the outcome. */
  tell<Name extends keyof Theirs & string>(name: Name, ...args: ArgsOf<Theirs[Name]>): void;
}

type ArgsOf<F> = F extends (...args: infer Args) => unknown ? Args : never;
type ResultOf<F> = F extends (...args: never[]) => infer Result ? Awaited<Result> : never;

/** The id of a call that nobody waits for. */
const told = -1;
/** So many messages are not kept for more: in a long turn of one event loop the other would stand idle. */
const sentAtOnce = 8;

/**
 * Connects two threads that call each other's functions. What a turn of the event loop has to say is sent together, for
 * waking the other thread costs more than a call; arguments must not change after the call.
 */
export function connect<Theirs>(port: MessagePort | Worker, mine: Functions): Connection<Theirs> {
  const send = gathering(port);
  const asked = createUnderWay<{ resolve(value: never): void; reject(error: Error): void }>();

  async function run([, , name, args]: Call): Promise<unknown> {
    const called = mine[name];
    if (!called) throw new Error(`nothing here is called ${name}`);
    return called(...(args as never[]));
  }

  async function answer(call: Call): Promise<void> {
    const [, id] = call;
    const outcome = run(call).then(
      (value): Done => ['done', id, value],
      (error: unknown): Failed => ['failed', id, wireErrorOf(error)],
    );
    send(await outcome);
  }

  function settle([kind, id, outcome]: Done | Failed): void {
    const waiting = asked.leave(id);
    if (kind === 'done') waiting?.resolve(outcome as never);
    else waiting?.reject(errorOf(outcome));
  }

  port.on('message', (messages: readonly Message[]) => {
    for (const message of messages) {
      if (message[0] !== 'call') settle(message);
      // What fails in a call that nobody waits for is a fault of ours, and ends the process.
      else void (message[1] === told ? run(message) : answer(message));
    }
  });
  return {
    ask: (name, ...args) =>
      new Promise((resolve, reject) => send(['call', asked.enter({ resolve, reject }), name, args])),
    tell: (name, ...args) => send(['call', told, name, args]),
  };
}

function gathering(port: MessagePort | Worker): (message: Message) => void {
  let gathered: Message[] = [];
  const flush = () => {
    const messages = gathered;
    if (messages.length === 0) return;
    gathered = [];
    port.postMessage(messages);
  };
  return (message) => {
    if (gathered.push(message) === 1) setImmediate(flush);
    if (gathered.length >= sentAtOnce) flush();
  };
}
