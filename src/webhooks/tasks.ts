import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

const pauseAfterErrorMs = 500;

/**
 * Runs a step repeatedly. The step resolves with the pause before the next run, in ms. `wake` ends the pause early. A
 * failed step is retried. Only the first of several consecutive failures is logged.
 */
export function startLoop(name: string, step: () => Promise<number>, log: Logger) {
  let isClosed = false;
  let pause = new AbortController();
  const run = async () => {
    let failures = 0;
    while (!isClosed) {
      pause = new AbortController();
      let pauseMs = pauseAfterErrorMs;
      try {
        pauseMs = await step();
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ err: error, loop: name }, 'webhook worker step failed; it is retried');
        failures += 1;
      }
      // Rejects when the pause is aborted.
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: pause.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    wake: (): void => pause.abort(),
    /** Stops the loop. Resolves when the current step is complete. */
    async close(): Promise<void> {
      isClosed = true;
      pause.abort();
      await running;
    },
  };
}

/**
 * Starts a time limit with a signal that aborts after `ms` or with `outer`. The timer references the controller, so the limit survives garbage collection.
 * `AbortSignal.any` with `AbortSignal.timeout` does not: Node may collect the timeout before it fires
 * (nodejs/node#57736).
 */
export function startTimeLimit(ms: number, outer?: AbortSignal) {
  const controller = new AbortController();
  const timeUp = new DOMException(`no complete response within ${ms} ms`, 'TimeoutError');
  const timer = setTimeout(() => controller.abort(timeUp), ms);
  const stop = () => controller.abort(outer?.reason);
  if (outer?.aborted) stop();
  outer?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    /** Returns true if the time is up, false if only the outer signal aborted. */
    isOver: () => controller.signal.reason === timeUp,
    /** Stops the timer. Call this function in `finally`. */
    clear(): void {
      clearTimeout(timer);
      outer?.removeEventListener('abort', stop);
    },
  };
}
