import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';

/** The parts of Dredd's types that are used here. Dredd itself contains no types. */
export interface Transaction {
  /** For example `POST (200) /v1/ingest`. Hooks do not change it. */
  readonly id: string;
  readonly origin: { readonly resourceName: string };
  port: string;
  /** Path and query of the request. */
  fullPath: string;
  readonly request: { body?: string; readonly method: string; readonly headers: Record<string, string> };
  readonly expected: {
    readonly statusCode: string;
    headers: Record<string, string>;
    bodySchema?: object;
    body?: string;
  };
  /** The response. Present after the service has responded. */
  readonly real?: { readonly statusCode: number; readonly headers: Record<string, string>; readonly body?: string };
  /** The reason of a failure that does not depend on the response. */
  fail?: string;
  skip?: boolean;
}

/** Dredd's report of a transaction. */
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
  /** Options of the library `request`. */
  readonly http: { readonly timeout: number; readonly agentOptions: { readonly keepAlive: boolean } };
  /** Values that hooks read as `hooks.configuration.custom`. */
  readonly custom: { readonly cwd: string; readonly steps: object };
}

type DreddClass = new (options: Options) => { run(done: (error: Error | null | undefined) => void): void };

// Uses `require`, because loaders disagree about the result of an `import` of this CommonJS module.
const require = createRequire(import.meta.url);

export const Dredd = require('dredd') as DreddClass;

/** Silences Dredd's own report, which Dredd prints at every log level. Our report is built from Dredd's events. */
export function silenceReport(): void {
  const { default: logger } = require('dredd/build/reporters/reporterOutputLogger') as {
    default: { transports: { console: { silent: boolean } } };
  };
  logger.transports.console.silent = true;
}
