import { readiness } from '../../generated/spec.js';
import { findRemedy } from './transient.js';

/** Minimum time between two attempts to write, ms. Limits the writes that callers of the readiness check cause. */
const tryEveryMs = 1_000;

/** Called with the error of a failed transaction, and without one after a transaction that wrote. */
export type ObserveWrite = (error?: unknown) => void;

/** Follows the writes of a process, because a read-only or full database still responds to queries. `now` is in epoch ms. */
export function createWriteHealth(tryWrite: () => Promise<void>, now: () => number) {
  let failure: { readonly sinceMs: number; readonly error: unknown } | undefined;
  let attempt = { atMs: Number.NEGATIVE_INFINITY, ended: Promise.resolve() };
  const observe: ObserveWrite = (error) => {
    failure = error === undefined ? undefined : { sinceMs: failure?.sinceMs ?? now(), error };
  };
  const isFailing = () => failure !== undefined && now() - failure.sinceMs >= readiness.failed_writes_seconds * 1_000;
  return {
    observe,
    /**
     * Resolves with the cause if writes have failed for 10 s and none succeeded, otherwise with undefined. Tries a write
     * first, because load balancers send no requests to a process that is not ready.
     */
    async findFailure(): Promise<string | undefined> {
      if (isFailing() && performance.now() >= attempt.atMs + tryEveryMs)
        attempt = { atMs: performance.now(), ended: tryWrite().then(() => observe(), observe) };
      await attempt.ended;
      if (!isFailing()) return undefined;
      return `the database accepts no writes: ${findRemedy(failure?.error) ?? 'see the log of the service'}`;
    },
  };
}
