import { randomUUID } from 'node:crypto';
import { batch as batchLimits, body as bodyLimits, sources as sourceLimits } from '../../../generated/spec.js';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import type { OperationId } from '../../../src/contract/contract.js';
import { type Reference, resolve } from '../../../testkit/reference.js';

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
  /** Sent instead of the key of the account. */
  readonly key?: string;
}

interface Operation {
  readonly operationId: OperationId;
  readonly parameters?: ReadonlyArray<Reference | Parameter>;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly examples: Readonly<Record<string, unknown>> }>>;
  };
  readonly responses: object;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

/**
 * Error statuses that any client can cause. The statuses 429, 500 and 503 are excluded, because they require a special
 * situation.
 */
const refusals = [400, 401, 404, 405, 413, 415, 422] as const;
type Refusal = (typeof refusals)[number];

const noSourceKey = { sourceKeyId: '', sourceKey: '' };

export function newOwn(): Own {
  const name = `contract-check-${randomUUID()}`;
  return {
    session_id: name,
    subject_id: name,
    url: `https://${name}.invalid/hooks`,
    webhookId: '',
    alertId: '',
    deliveryId: '',
    ...noSourceKey,
  };
}

const consent = { categories: [], purposes: [], context: 'personal', event_time: new Date().toISOString() };

/** Bodies that later requests require. Any other body is the first example of the contract, with the names of `Own`. */
const bodies: Partial<Record<OperationId, (own: Own) => object>> = {
  ingest: ({ session_id, subject_id }) => ({
    ...{ session_id, subject_id, timestamp: new Date().toISOString(), heart_rate: 88, tone: 'tense' },
    ...{ user_message: 'My exam is tomorrow.', ai_response: 'Which part of the exam worries you?' },
  }),
  ingestBatch: ({ session_id, subject_id }) =>
    [70, 72].map((heart_rate, seconds) => {
      const timestamp = new Date(Date.now() - (60 - seconds) * 1000).toISOString();
      return { session_id, subject_id, timestamp, heart_rate, backfill: true };
    }),
  putConsent: () => consent,
  retryDeliveries: ({ webhookId }) => ({ webhook_id: webhookId }),
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
  // A PUT creates what it names, so only its path can be unknown.
  404: ({ method, path }) => (method === 'PUT' ? { path: `${path}s` } : {}),
  405: () => ({ method: 'PATCH' }),
  413: ({ contentType, key }) => {
    const { max_bytes } = key === undefined ? (contentType ? batchLimits : bodyLimits) : sourceLimits;
    return { body: JSON.stringify({ padding: 'x'.repeat(max_bytes) }) };
  },
  415: () => ({ contentType: 'text/csv' }),
  422: ({ path }) => ({ path: `${path}${path.includes('?') ? '&' : '?'}unexpected=1` }),
};

/** Returns every documented response that a client can cause, then undocumented methods and an unknown path. */
export function plan(): Asked[] {
  const asked = operations().flatMap(({ path, method, it, statuses }) => {
    const operation = `${method} ${path}`;
    const answered = statuses.filter((status) => status < 300).sort((a, b) => b - a);
    const isRefusal = (status: number): status is Refusal => (refusals as readonly number[]).includes(status);
    return [
      ...statuses.filter(isRefusal).map((status) => ({
        ...{ operation, status },
        request: (own: Own) => {
          const sent = requestOf(
            path,
            method,
            it,
            status === 404
              ? {
                  ...newOwn(),
                  webhookId: 'wh_none',
                  alertId: 'alr_none',
                  deliveryId: 'dlv_none',
                  sourceKeyId: 'srk_none',
                }
              : own,
          );
          return { ...sent, ...refused[status](sent) };
        },
      })),
      ...answered.map((status) => ({
        ...{ operation, status, statusWithoutConsent: withoutConsent[it.operationId] },
        request: (own: Own) => requestOf(path, method, it, own),
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

function requestOf(path: string, method: string, operation: Operation, own: Own): Sent {
  const idsByPath = { '/v1/source-keys': own.sourceKeyId, '/v1/alerts': own.alertId };
  const [, id = own.webhookId] = Object.entries(idsByPath).find(([start]) => path.startsWith(start)) ?? [];
  const values: Readonly<Record<string, unknown>> = {
    ...{ session_id: own.session_id, subject_id: own.subject_id, url: own.url },
    id,
    ...{ delivery_id: own.deliveryId, topic: 'exams', timestamp: new Date().toISOString() },
  };
  const parameters = (operation.parameters ?? []).map((it) => resolve<Parameter>(contract, it));
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(values[name] ?? exampleOf(parameters, name)),
  );
  // A list of the account may contain data of others: the first name restricts it.
  const queried = parameters.filter((it) => it.in === 'query');
  const [owner] = queried.filter(({ name }) => ['session_id', 'subject_id'].includes(name));
  const query = queried.filter((it) => it.required || it === owner);
  const text = query.map(({ name }) => `${name}=${String(values[name] ?? exampleOf(parameters, name))}`).join('&');
  const body = bodies[operation.operationId]?.(own) ?? createExampleBody(operation, values);
  const ofSource = operation.operationId === 'submitSource' && { key: own.sourceKey };
  const sent = { method, path: text ? `${target}?${text}` : target, ...ofSource };
  if (!Array.isArray(body)) return { ...sent, ...(body && { body: JSON.stringify(body) }) };
  const lines = body.map((line) => `${JSON.stringify(line)}\n`).join('');
  return { ...sent, body: lines, contentType: 'application/x-ndjson' };
}

function exampleOf(parameters: readonly Parameter[], name: string): unknown {
  return parameters.find((it) => it.name === name)?.example;
}

/** Returns the first example of the body, with the values of fields that it has. */
function createExampleBody({ requestBody }: Operation, values: Readonly<Record<string, unknown>>): object | undefined {
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
  if (example === undefined) return undefined;
  const { value } = resolve<{ value: object }>(contract, example as Reference);
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, values[name] ?? it]));
}

/** Returns the operations: first those that create data, then those that read it, then those that remove it, in reverse order. */
function operations() {
  const all = Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item as unknown as Record<string, Operation>).map(([verb, it]) => ({
      ...{ path, method: verb.toUpperCase(), it, statuses: Object.keys(it.responses).map(Number) },
    })),
  );
  const of = (...methods: string[]) => all.filter(({ method }) => methods.includes(method));
  return [...of('POST', 'PUT'), ...of('GET'), ...of('DELETE').reverse()];
}
