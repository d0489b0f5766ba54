import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';

/** Dredd ships no types; these are the parts of it that are used here. */
export interface Transaction {
  /** As in `POST (200) /v1/ingest`; hooks do not change it. */
  readonly id: string;
  readonly origin: { readonly resourceName: string };
  port: string;
  /** Path and query as they will be sent. */
  fullPath: string;
  readonly request: { body?: string; readonly method: string; readonly headers: Record<string, string> };
  readonly expected: { readonly statusCode: string; headers: Record<string, string>; bodySchema?: object };
  /** Present once there is an answer. */
  readonly real?: { readonly statusCode: number; readonly headers: Record<string, string>; readonly body?: string };
  /** The reason for which the transaction fails whatever its answer is. */
  fail?: string;
  skip?: boolean;
}

/** What Dredd reports of a transaction. */
export interface Test {
  /** The transaction's id. */
  readonly title: string;
  readonly message?: string;
  readonly origin: Transaction['origin'];
  readonly actual?: Transaction['real'];
}

interface Options {
  readonly endpoint: string;
  readonly apiDescriptions: readonly string[];
  readonly hookfiles: readonly string[];
  readonly emitter: EventEmitter;
  readonly loglevel: 'silent' | 'error' | 'warning' | 'debug';
  /** Handed to the library `request`. */
  readonly http: { readonly timeout: number; readonly agentOptions: { readonly keepAlive: boolean } };
  /** Reaches the hooks as `hooks.configuration.custom`. */
  readonly custom: { readonly cwd: string; readonly steps: object };
}

type DreddClass = new (options: Options) => { run(done: (error: Error | null | undefined) => void): void };

// Required, for loaders disagree about what an `import` of CommonJS like this one yields.
const require = createRequire(import.meta.url);

export const Dredd = require('dredd') as DreddClass;

/** Dredd prints its report whatever the log level is; ours is made from its events. */
export function silenceReport(): void {
  const { default: logger } = require('dredd/build/reporters/reporterOutputLogger') as {
    default: { transports: { console: { silent: boolean } } };
  };
  logger.transports.console.silent = true;
}
