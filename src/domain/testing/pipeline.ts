import type { Baseline } from '../baseline.js';
import { advanceSession, type Step } from '../session.js';
import type { Reading } from '../signals.js';

/**
 * Processes the readings of one session in order of arrival. Passes the baseline from each reading to the next, as
 * ingest does.
 */
export function advanceAll(readings: readonly Reading[], known?: Baseline): Step[] {
  const steps: Step[] = [];
  for (const reading of readings) {
    const last = steps.at(-1);
    steps.push(advanceSession(last?.session, reading, last ? last.baseline : known));
  }
  return steps;
}

/** Returns the step of the last reading. `readings` must not be empty. */
export function advanceTo(readings: readonly Reading[], known?: Baseline): Step {
  const last = advanceAll(readings, known).at(-1);
  if (!last) throw new Error('no readings');
  return last;
}
