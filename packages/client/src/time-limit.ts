import { TimeoutError } from './connection-error.js';

/** A signal that aborts when a signal of the caller aborts, or with a TimeoutError when the started time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Starts the time, or starts it again. */
  start(ms: number): void;
  /** Stops the time until the next start. */
  pause(): void;
  /** Releases the timer and the listeners. */
  release(): void;
}

/**
 * The timer holds the controller: runtimes may garbage-collect the timeout of `AbortSignal.any([…, AbortSignal.timeout()])`
 * before it fires (nodejs/node#57736).
 */
export function createTimeLimit(
  callers: ReadonlyArray<AbortSignal | undefined>,
  errorAfter = (ms: number) => new TimeoutError(ms),
): TimeLimit {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => controller.abort(callers.find((it) => it?.aborted)?.reason);
  const pause = () => clearTimeout(timer);
  for (const caller of callers) caller?.addEventListener('abort', stop, { once: true });
  if (callers.some((it) => it?.aborted)) stop();
  return {
    signal: controller.signal,
    start(ms) {
      pause();
      timer = setTimeout(() => controller.abort(errorAfter(ms)), ms);
    },
    pause,
    release() {
      pause();
      for (const caller of callers) caller?.removeEventListener('abort', stop);
    },
  };
}
