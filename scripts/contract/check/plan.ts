import { randomUUID } from 'node:crypto';
import { batch as batchLimits, body as bodyLimits } from '../../../generated/spec.js';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import type { OperationId } from '../../../src/contract/contract.js';

/** Test data of the check. All names are unique. */
export interface Own {
  readonly session_id: string;
  readonly subject_id: string;
  /** A URL in a reserved domain (RFC 2606), so that no delivery reaches a real server. */
  readonly url: string;
  /** Id of the webhook. Empty before the webhook is registered. */
  webhookId: string;
  /** Id of the test event. Empty before the event is queued. */
  deliveryId: string;
}

export interface Asked {
  /** Method and path, e.g. `POST /v1/ingest`. */
  readonly operation: string;
  readonly status: number;
  /** The status instead, if the account records no consent. */
  readonly statusWithoutConsent?: number | undefined;
  /** Creates the request. Called just before the request is sent. */
  readonly request: (own: Own) => Sent;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly withoutKey?: boolean;
}

interface Happy {
  readonly path: string;
  /** An array is sent as NDJSON, an object as JSON. */
  readonly body?: object;
}

/**
 * Error statuses that any client can cause. The statuses 429, 500 and 503 are excluded, because they require a special
 * situation.
 */
const refusals = [400, 401, 404, 405, 413, 415, 422] as const;
type Refusal = (typeof refusals)[number];

export function newOwn(): Own {
  const name = `contract-check-${randomUUID()}`;
  return { session_id: name, subject_id: name, url: `https://${name}.invalid/hooks`, webhookId: '', deliveryId: '' };
}

const consent = { categories: [], purposes: [], context: 'personal', event_time: new Date().toISOString() };

/** Successful requests in the order of execution. Requests that remove data come last. */
const happy: { readonly [Op in OperationId]: (own: Own) => Happy } = {
  getHealth: () => ({ path: '/healthz' }),
  getReadiness: () => ({ path: '/readyz' }),
  listReceiptKeys: () => ({ path: '/v1/receipt-keys' }),
  ingest: ({ session_id, subject_id }) => ({
    path: '/v1/ingest',
    body: {
      ...{ session_id, subject_id, timestamp: new Date().toISOString(), heart_rate: 88, tone: 'tense' },
      ...{ user_message: 'My exam is tomorrow.', ai_response: 'Which part of the exam worries you?' },
    },
  }),
  ingestBatch: ({ session_id, subject_id }) => ({
    path: '/v1/ingest/batch',
    body: [70, 72].map((heart_rate, seconds) => {
      const timestamp = new Date(Date.now() - (60 - seconds) * 1000).toISOString();
      return { session_id, subject_id, timestamp, heart_rate, backfill: true };
    }),
  }),
  getState: ({ session_id }) => ({ path: `/v1/state?session_id=${session_id}` }),
  getHistory: ({ session_id }) => ({ path: `/v1/history?session_id=${session_id}&minutes=5` }),
  streamEvents: ({ session_id }) => ({ path: `/v1/stream?session_id=${session_id}` }),
  exportReadings: ({ session_id }) => ({ path: `/v1/export?session_id=${session_id}` }),
  createToken: ({ session_id }) => ({ path: '/v1/tokens', body: { session_id, scopes: ['read'] } }),
  submitFeedback: ({ session_id }) => ({
    path: '/v1/feedback',
    body: { session_id, timestamp: new Date().toISOString(), stress: 7 },
  }),
  listFeedback: ({ subject_id }) => ({ path: `/v1/feedback?subject_id=${subject_id}` }),
  getAgreement: () => ({ path: '/v1/agreement' }),
  getSubjectAgreement: ({ subject_id }) => ({ path: `/v1/subjects/${subject_id}/agreement` }),
  listSessions: ({ subject_id }) => ({ path: `/v1/sessions?subject_id=${subject_id}` }),
  getTriggers: ({ subject_id }) => ({ path: `/v1/triggers?subject_id=${subject_id}` }),
  putConsent: ({ subject_id }) => ({ path: `/v1/subjects/${subject_id}/consent`, body: consent }),
  getConsent: ({ subject_id }) => ({ path: `/v1/subjects/${subject_id}/consent` }),
  listConsentVersions: ({ subject_id }) => ({ path: `/v1/subjects/${subject_id}/consent/versions` }),
  getSubject: ({ subject_id }) => ({ path: `/v1/subjects/${subject_id}` }),
  getSubjectSummary: ({ subject_id }) => ({
    path: `/v1/subjects/${subject_id}/summary?interval=day&time_zone=Europe/Vienna`,
  }),
  listAccesses: ({ subject_id }) => ({ path: `/v1/subjects/${subject_id}/accesses` }),
  registerWebhook: ({ url, session_id }) => ({
    path: '/webhooks/register',
    body: { url, session_id, events: ['state_change'] },
  }),
  listWebhooks: () => ({ path: '/webhooks' }),
  testWebhook: ({ webhookId }) => ({ path: `/webhooks/${webhookId}/test` }),
  rotateWebhookSecret: ({ webhookId }) => ({ path: `/webhooks/${webhookId}/rotate-secret` }),
  listDeliveries: ({ session_id }) => ({ path: `/webhooks/deliveries?session_id=${session_id}` }),
  getDelivery: ({ deliveryId }) => ({ path: `/webhooks/deliveries/${deliveryId}` }),
  listFailedDeliveries: ({ session_id }) => ({ path: `/webhooks/retries?session_id=${session_id}` }),
  retryDeliveries: ({ webhookId }) => ({ path: '/webhooks/retries', body: { webhook_id: webhookId } }),
  removeWebhook: ({ webhookId }) => ({ path: `/webhooks/${webhookId}` }),
  deleteTrigger: ({ subject_id }) => ({ path: `/v1/subjects/${subject_id}/triggers/exams` }),
  deleteSubject: ({ subject_id }) => ({ path: `/v1/subjects/${subject_id}` }),
};

