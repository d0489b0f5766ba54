/** Returns a function that runs the work unless it ran less than `pauseMs` ago, by the monotonic clock. */
export function atMostEvery<Args extends unknown[]>(pauseMs: number, work: (...args: Args) => void) {
  let nextMs = 0;
  return (...args: Args): void => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + pauseMs;
    work(...args);
  };
}
