import type { Logger } from 'pino';
import { readVariables } from '../config/read-variable.js';
import { describeVariables, listSettings } from '../config/settings.js';
import type { Variable } from '../config/variable.js';
import { version } from '../config/version.js';
import { jsonOption } from '../contract/command-line.js';
import { createEndAfterBody } from '../http/unread-body.js';
import { type Closable, starting } from '../observe/start.js';
import { closeOnSignal, endWithNpm } from './close-on-signal.js';

export type Host = ReturnType<typeof createHost>;

/** Returns what the commands of packages get, because packages import nothing of src/. `serve` logs the warnings. */
export function createHost(root: URL, env: Readonly<Record<string, string | undefined>>, warnings: string[]) {
  return {
    ...{ root, env, version, jsonOption, readVariables, createEndAfterBody },
    describeVariables: (table: Readonly<Record<string, Variable<unknown>>>) => describeVariables(listSettings(table)),

    /** Starts a server with its log, and closes it on SIGTERM or SIGINT. Rejects with an error that names the settings. */
    async serve<Server extends Closable>(
      what: string,
      logLevel: string,
      start: (log: Logger) => Promise<Server>,
    ): Promise<Server> {
      const { createLog, standardError } = await import('../observe/log.js');
      endWithNpm(env);
      const output = standardError();
      const log = createLog(logLevel, output);
      const running = await starting(what, () => start(log));
      closeOnSignal({ running, tracing: undefined, log, output });
      for (const warning of warnings.splice(0)) log.warn(warning);
      return running;
    },
  };
}
