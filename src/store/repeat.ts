import { setTimeout as sleep } from 'node:timers/promises';

export interface Repetition {
  /** Time between the end of a round and the start of the next one, in ms. */
  readonly everyMs: number;
  /** Runs one round. */
  readonly work: () => Promise<unknown>;
  /** Called with the error of a failed round. Only the first of several consecutive failures is reported. */
  readonly onFailure?: (error: unknown) => void;
}

/** Runs rounds until `close`, the first one after a pause. `close` resolves when the current round is complete. */
export function repeat({ everyMs, work, onFailure = () => undefined }: Repetition): { close(): Promise<void> } {
  const stop = new AbortController();
  const run = async () => {
    let isFailing = false;
    for (;;) {
      await sleep(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      if (stop.signal.aborted) return;
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
