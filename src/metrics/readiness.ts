import { cachedFor } from './cached-for.js';
import { inTime, probeMs } from './in-time.js';

export interface ReadinessParts {
  /** Resolves with true if the schema is current. Rejects if the database is unavailable. */
  readonly isSchemaCurrent: () => Promise<boolean>;
  /** True from the first moment of a shutdown. */
  readonly isLeaving: () => boolean;
}

/** State of this process for load balancers and metrics. */
export interface Readiness {
  isDatabaseUp(): Promise<boolean>;
  /** True if the database responds, its schema is current, and no shutdown has begun. */
  isReady(): Promise<boolean>;
}

/** How long a probe of the database is shared, ms, so that one scrape makes one query. */
const sharedForMs = 500;

/** A database that does not respond within the time limit counts as unavailable. */
export function createReadiness({ isSchemaCurrent, isLeaving }: ReadinessParts): Readiness {
  const probe = cachedFor(
    sharedForMs,
    () => performance.now(),
    async () => {
      try {
        return { isUp: true, isCurrent: await inTime(isSchemaCurrent(), probeMs) };
      } catch {
        return { isUp: false, isCurrent: false };
      }
    },
  );
  return {
    isDatabaseUp: async () => (await probe()).isUp,
    isReady: async () => (await probe()).isCurrent && !isLeaving(),
  };
}
