import { Worker } from 'node:worker_threads';
import { connect, type Connection } from '../remote/connection.js';
import type { Core, StartCore } from './core.js';
import type { HostFunctions, ThreadData, ThreadFunctions } from './thread.js';

export interface ThreadOptions {
  /** The program to run; on a worker thread it runs the core. */
  readonly program: URL;
  /** Writes a log line of the core. */
  readonly writeLog: (line: string) => void;
}

/**
 * Starts the core on a separate thread, so that neither SQL nor SQLite's commits block requests. An uncaught error
 * there ends the process, as on the main thread.
 */
export function coreOnThread({ program, writeLog }: ThreadOptions): StartCore {
  return async ({ config, host }) => {
    const workerData: ThreadData = { config };
    const thread = new Worker(program, { workerData });
    thread.on('error', (error) => {
      throw error;
    });
    const connection = connect<ThreadFunctions>(thread, { ...host, writeLog } satisfies HostFunctions);
    try {
      await connection.call('start');
    } catch (error) {
      await thread.terminate();
      throw error;
    }
    const core = coreThrough(connection);
    return {
      ...core,
      async close() {
        await core.close();
        await thread.terminate();
      },
    };
  };
}

function coreThrough({ call }: Connection<ThreadFunctions>): Core {
  return {
    operate: (...args) => call('operate', ...args),
    findKeys: (...args) => call('findKeys', ...args),
    recordKeyUse: (...args) => call('recordKeyUse', ...args),
    usageTotals: (...args) => call('usageTotals', ...args),
    addUsage: (...args) => call('addUsage', ...args),
    warnings: () => call('warnings'),
    begin: () => call('begin'),
    waiting: () => call('waiting'),
    outboxAgeSeconds: () => call('outboxAgeSeconds'),
    dueAgeSeconds: () => call('dueAgeSeconds'),
    deliveryCounts: () => call('deliveryCounts'),
    workerLoad: () => call('workerLoad'),
    close: () => call('close'),
  };
}
