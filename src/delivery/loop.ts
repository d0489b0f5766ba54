import type { Logger } from 'pino';

/** How often it looks by itself: what another process has written wakes nobody here. */
const pollMs = 50;
const pauseAfterFaultMs = 500;

export interface Loop {
  /** There may be something to do at once. */
  wake(): void;
  /** Resolves when the step under way is done. */
  close(): Promise<void>;
}

/**
 * Runs a step again and again: at once while it tells that there is more to do, else when it is woken or after a
 * while. A step that fails is tried again; the first failure in a row is logged.
 */
export function startLoop(name: string, step: () => Promise<boolean>, log: Logger): Loop {
  let isClosed = false;
  let isWoken = false;
  let wakeUp = () => {};
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isClosed || isWoken) wakeUp();
    });
  const run = async () => {
    let failures = 0;
    while (!isClosed) {
      isWoken = false;
      try {
        const hasMore = await step();
        failures = 0;
        if (!hasMore) await sleep(pollMs);
      } catch (error) {
        if (failures === 0)
          log.warn({ err: error, loop: name }, 'a step of the webhook worker failed; it goes on trying');
        failures += 1;
        await sleep(pauseAfterFaultMs);
      }
    }
  };
  const running = run();
  return {
    wake() {
      isWoken = true;
      wakeUp();
    },
    async close() {
      isClosed = true;
      wakeUp();
      await running;
    },
  };
}
