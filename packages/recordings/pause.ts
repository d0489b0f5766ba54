/** Time after which a reader lets other work run, ms. */
const sliceMs = 50;

/** Returns a function that lets other work of the thread run if a slice has passed. A file in memory is parsed without a wait. */
export function createPause(): () => Promise<void> | undefined {
  let endsAtMs = performance.now() + sliceMs;
  return () => {
    if (performance.now() < endsAtMs) return undefined;
    return new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
      endsAtMs = performance.now() + sliceMs;
    });
  };
}