/** Statuses of these successful requests if the mode of consent is off. */
const withoutConsent: Partial<Record<OperationId, number>> = {
  putConsent: 409,
  getConsent: 404,
  listConsentVersions: 404,
};

/** Functions that modify a valid request so that it is rejected with the status. */
const refused: { readonly [Status in Refusal]: (sent: Sent) => Partial<Sent> } = {
  400: ({ contentType }) => ({ body: contentType ? '\n\n' : '{"session_id":' }),
  401: () => ({ withoutKey: true }),
  404: () => ({}),
  405: () => ({ method: 'PATCH' }),
  413: ({ contentType }) => ({
    body: JSON.stringify({ padding: 'x'.repeat(contentType ? batchLimits.max_bytes : bodyLimits.max_bytes) }),
  }),
  415: () => ({ contentType: 'text/plain' }),
  422: ({ path }) => ({ path: `${path}${path.includes('?') ? '&' : '?'}unexpected=1` }),
};

/** Returns every documented response that a client can cause, then undocumented methods and an unknown path. */
export function plan(): Asked[] {
  const asked = operations().flatMap(({ operationId, method, operation, statuses }) => {
    const answered = statuses.filter((status) => status < 300).sort((a, b) => b - a);
    const isRefusal = (status: number): status is Refusal => (refusals as readonly number[]).includes(status);
    return [
      ...statuses.filter(isRefusal).map((status) => ({
        ...{ operation, status },
        request: (own: Own) => {
          const sent = requestOf(
            operationId,
            method,
            status === 404 ? { ...newOwn(), webhookId: 'wh_none', deliveryId: 'dlv_none' } : own,
          );
          return { ...sent, ...refused[status](sent) };
        },
      })),
      ...answered.map((status) => ({
        ...{ operation, status, statusWithoutConsent: withoutConsent[operationId] },
        request: (own: Own) => requestOf(operationId, method, own),
      })),
    ];
  });
  const notOffered = Object.keys(contract.paths).map((path) => ({
    ...{ operation: `PATCH ${path}`, status: 405 },
    request: () => ({ method: 'PATCH', path: path.replace(/\{\w+\}/g, 'none') }),
  }));
  const unknown = { operation: 'GET /nowhere', status: 404, request: () => ({ method: 'GET', path: '/nowhere' }) };
  return [...asked, ...notOffered, unknown];
}

function requestOf(operationId: OperationId, method: string, own: Own): Sent {
  const { path, body } = happy[operationId](own);
  if (Array.isArray(body)) {
    const lines = body.map((line) => `${JSON.stringify(line)}\n`).join('');
    return { method, path, body: lines, contentType: 'application/x-ndjson' };
  }
  return { method, path, ...(body && { body: JSON.stringify(body) }) };
}

/** Returns the operations of the contract in the order of `happy`. */
function operations() {
  const order = Object.keys(happy);
  return Object.entries(contract.paths)
    .flatMap(([path, item]) =>
      Object.entries(item as Record<string, { operationId: string; responses: object }>).map(([method, it]) => ({
        operationId: it.operationId as OperationId,
        method: method.toUpperCase(),
        operation: `${method.toUpperCase()} ${path}`,
        statuses: Object.keys(it.responses).map(Number),
      })),
    )
    .sort((a, b) => order.indexOf(a.operationId) - order.indexOf(b.operationId));
}
