import { threadLimits } from '../lifecycle/v8-options.js';
import { Worker } from 'node:worker_threads';
import { connect, type Connection } from '../remote/connection.js';
import type { Core, StartCore } from './core.js';
import type { HostFunctions, ThreadData, ThreadFunctions } from './thread.js';

export interface ThreadOptions {
  /** Program of the worker thread, on which it runs the core. */
  readonly program: URL;
  /** Writes a log line of the core. */
  readonly writeLog: (line: string) => void;
  /** Called when the thread ends before it is closed. Calls to the core then never settle. */
  readonly onUnexpectedExit: (error: Error) => void;
}

/**
 * Starts the core on a separate thread, so that neither SQL nor SQLite's commits block requests.
 */
export function coreOnThread({ program, writeLog, onUnexpectedExit }: ThreadOptions): StartCore {
  return async ({ config, host }) => {
    const workerData: ThreadData = { config };
    const thread = new Worker(program, { workerData, resourceLimits: threadLimits });
    const end = watchExit(thread, onUnexpectedExit);
    const connection = connect<ThreadFunctions>(thread, { ...host, writeLog } satisfies HostFunctions);
    try {
      await connection.call('start');
    } catch (error) {
      await end();
      throw error;
    }
    const core = coreThrough(connection);
    return {
      ...core,
      async close() {
        await core.close();
        await end();
      },
    };
  };
}

/** Reports an exit of the thread, with the uncaught error if there was one. Returns a function that ends the thread. */
function watchExit(thread: Worker, onUnexpectedExit: (error: Error) => void): () => Promise<unknown> {
  let isExpected = false;
  let uncaught: Error | undefined;
  thread.on('error', (error: Error) => (uncaught = error));
  thread.on('exit', (code) => {
    if (!isExpected) onUnexpectedExit(uncaught ?? new Error(`exit code ${code}`));
  });
  return () => {
    isExpected = true;
    return thread.terminate();
  };
}

function coreThrough({ call }: Connection<ThreadFunctions>): Core {
  return {
    operate: (...args) => call('operate', ...args),
    findKeys: (...args) => call('findKeys', ...args),
    findKey: (...args) => call('findKey', ...args),
    recordKeyUse: (...args) => call('recordKeyUse', ...args),
    usageTotals: (...args) => call('usageTotals', ...args),
    addUsage: (...args) => call('addUsage', ...args),
    warnings: () => call('warnings'),
    begin: () => call('begin'),
    readPage: (...args) => call('readPage', ...args),
    beginExport: (...args) => call('beginExport', ...args),
    readExportPage: (...args) => call('readExportPage', ...args),
    findStreamHeads: (...args) => call('findStreamHeads', ...args),
    changedSessions: (...args) => call('changedSessions', ...args),
    notifyStreams: (...args) => call('notifyStreams', ...args),
    waiting: () => call('waiting'),
    outboxAgeSeconds: () => call('outboxAgeSeconds'),
    dueAgeSeconds: () => call('dueAgeSeconds'),
    deliveryCounts: () => call('deliveryCounts'),
    clockAheadSeconds: () => call('clockAheadSeconds'),
    threadLoad: () => call('threadLoad'),
    cacheLookups: () => call('cacheLookups'),
    workerLoad: () => call('workerLoad'),
    close: () => call('close'),
  };
}
