import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough that a slow machine does not fail the test. */
const limitMs = 30_000;
const pauseMs = 10;

/** Resolves once the condition holds. Rejects with its name after the timeout. */
export async function until(name: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const endsAtMs = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > endsAtMs) throw new Error(`never came true: ${name}`);
    await sleep(pauseMs);
  }
}
