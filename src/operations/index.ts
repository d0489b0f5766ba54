import type { Operations } from '../contract.js';
import { deleteSubject } from './delete-subject.js';
import { getHealth } from './get-health.js';
import { getHistory } from './get-history.js';
import { getReadiness } from './get-readiness.js';
import { getState } from './get-state.js';
import { getTriggers } from './get-triggers.js';
import { ingest } from './ingest.js';
import type { Services } from './services.js';

/** Every operation of the contract, by its operationId; one that is missing or odd does not compile. */
export function createOperations(services: Services): Operations {
  return {
    ingest: ingest(services),
    getState: getState(services),
    getHistory: getHistory(services),
    getTriggers: getTriggers(services),
    deleteSubject: deleteSubject(services),
    getHealth: getHealth(),
    getReadiness: getReadiness(services),
  };
}
