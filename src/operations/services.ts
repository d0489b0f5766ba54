import type { Ingest } from '../ingest/ingest.js';
import type { Store } from '../store/store.js';

/** What operations work with. */
export interface Services {
  readonly store: Store;
  readonly ingest: Ingest;
  /** The time, epoch ms. */
  readonly now: () => number;
  readonly maxTimestampAgeMs: number;
}
