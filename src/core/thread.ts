import { parentPort, workerData } from 'node:worker_threads';
import type { Closable } from '../lifecycle/closing.js';
import type { Config } from '../config/config.js';
import { createLog } from '../log/log.js';
import { connect, type Functions } from '../remote/connection.js';
import { type Core, type CoreHost, startCore } from './core.js';

/** Data that the main thread passes to the core's thread at its start. */
export interface ThreadData {
  readonly config: Config;
}

/** Functions that the main thread calls: first `start`, then those of the core. */
export type ThreadFunctions = Core & { start(): Promise<void> };

/** Functions that the core's thread calls on the main thread. */
export type HostFunctions = CoreHost & { writeLog(line: string): void };

/** Runs the core on this worker thread. The main thread starts it, calls it and closes it. */
export function runCore(tracing: Closable | undefined): void {
  if (!parentPort) throw new Error('runCore must run on a worker thread');
  const { config } = workerData as ThreadData;
  const functions: Record<string, Functions[string]> = {};
  const { notify } = connect<HostFunctions>(parentPort, functions);
  const log = createLog(config.logLevel, { write: (line: string) => notify('writeLog', line) });
  const host: CoreHost = {
    wakeStreams: (sessions) => notify('wakeStreams', sessions),
    observeGroup: (size) => notify('observeGroup', size),
    observeAttempt: (...attempt) => notify('observeAttempt', ...attempt),
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
