import { cachedFor } from './cached-for.js';
import { inTime, probeMs } from './in-time.js';

/** State of this process for load balancers and metrics. */
export interface Standing {
  /** True if the database responds. */
  readonly isUp: boolean;
  readonly isWritable: boolean;
  /** Why the process is not ready. Undefined if it is ready. */
  readonly cause: string | undefined;
}

export interface ReadinessParts {
  /** Rejects if the database is unavailable. */
  readonly checkDatabase: () => Promise<Standing>;
  /** True from the first moment of a shutdown. */
  readonly isLeaving: () => boolean;
}

/** How long a probe of the database is shared, ms, so that one scrape makes one query. */
const sharedForMs = 500;

const silent: Standing = { isUp: false, isWritable: false, cause: 'the database does not respond' };

/** A database that does not respond within the time limit counts as unavailable. */
export function createReadiness({ checkDatabase, isLeaving }: ReadinessParts): () => Promise<Standing> {
  const probe = cachedFor(
    sharedForMs,
    () => performance.now(),
    () => inTime(checkDatabase(), probeMs).catch(() => silent),
  );
  return async () => ({ ...(await probe()), ...(isLeaving() && { cause: 'the process is shutting down' }) });
}
