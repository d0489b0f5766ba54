import { setTimeout as sleep } from 'node:timers/promises';

export interface Repetition {
  /** Time between the end of a round and the start of the next one, in ms. */
  readonly everyMs: number;
  /** Runs one round. */
  readonly work: () => Promise<unknown>;
  /** Called with the error of a failed round. Only the first of several consecutive failures is reported. */
  readonly onFailure?: (error: unknown) => void;
}

/** Runs rounds, the first one after a pause. `close` ends the pause and resolves after a last round. */
export function repeat({ everyMs, work, onFailure = () => undefined }: Repetition): { close(): Promise<void> } {
  const stop = new AbortController();
  const run = async () => {
    let isFailing = false;
    while (!stop.signal.aborted) {
      await sleep(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      try {
        await work();
        isFailing = false;
      } catch (error) {
        if (!isFailing) onFailure(error);
        isFailing = true;
      }
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
