import { type Allowance, createConcurrencyLimit } from './window-limit.js';

/**
 * Lets the work of each name run one at a time, in the order of arrival. Returns a function that resolves with the end of
 * the turn. It rejects with a RateLimitError if `quota` turns are in progress or wait, and when the signal ends the wait.
 */
export function createTurns(limit: Pick<Allowance, 'policy' | 'quota' | 'resetSeconds'>) {
  const beginEntry = createConcurrencyLimit(limit);
  /** The first turn of each queue is in progress. */
  const queues = new Map<string, Array<() => void>>();
  return async (name: string, signal: AbortSignal): Promise<() => void> => {
    // A client that has left must not wait, because its place in the queue would be missing for others.
    signal.throwIfAborted();
    const endEntry = beginEntry(name);
    const queue = queues.get(name) ?? [];
    queues.set(name, queue);
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', stopWaiting);
        resolve(end);
      };
      const end = () => {
        endEntry();
        const index = queue.indexOf(begin);
        queue.splice(index, 1);
        if (queue.length === 0) queues.delete(name);
        else if (index === 0) queue[0]?.();
      };
      const stopWaiting = () => {
        end();
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', stopWaiting);
      if (queue.push(begin) === 1) begin();
    });
  };
}
