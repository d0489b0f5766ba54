import { Worker } from 'node:worker_threads';
import { threadLimits } from '../observe/v8-options.js';
import { connectThread, createRemoteFunctions } from './connection.js';
import type { Core, StartCore } from './core.js';
import type { HostFunctions, ThreadData, ThreadFunctions } from './thread.js';

export interface ThreadOptions {
  /** Program of the worker thread, on which it runs the core. */
  readonly program: URL;
  readonly writeLog: (line: string) => void;
  /** Called when the thread ends before it is closed. Calls to the core then never settle. */
  readonly onUnexpectedExit: (error: Error) => void;
}

/**
 * Starts the core on a separate thread, so that neither SQL nor SQLite's commits block requests.
 */
export function startCoreOnThread({ program, writeLog, onUnexpectedExit }: ThreadOptions): StartCore {
  return async ({ config, host }) => {
    const hostFunctions = { ...host, writeLog } satisfies HostFunctions;
    const workerData: ThreadData = { config, hostFunctions: Object.keys(hostFunctions) };
    const thread = new Worker(program, { workerData, resourceLimits: threadLimits });
    const end = watchExit(thread, onUnexpectedExit);
    const connection = connectThread<ThreadFunctions>(thread, hostFunctions);
    const names = await connection.call('start').catch(async (error: unknown) => {
      await end();
      throw error;
    });
    const core = createRemoteFunctions<Core>(names, connection.call);
    const closeCore = core.close;
    return Object.assign(core, {
      async close() {
        await closeCore();
        await end();
      },
    });
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
