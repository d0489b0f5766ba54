import type { BodyOf, Operation, OperationId } from '../contract.js';
import type { PreparedReading } from '../ingest/prepared-reading.js';
import { createToken } from './create-token.js';
import { deleteSubject } from './delete-subject.js';
import { getDelivery } from './get-delivery.js';
import { getHealth } from './get-health.js';
import { getHistory } from './get-history.js';
import { getReadiness } from './get-readiness.js';
import { getState } from './get-state.js';
import { getSubject } from './get-subject.js';
import { getTriggers } from './get-triggers.js';
import { ingest } from './ingest.js';
import { ingestBatch, type PreparedBatch } from './ingest-batch.js';
import { listDeliveries } from './list-deliveries.js';
import { listFailedDeliveries } from './list-failed-deliveries.js';
import { listWebhooks } from './list-webhooks.js';
import { listSessions } from './list-sessions.js';
import { registerWebhook } from './register-webhook.js';
import { removeWebhook } from './remove-webhook.js';
import { retryDeliveries } from './retry-deliveries.js';
import { rotateWebhookSecret } from './rotate-webhook-secret.js';
import type { Services } from './services.js';
import { testWebhook } from './test-webhook.js';

/** Bodies that a preparation replaces before dispatch. All other operations get the body as in the contract. */
interface PreparedBodies {
  readonly ingest: PreparedReading;
  readonly ingestBatch: PreparedBatch;
}

/** Operations with a single response. The HTTP part serves the stream and exports. */
type DispatchedId = Exclude<OperationId, 'streamEvents' | 'exportReadings'>;

export type Operations = {
  readonly [Op in DispatchedId]: Operation<Op, Op extends keyof PreparedBodies ? PreparedBodies[Op] : BodyOf<Op>>;
};

/** Returns every operation of the contract, by operationId. A missing or mistyped operation does not compile. */
export function createOperations(services: Services): Operations {
  return {
    ingest: ingest(services),
    ingestBatch: ingestBatch(services),
    getState: getState(services),
    getHistory: getHistory(services),
    createToken: createToken(services),
    listSessions: listSessions(services),
    getTriggers: getTriggers(services),
    getSubject: getSubject(services),
    deleteSubject: deleteSubject(services),
    registerWebhook: registerWebhook(services),
    listWebhooks: listWebhooks(services),
    removeWebhook: removeWebhook(services),
    rotateWebhookSecret: rotateWebhookSecret(services),
    testWebhook: testWebhook(services),
    listFailedDeliveries: listFailedDeliveries(services),
    retryDeliveries: retryDeliveries(services),
    listDeliveries: listDeliveries(services),
    getDelivery: getDelivery(services),
    getHealth: getHealth(),
    getReadiness: getReadiness(services),
  };
}
