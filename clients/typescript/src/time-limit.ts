import { TimeoutError } from './connection-error.js';

/** A signal that aborts when the caller's signal aborts, or with a TimeoutError when the started time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Starts the time, or starts it again. */
  start(ms: number): void;
  /** Stops the time until the next start. */
  pause(): void;
  /** Releases the timer and the listener. */
  release(): void;
}

/**
 * The timer holds the controller: runtimes may garbage-collect the timeout of `AbortSignal.any([…, AbortSignal.timeout()])`
 * before it fires (nodejs/node#57736).
 */
export function createTimeLimit(caller?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => controller.abort(caller?.reason);
  const pause = () => clearTimeout(timer);
  caller?.addEventListener('abort', stop, { once: true });
  if (caller?.aborted) stop();
  return {
    signal: controller.signal,
    start(ms) {
      pause();
      timer = setTimeout(() => controller.abort(new TimeoutError(ms)), ms);
    },
    pause,
    release() {
      pause();
      caller?.removeEventListener('abort', stop);
    },
  };
}
