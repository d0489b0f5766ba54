import { setTimeout as sleep } from 'node:timers/promises';

/** Time limit of a wait, ms. Long enough that a slow machine does not fail the test. */
const limitMs = 120_000;
const pauseMs = 10;

/** Resolves when the condition is true. Rejects with the name of the condition after the time limit. */
export async function until(name: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const endsAtMs = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > endsAtMs) throw new Error(`timeout while waiting for: ${name}`);
    await sleep(pauseMs);
  }
}
