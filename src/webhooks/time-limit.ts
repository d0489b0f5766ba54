/** A time limit with a signal that aborts when the time is up or when an outer signal aborts. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Returns true if the time is up, false if only the outer signal aborted. */
  isOver(): boolean;
  /** Stops the timer. Call this function in `finally`. */
  clear(): void;
}

/**
 * Starts a limit of `ms`. The timer references the controller, so the limit survives garbage collection.
 * `AbortSignal.any` with `AbortSignal.timeout` does not: Node may collect the timeout before it fires
 * (nodejs/node#57736).
 */
export function startTimeLimit(ms: number, outer?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const timeUp = new DOMException(`no complete response within ${ms} ms`, 'TimeoutError');
  const timer = setTimeout(() => controller.abort(timeUp), ms);
  const stop = () => controller.abort(outer?.reason);
  if (outer?.aborted) stop();
  outer?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    isOver: () => controller.signal.reason === timeUp,
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', stop);
    },
  };
}
