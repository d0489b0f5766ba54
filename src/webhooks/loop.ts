import type { Logger } from 'pino';

const pauseAfterErrorMs = 500;

export interface Loop {
  /** Runs the next step now. */
  wake(): void;
  /** Stops the loop. Resolves when the current step is complete. */
  close(): Promise<void>;
}

/**
 * Runs a step repeatedly. The step resolves with the pause before the next run, in ms. `wake` ends the pause early. A
 * failed step is retried. Only the first of several consecutive failures is logged.
 */
export function startLoop(name: string, step: () => Promise<number>, log: Logger): Loop {
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
        const pauseMs = await step();
        failures = 0;
        if (pauseMs > 0) await sleep(pauseMs);
      } catch (error) {
        if (failures === 0) log.warn({ err: error, loop: name }, 'webhook worker step failed; it is retried');
        failures += 1;
        await sleep(pauseAfterErrorMs);
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
