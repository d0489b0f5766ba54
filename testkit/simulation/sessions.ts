import type { Baseline } from '../../packages/score/rows/person.js';
import type { Session } from '../../packages/score/rows/session.js';
import { advanceSession, type backfillSession, type SessionStep } from '../../packages/score/session.js';
import type { Reading } from '../../packages/score/signals.js';

/** What is known before a reading. */
interface Before {
  readonly session?: Session | undefined;
  readonly baseline?: Baseline | undefined;
}

/**
 * Processes the readings of one session in order of arrival, and yields each step. Passes the baseline from each reading to the
 * next, as ingest does.
 */
export function* advanceEach(
  readings: Iterable<Reading>,
  before: Before = {},
  advance: typeof backfillSession = advanceSession,
): Generator<SessionStep, undefined> {
  for (const reading of readings) {
    const step = advance(before.session, reading, before.baseline);
    yield step;
    before = step;
  }
}

export function advanceAll(readings: readonly Reading[], known?: Baseline): SessionStep[] {
  return [...advanceEach(readings, { baseline: known })];
}
