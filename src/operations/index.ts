import type { Operations } from '../contract.js';
import type { Submitted } from '../ingest/submitted.js';
import { deleteSubject } from './delete-subject.js';
import { getHealth } from './get-health.js';
import { getHistory } from './get-history.js';
import { getReadiness } from './get-readiness.js';
import { getState } from './get-state.js';
import { getTriggers } from './get-triggers.js';
import { ingest } from './ingest.js';
import { listFailedDeliveries } from './list-failed-deliveries.js';
import { listWebhooks } from './list-webhooks.js';
import { registerWebhook } from './register-webhook.js';
import { removeWebhook } from './remove-webhook.js';
import { retryDeliveries } from './retry-deliveries.js';
import { rotateWebhookSecret } from './rotate-webhook-secret.js';
import type { Services } from './services.js';
import { testWebhook } from './test-webhook.js';

/** Every operation of the contract, by its operationId; one that is missing or odd does not compile. */
export function createOperations(services: Services): Operations<Submitted> {
  return {
    ingest: ingest(services),
    getState: getState(services),
    getHistory: getHistory(services),
    getTriggers: getTriggers(services),
    deleteSubject: deleteSubject(services),
    registerWebhook: registerWebhook(services),
    listWebhooks: listWebhooks(services),
    removeWebhook: removeWebhook(services),
    rotateWebhookSecret: rotateWebhookSecret(services),
    testWebhook: testWebhook(services),
    listFailedDeliveries: listFailedDeliveries(services),
    retryDeliveries: retryDeliveries(services),
    getHealth: getHealth(),
    getReadiness: getReadiness(services),
  };
}
