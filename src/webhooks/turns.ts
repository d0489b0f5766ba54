export interface TurnLimits {
  /** Maximum number of concurrent tasks per key. */
  readonly max: number;
  /** Maximum number of waiting tasks per key. */
  readonly waitingMax: number;
  /** Creates the error with which a task above `waitingMax` rejects. */
  readonly tooMany: () => Error;
}

/** Returns a function that runs tasks in order, within the limits of their key. */
export function createTurns(limits: TurnLimits): <T>(key: string, work: () => Promise<T>) => Promise<T> {
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
  const wait = (key: string) => {
    const queue = waiting.get(key) ?? [];
    if (queue.length >= limits.waitingMax) throw limits.tooMany();
    waiting.set(key, queue);
    return new Promise<void>((resolve) => void queue.push(resolve));
  };
  return async (key, work) => {
    if ((running.get(key) ?? 0) < limits.max) running.set(key, (running.get(key) ?? 0) + 1);
    else await wait(key);
    try {
      return await work();
    } finally {
      leave(key);
    }
  };
}
