/** Returns a function that runs at most `max` tasks per key concurrently and queues further tasks. */
export function createTurns(max: number): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, number>();
  const waiting = new Map<string, Array<() => void>>();
  const leave = (key: string) => {
    const next = waiting.get(key)?.shift();
    if (next) return next();
    waiting.delete(key);
    const left = (running.get(key) ?? 1) - 1;
    if (left > 0) running.set(key, left);
    else running.delete(key);
  };
  return async (key, work) => {
    if ((running.get(key) ?? 0) < max) running.set(key, (running.get(key) ?? 0) + 1);
    else
      await new Promise<void>((resolve) => {
        waiting.set(key, [...(waiting.get(key) ?? []), resolve]);
      });
    try {
      return await work();
    } finally {
      leave(key);
    }
  };
}
