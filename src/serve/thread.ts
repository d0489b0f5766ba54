import { parentPort, workerData } from 'node:worker_threads';
import { createClock } from '../config/clock.js';
import type { Config } from '../config/config.js';
import { createLog, logWarnings } from '../observe/log.js';
import type { Closable } from '../observe/start.js';
import { connectThread, type Functions, createRemoteFunctions } from './connection.js';
import { type Core, type CoreHost, startCore } from './core.js';

/** Data that the main thread passes to the core's thread at its start. */
export interface ThreadData {
  readonly config: Config;
  /** Names of the functions that this thread may call on the main thread. */
  readonly hostFunctions: readonly string[];
}

/** Functions that the main thread calls: first `start`, which resolves with the names of the core's functions. */
export type ThreadFunctions = Core & { start(): Promise<string[]> };

export type HostFunctions = CoreHost & { writeLog(line: string): void };

/** Runs the core on this worker thread. The main thread starts it, calls it and closes it. */
export function runCore(tracing: Closable | undefined): void {
  if (!parentPort) throw new Error('runCore must run on a worker thread');
  const { config, hostFunctions } = workerData as ThreadData;
  const functions: Record<string, Functions[string]> = {};
  const { notify } = connectThread<HostFunctions>(parentPort, functions);
  const host = createRemoteFunctions<HostFunctions>(hostFunctions, notify);
  const log = createLog(config.logLevel, { write: host.writeLog });
  logWarnings(log);
  functions['start'] = async () => {
    const core = await startCore({ config, log, now: createClock(config), host });
    const close = async () => {
      await core.close();
      await tracing?.close();
    };
    Object.assign(functions, core, { close });
    return Object.keys(core);
  };
}
