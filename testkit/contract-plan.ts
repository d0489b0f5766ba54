import { randomUUID } from 'node:crypto';
import contract from '../generated/openapi.json' with { type: 'json' };
import { batch as batchLimits, body as bodyLimits, sources as sourceLimits } from '../generated/spec.js';
import type { Operation, Parameter } from '../packages/docs/contract.js';
import type { OperationId } from '../src/contract/contract.js';
import { buildRequest, type DocumentedRequest, operations } from './documented-requests.js';

const { PathNotFound } = contract.components.responses;

/** Test data of the check. All names are unique. */
export interface Own {
  readonly session_id: string;
  readonly subject_id: string;
  /** A URL in a reserved domain (RFC 2606), so that no delivery reaches a real server. */
  readonly url: string;
  /** Id of the webhook. Empty before the webhook is registered. */
  webhookId: string;
  /** Id of the alert rule. Empty before it is created. */
  alertId: string;
  /** Id of the source key, and the key. Empty before it is created. */
  sourceKeyId: string;
  sourceKey: string;
  /** Id of the test event. Empty before the event is queued. */
  deliveryId: string;
  /** Id of the device of the person. Empty before it is created. */
  deviceId: string;
  /** Id of the link of the person. Empty before it is created. */
  linkId: string;
  /** The time of the service in epoch ms. */
  readonly now: () => number;
}

export interface Asked {
  /** Method and path, e.g. `POST /v1/ingest`. */
  readonly operation: string;
  readonly status: number;
  /** The status instead, if the account records no consent, or the service gives no links. */
  readonly statusIfOff?: number | undefined;
  /** Creates the request. Called just before the request is sent. */
  readonly request: (own: Own) => Sent;
}

export interface Sent extends Pick<DocumentedRequest, 'path' | 'init'> {
  /** Sent instead of the key of the account. Null: the request has no key. */
  readonly key?: string | null;
}

export function newOwn(now = Date.now): Own {
  const name = `contract-check-${randomUUID()}`;
  const noIds = {
    webhookId: '',
    alertId: '',
    deliveryId: '',
    deviceId: '',
    linkId: '',
    sourceKeyId: '',
    sourceKey: '',
  };
  return { session_id: name, subject_id: name, url: `https://${name}.invalid/hooks`, ...noIds, now };
}

/** Returns names and ids that do not exist. */
function newAbsent(): Own {
  const ids = { webhookId: 'wh_none', alertId: 'alr_none', deliveryId: 'dlv_none', linkId: 'lnk_none' };
  return { ...newOwn(), ...ids, sourceKeyId: 'srk_none', deviceId: 'watch_000000000000' };
}

type Created = Readonly<Record<'id' | 'key' | 'delivery_id' | 'device_id', string>>;

/** What later requests need from the successful response to a request. */
const learned: Readonly<Record<string, (body: Created) => Partial<Own>>> = {
  'POST /webhooks/register': ({ id }) => ({ webhookId: id }),
  'POST /v1/alerts': ({ id }) => ({ alertId: id }),
  'POST /v1/source-keys': ({ id, key }) => ({ sourceKeyId: id, sourceKey: key }),
  'POST /v1/devices': ({ device_id }) => ({ deviceId: device_id }),
  'POST /v1/subjects/{subject_id}/links': ({ id }) => ({ linkId: id }),
  'POST /webhooks/{id}/test': ({ delivery_id }) => ({ deliveryId: delivery_id }),
};

/** Keeps the ids of a successful response for later requests. */
export function learn(own: Own, { operation }: Asked, body: unknown): void {
  Object.assign(own, learned[operation]?.(body as Created));
}

const at = ({ now }: Own, secondsAgo = 0) => new Date(now() - secondsAgo * 1000).toISOString();

/** Bodies that later requests require. Any other body is the first example of the contract, with the names of `Own`. */
const bodies: Partial<Record<OperationId, (own: Own) => object>> = {
  ingest: (own) => ({
    ...{ session_id: own.session_id, subject_id: own.subject_id, timestamp: at(own), heart_rate: 88, tone: 'tense' },
    ...{ user_message: 'My exam is tomorrow.', ai_response: 'Which part of the exam worries you?' },
  }),
  ingestBatch: (own) =>
    [70, 72].map((heart_rate, seconds) => {
      const { session_id, subject_id } = own;
      return { session_id, subject_id, timestamp: at(own, 60 - seconds), heart_rate, backfill: true };
    }),
  putConsent: (own) => ({ categories: [], purposes: [], context: 'personal', event_time: at(own) }),
  putFact: (own) => ({ subject_id: own.subject_id, kind: 'rest', start: at(own, 60), end: at(own) }),
  retryDeliveries: ({ webhookId }) => ({ webhook_id: webhookId }),
};

/** Statuses of these successful requests if the mode of consent is off, or PUBLIC_URL is absent. */
const ifOff: Partial<Record<string, number>> = {
  ...{ putConsent: 409, getConsent: 404, listConsentVersions: 404 },
  ...{ createLink: 422, removeLink: 404 },
};

