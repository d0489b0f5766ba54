import type { Logger } from 'pino';
import { serviceRuns as settings } from '../../generated/spec.js';
import { repeat } from '../store/repeat.js';
import { type Absence, findAbsences, storeRun } from '../store/service-runs.js';
import type { Store } from '../store/store.js';

const everyMs = settings.heartbeat_seconds * 1000;

export interface PresenceParts {
  readonly store: Store;
  /** The time of the database in epoch ms. */
  readonly now: () => number;
  readonly log: Logger;
  /** False for a process that only delivers: it accepts no readings, so it observes nobody. */
  readonly isObserving: boolean;
  /** True if tests replace the clock, whose jumps would be absences. */
  readonly isClockManual: boolean;
}

/** Stores now and once a minute that this process runs. Must start before the process accepts readings. */
export async function startPresence({ store, now, log, isObserving, isClockManual }: PresenceParts) {
  let absences: readonly Absence[] = [];
  let [readAtMs, isClosed] = [-Infinity, false];
  const refresh = async () => {
    const nowMs = now();
    absences = await store.run(async (knex) => {
      if (isObserving) await storeRun(knex, nowMs);
      return findAbsences(knex, nowMs);
    });
    readAtMs = nowMs;
  };
  const onFailure = (err: unknown) => log.warn({ err }, 'presence of this process not stored: retried every minute');
  await refresh().catch(onFailure);
  const repeating = isClockManual ? undefined : repeat({ everyMs, work: async () => isClosed || refresh(), onFailure });
  return {
    /** Returns the absences, at most a minute old. Does not query the database. */
    known: () => absences,
    /** Returns the absences. Queries them first if a minute has passed: the process may have been suspended. */
    async find(): Promise<readonly Absence[]> {
      if (Math.abs(now() - readAtMs) > everyMs) await refresh();
      return absences;
    },
    async close(): Promise<void> {
      isClosed = true;
      await repeating?.close();
    },
  };
}
