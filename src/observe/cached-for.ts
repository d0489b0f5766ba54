/** Returns a function that calls `read` at most once per `maxAgeMs`. A rejected read is not cached. `now` is in epoch ms. */
export function cachedFor<Value>(maxAgeMs: number, now: () => number, read: () => Promise<Value>) {
  let cached: { readonly value: Promise<Value>; readonly readAtMs: number } | undefined;
  return (): Promise<Value> => {
    // The difference is negative after the clock was set back. The absolute value limits the age in this case too.
    if (cached && Math.abs(now() - cached.readAtMs) < maxAgeMs) return cached.value;
    const value = read();
    const entry = { value, readAtMs: now() };
    cached = entry;
    value.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return value;
  };
}
