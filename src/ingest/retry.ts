import { setTimeout as sleep } from 'node:timers/promises';

/** Tries: at once, then after about 20, 60, 140 and 300 ms; a fault that lasts longer is the caller's to report. */
const waitsMs = [20, 40, 80, 160];

/** Runs the work again after a fault that passes by itself, with jitter, so that two rivals do not meet again. */
export async function retry<T>(work: () => Promise<T>, isTransient: (error: unknown) => boolean): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await sleep(waitMs * (0.5 + Math.random()));
    }
  }
  return work();
}