const isBatch = ({ path }: Sent) => path.startsWith('/v1/ingest/batch');
const withBody = (sent: Sent, body: string): Sent => ({ ...sent, init: { ...sent.init, body } });

/**
 * Functions that modify a valid request so that it is rejected with the status. Any client can cause these statuses. The
 * statuses 429, 500 and 503 require a special situation.
 */
const refused = {
  400: (sent: Sent) => withBody(sent, isBatch(sent) ? '\n\n' : '{"session_id":'),
  401: (sent: Sent) => ({ ...sent, key: null }),
  404: (sent: Sent) => sent,
  405: (sent: Sent) => ({ ...sent, init: { ...sent.init, method: 'PATCH' } }),
  413: (sent: Sent) => {
    const { max_bytes } = sent.key === undefined ? (isBatch(sent) ? batchLimits : bodyLimits) : sourceLimits;
    return withBody(sent, JSON.stringify({ padding: 'x'.repeat(max_bytes) }));
  },
  415: (sent: Sent) => ({ ...sent, init: { ...sent.init, headers: { 'Content-Type': 'text/csv' } } }),
  422: (sent: Sent) => ({ ...sent, path: `${sent.path}${sent.path.includes('?') ? '&' : '?'}unexpected=1` }),
};

/** Returns every documented response that a client can cause, then undocumented methods and an unknown path. */
export function plan(): Asked[] {
  const notOffered = [...new Set(operations.map(({ path }) => path))].map((path) => ({
    ...{ operation: `PATCH ${path}`, status: 405 },
    request: () => toSent('PATCH', String(path).replace(/\{\w+\}/g, 'none')),
  }));
  const unknown = { operation: 'GET /nowhere', status: 404, request: () => toSent('GET', '/nowhere') };
  return [...listInOrder().flatMap(listResponses), ...notOffered, unknown];
}

/**
 * Returns the operations: first those that create data, then those that read it, then those that remove it, in reverse
 * order, and at last the erasure of the person, which removes all data.
 */
function listInOrder(): Operation[] {
  const of = (...methods: string[]) => operations.filter(({ method }) => methods.includes(method));
  const isErasure = ({ id }: Operation) => Number(id === 'deleteSubject');
  const removals = of('DELETE').reverse();
  return [...of('POST', 'PUT'), ...of('GET'), ...removals.sort((a, b) => isErasure(a) - isErasure(b))];
}

/** Returns the errors of an operation, then its successful responses. */
function listResponses(it: Operation): Asked[] {
  const operation = `${it.method} ${it.path}`;
  const statuses = it.answers.map(({ status }) => Number(status));
  const isRefusal = (status: number): status is keyof typeof refused => status in refused;
  const errors = statuses.filter(isRefusal).map((status) => ({
    ...{ operation, status },
    request: (own: Own) => refused[status](status === 404 ? requestAbsent(it) : requestOf(it, own)),
  }));
  const answered = statuses.filter((status) => status < 300).sort((a, b) => b - a);
  const successes = answered.map((status) => ({
    ...{ operation, status, statusIfOff: ifOff[it.id] },
    request: (own: Own) => requestOf(it, own),
  }));
  return [...errors, ...successes];
}

/** Returns a request of what does not exist. An operation that accepts any name gets a path that cannot be decoded. */
function requestAbsent(operation: Operation): Sent {
  const { method, path = '', answers } = operation;
  const { key: _, ...sent } = requestOf(operation, newAbsent());
  const { description } = answers.find(({ status }) => status === '404') ?? {};
  // A PUT creates what it names.
  const isAnyName = method === 'PUT' || description === PathNotFound.description;
  return isAnyName ? { ...sent, path: path.replace(/\{\w+\}/, '%C3') } : sent;
}

function requestOf(operation: Operation, own: Own): Sent {
  const { id, path = '', parameters } = operation;
  const idsByPath = { '/v1/source-keys': own.sourceKeyId, '/v1/alerts': own.alertId };
  const [, ownId = own.webhookId] = Object.entries(idsByPath).find(([start]) => path.startsWith(start)) ?? [];
  const { session_id, subject_id, url, deliveryId: delivery_id, linkId: link_id, deviceId: device_id } = own;
  const ids = { delivery_id, link_id, device_id, fact_id: subject_id, id: ownId };
  const values = { session_id, subject_id, url, ...ids, timestamp: at(own) };
  // A list of the account may contain data of others: the first name restricts it.
  const owner = parameters.find(({ in: place, name }) => place === 'query' && /^(session|subject)_id$/.test(name));
  const isSent = (it: Parameter) => it.required === true || it === owner;
  const body = bodies[id as OperationId]?.(own);
  return {
    ...buildRequest(operation, { isSent, values, body }),
    ...(id === 'submitSource' && { key: own.sourceKey }),
  };
}

function toSent(method: string, path: string): Sent {
  return { path, init: { method, headers: {} } };
}
