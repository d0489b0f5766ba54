/** Returns a function that runs `report` at most once per `everyMs`, by the monotonic clock. */
export function occasionally<Args extends unknown[]>(everyMs: number, report: (...args: Args) => void) {
  let nextMs = 0;
  return (...args: Args): void => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + everyMs;
    report(...args);
  };
}
