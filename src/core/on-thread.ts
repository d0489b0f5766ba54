import { Worker } from 'node:worker_threads';
import { connect, type Connection } from '../remote/connection.js';
import type { Core, StartCore } from './core.js';
import type { HostFunctions, ThreadData, ThreadFunctions } from './thread.js';

export interface ThreadWish {
  /** The program; on a thread it runs the core. */
  readonly program: URL;
  /** Takes the lines of the core's log. */
  readonly writeLog: (line: string) => void;
}

/**
 * Starts the core on a thread of its own, so that neither SQL nor SQLite's commits keep requests waiting. An
 * error that nobody catches there ends the process, as it does on the main thread.
 */
export function coreOnThread({ program, writeLog }: ThreadWish): StartCore {
  return async ({ config, host }) => {
    const workerData: ThreadData = { config };
    const thread = new Worker(program, { workerData });
    thread.on('error', (error) => {
      throw error;
    });
    const connection = connect<ThreadFunctions>(thread, { ...host, writeLog } satisfies HostFunctions);
    try {
      await connection.ask('start');
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

function coreThrough({ ask }: Connection<ThreadFunctions>): Core {
  return {
    operate: (...args) => ask('operate', ...args),
    findKeys: (...args) => ask('findKeys', ...args),
    recordKeyUse: (...args) => ask('recordKeyUse', ...args),
    usageTotals: (...args) => ask('usageTotals', ...args),
    addUsage: (...args) => ask('addUsage', ...args),
    warnings: () => ask('warnings'),
    begin: () => ask('begin'),
    waiting: () => ask('waiting'),
    outboxAgeSeconds: () => ask('outboxAgeSeconds'),
    close: () => ask('close'),
  };
}
