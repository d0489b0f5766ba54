import { parentPort, workerData } from 'node:worker_threads';
import type { Closable } from '../closing.js';
import type { Config } from '../config.js';
import { createLog } from '../log.js';
import { connect, type Functions } from '../remote/connection.js';
import { type Core, type CoreHost, startCore } from './core.js';

/** What a thread is started with. */
export interface ThreadData {
  readonly config: Config;
}

/** What the main thread may ask: first the start, then all that a core does. */
export type ThreadFunctions = Core & { start(): Promise<void> };

/** What the thread may ask of the main thread. */
export type HostFunctions = CoreHost & { writeLog(line: string): void };

/** Runs the core for the main thread, which starts, asks and closes it. */
export function runCore(tracing: Closable | undefined): void {
  if (!parentPort) throw new Error('the core runs on a thread');
  const { config } = workerData as ThreadData;
  const functions: Record<string, Functions[string]> = {};
  const { tell } = connect<HostFunctions>(parentPort, functions);
  const log = createLog(config.logLevel, { write: (line: string) => tell('writeLog', line) });
  const host: CoreHost = {
    observeGroup: (size) => tell('observeGroup', size),
    observeAttempt: (...attempt) => tell('observeAttempt', ...attempt),
  };
  functions['start'] = async () => {
    const core = await startCore({ config, log, now: Date.now, host });
    const close = async () => {
      await core.close();
      await tracing?.close();
    };
    Object.assign(functions, core, { close });
  };
}
