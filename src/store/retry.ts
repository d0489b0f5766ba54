import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './transient.js';

/** Pauses between tries; a fault that outlasts them, or the budget, is the caller's to report. */
const pausesMs = [20, 40, 80, 160];
const budgetMs = 3_000;

/** Runs the work again after a fault that passes by itself, with jitter, so that two rivals do not meet again. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  const endsAtMs = performance.now() + budgetMs;
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || performance.now() > endsAtMs) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
  return work();
}
