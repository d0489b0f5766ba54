import type { BodyOf, OperationId } from '../contract/contract.js';
import type { PreparedReading } from '../readings/prepared-reading.js';
import type { Post } from '../readings/post.js';
import { createLink } from './create-link.js';
import { createAlertRule } from './create-alert-rule.js';
import { createDevice } from './create-device.js';
import { createSourceKey } from './create-source-key.js';
import { createToken } from './create-token.js';
import { deleteFact } from './delete-fact.js';
import { deleteSubject } from './delete-subject.js';
import { deleteTrigger } from './delete-trigger.js';
import { exportReadings } from './export-readings.js';
import { getAgreement } from './get-agreement.js';
import { getConsent } from './get-consent.js';
import { getDelivery } from './get-delivery.js';
import { getDevice } from './get-device.js';
import { getHealth } from './get-health.js';
import { getHistory } from './get-history.js';
import { getReadiness } from './get-readiness.js';
import { getState } from './get-state.js';
import { getSubjectAgreement } from './get-subject-agreement.js';
import { getSubjectSummary } from './get-subject-summary.js';
import { getSubject } from './get-subject.js';
import { getTriggers } from './get-triggers.js';
import { ingestBatch, type PreparedBatch } from './ingest-batch.js';
import { ingest } from './ingest.js';
import { listAccesses } from './list-accesses.js';
import { listAlertRules } from './list-alert-rules.js';
import { listConsentVersions } from './list-consent-versions.js';
import { listDeliveries } from './list-deliveries.js';
import { listDevices } from './list-devices.js';
import { listFailedDeliveries } from './list-failed-deliveries.js';
import { listFacts } from './list-facts.js';
import { listFeedback } from './list-feedback.js';
import { listLinks } from './list-links.js';
import { listReceiptKeys } from './list-receipt-keys.js';
import { listSessions } from './list-sessions.js';
import { listSourceKeys } from './list-source-keys.js';
import { listWebhooks } from './list-webhooks.js';
import type { AnyOperation, OperationRecord, Services } from './operation.js';
import { putConsent } from './put-consent.js';
import { putFact } from './put-fact.js';
import { registerWebhook } from './register-webhook.js';
import { removeLink } from './remove-link.js';
import { removeAlertRule } from './remove-alert-rule.js';
import { removeDevice } from './remove-device.js';
import { removeSourceKey } from './remove-source-key.js';
import { removeWebhook } from './remove-webhook.js';
import { retryDeliveries } from './retry-deliveries.js';
import { rotateWebhookSecret } from './rotate-webhook-secret.js';
import { streamEvents } from './stream-events.js';
import { submitFeedback } from './submit-feedback.js';
import { submitSource } from './submit-source.js';
import { testWebhook } from './test-webhook.js';

/** The body that a handler gets. The intake replaces readings by prepared readings. */
type Handed<Op extends OperationId> = Op extends 'ingest'
  ? PreparedReading
  : Op extends 'ingestBatch'
    ? PreparedBatch
    : Op extends 'submitSource'
      ? Post
      : BodyOf<Op>;

/** Every operation of the contract, by operationId. A missing or mistyped operation does not compile. */
export const operations: { readonly [Op in OperationId]: OperationRecord<Op, keyof Services, Handed<Op>> } = {
  ingest,
  ingestBatch,
  getState,
  getHistory,
  getTriggers,
  getSubject,
  getSubjectSummary,
  listAccesses,
  createDevice,
  listDevices,
  getDevice,
  removeDevice,
  putFact,
  deleteFact,
  listFacts,
  submitFeedback,
  listFeedback,
  getAgreement,
  getSubjectAgreement,
  listSessions,
  getConsent,
  putConsent,
  listConsentVersions,
  deleteSubject,
  deleteTrigger,
  listReceiptKeys,
  createToken,
  submitSource,
  createSourceKey,
  listSourceKeys,
  removeSourceKey,
  createLink,
  listLinks,
  removeLink,
  streamEvents,
  exportReadings,
  createAlertRule,
  listAlertRules,
  removeAlertRule,
  registerWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  testWebhook,
  listFailedDeliveries,
  retryDeliveries,
  listDeliveries,
  getDelivery,
  getHealth,
  getReadiness,
};

/** Returns the operation for an input that was validated against the same operation. */
export function findOperation(operationId: OperationId): AnyOperation {
  return operations[operationId];
}
