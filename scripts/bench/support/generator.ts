import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Job, Run } from './load.js';

export interface Generator {
  run(job: Job): Promise<Run>;
  close(): void;
}

/** Starts the process of the load generator, which is used for all runs. */
export function startGenerator(): Generator {
  const child: ChildProcess = fork(fileURLToPath(new URL('load.ts', import.meta.url)));
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('the load generator ended')));
  return {
    async run(job) {
      child.send(job);
      const [run] = (await once(child, 'message', { signal: ended.signal })) as [Run];
      return run;
    },
    close: () => void child.kill(),
  };
}
