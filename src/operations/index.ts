import type { Operations } from '../contract.js';
import type { Ingest } from '../ingest/ingest.js';
import type { Store } from '../store/store.js';
import { getHealth } from './get-health.js';
import { getHistory } from './get-history.js';
import { getReadiness } from './get-readiness.js';
import { getState } from './get-state.js';
import { ingest } from './ingest.js';

/** What operations work with. */
export interface Services {
  readonly store: Store;
  readonly ingest: Ingest;
  /** The time, epoch ms. */
  readonly now: () => number;
  readonly maxTimestampAgeMs: number;
}

/** Every operation of the contract, by its operationId; one that is missing or odd does not compile. */
export function createOperations(services: Services): Operations {
  return {
    ingest: ingest(services),
    getState: getState(services),
    getHistory: getHistory(services),
    getHealth: getHealth(),
    getReadiness: getReadiness(services),
  };
}
