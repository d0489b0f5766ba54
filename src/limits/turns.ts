interface TurnLimits {
  /** Maximum number of turns of a name that are in progress. */
  readonly atOnceMax: number;
  /** Maximum number of turns of a name that are in progress or wait. */
  readonly turnsMax: number;
  /** Returns the error of a further turn. */
  readonly refuse: () => Error;
}

/**
 * Lets the work of each name run in the order of arrival, `atOnceMax` at a time. Returns a function that resolves with the end
 * of the turn. It rejects above `turnsMax`, and when the signal ends the wait.
 */
export function createTurns({ atOnceMax, turnsMax, refuse }: TurnLimits) {
  /** The first `atOnceMax` turns of each queue are in progress. */
  const queues = new Map<string, Array<() => void>>();
  return async (name: string, signal?: AbortSignal): Promise<() => void> => {
    // A client that has left must not wait, because its place in the queue would be missing for others.
    signal?.throwIfAborted();
    const queue = queues.get(name) ?? [];
    if (queue.length >= turnsMax) throw refuse();
    queues.set(name, queue);
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', stopWaiting);
        resolve(end);
      };
      const end = () => {
        const index = queue.indexOf(begin);
        queue.splice(index, 1);
        if (queue.length === 0) queues.delete(name);
        else if (index < atOnceMax) queue[atOnceMax - 1]?.();
      };
      const stopWaiting = () => {
        end();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', stopWaiting);
      if (queue.push(begin) <= atOnceMax) begin();
    });
  };
}
