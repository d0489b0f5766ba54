import { setTimeout as sleep } from 'node:timers/promises';

/** So long that a slow machine is not mistaken for a broken promise. */
const limitMs = 30_000;
const pauseMs = 10;

/** Resolves once the condition holds; rejects, naming it, when it has not for long. */
export async function until(name: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const endsAtMs = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > endsAtMs) throw new Error(`never came true: ${name}`);
    await sleep(pauseMs);
  }
}
