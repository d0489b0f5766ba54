/** How each documented response of the real service comes about: a table of scenarios by operation and status. */
import { randomUUID } from 'node:crypto';
import { batch as batchLimits, body as bodyLimits, sources as sourceLimits, timestamps } from '../../generated/spec.js';
import type { OperationId } from '../../src/contract/contract.js';
import {
  ago,
  call,
  claimKey,
  createConsent,
  createDevice,
  createErasedSubject,
  createFact,
  createFailedDelivery,
  createLink,
  createSession,
  createShortToken,
  createAlertRule,
  createSourceKey,
  createSubject,
  createWebhook,
  reading,
  registration,
} from './data.js';
import type { BringAbout, Defer } from './run-dredd.js';
import {
  asDocumented,
  asText,
  atPath,
  commonScenarios,
  naming,
  type Scenario,
  type Scenarios,
  send,
  sendText,
  type Stage,
  unavailable,
  whileLocked,
  withDamagedTable,
  withNewKey,
  withoutKey,
  withoutScope,
  withSpentKey,
  withUnknownKey,
  withUnknownParameter,
} from './stage.js';
import type { World } from './world.js';

/** Returns a function that makes a delivery fail. It resolves with an id of the delivery. */
const failedDelivery = (name: 'id' | 'webhook_id') => async (world: World, defer: Defer) =>
  (await createFailedDelivery(world, defer))[name];

/** Scenarios of operations that only read. `table` is damaged or unavailable. */
const reads = (table: string) => ({
  401: withUnknownKey,
  403: withoutScope,
  422: withUnknownParameter,
  429: withSpentKey,
  500: withDamagedTable(table),
  503: unavailable(table),
});

/** Scenarios of operations that write. `table` is damaged, or all tables are locked. */
const writes = (table: string, ...further: string[]) => ({
  400: sendText('{'),
  401: withoutKey,
  403: withoutScope,
  413: sendText(' '.repeat(bodyLimits.max_bytes + 1)),
  415: asText,
  422: withUnknownParameter,
  429: withSpentKey,
  500: withDamagedTable(table),
  503: whileLocked(table, ...further),
});

/** Scenarios of operations on one webhook. */
const onWebhook = { ...writes('webhooks'), 401: withUnknownKey, 404: naming('id') };

/** Scenarios that precede every scenario of an operation. */
const firstSteps: Partial<Record<OperationId, Scenario>> = {
  ingest: changeExample({}),
  // One valid reading and an invalid one. Dredd sends either media type, with the documented example.
  ingestBatch: async ({ transaction: { request } }) => {
    const valid = reading(randomUUID(), 1);
    request.headers['Content-Type'] = 'application/json';
    request.body = JSON.stringify([valid, { ...valid, heart_rate: 'fast' }]);
  },
  submitFeedback: report({}),
  putFact: fact({}),
  submitSource: withSourceKey,
  getState: naming('session_id'),
  getHistory: naming('session_id'),
  getTriggers: naming('subject_id'),
  listFacts: naming('subject_id'),
  deleteFact: naming('subject_id'),
  listDevices: naming('subject_id'),
};

const scenarios: Scenarios = {
  ingest: {
    ...writes('sessions', 'session_readings'),
    200: async (stage) => {
      const session_id = await createSession(stage.world);
      await changeExample({ session_id, subject_id: session_id })(stage);
    },
    400: changeExample({ timestamp: ago(timestamps.max_age_seconds + 1) }),
    409: async (stage) => {
      const subject_id = await createErasedSubject(stage.world);
      const turn = { user_message: 'My exam is near.', ai_response: 'And?' };
      await changeExample({ subject_id, timestamp: ago(1), ...turn })(stage);
    },
    413: changeExample({ user_message: 'x'.repeat(bodyLimits.max_bytes) }),
    422: changeExample({ hrv_sdnn: 28, tone: 'cheerful', sentiment: 'negative' }),
  },
  ingestBatch: {
    ...writes('sessions', 'session_readings'),
    200: asDocumented,
    400: sendText('\n\n'),
    413: sendText(' '.repeat(batchLimits.max_bytes + 1)),
    // A batch in plain text is read if it begins like an array or like lines.
    415: async ({ transaction: { request } }) => void (request.headers['Content-Type'] = 'text/csv'),
  },
  getState: { ...reads('sessions'), 200: naming('session_id', createSession), 404: asDocumented },
  getHistory: { ...reads('sessions'), 200: naming('session_id', createSession), 404: asDocumented },
  streamEvents: {
    ...reads('stream_positions'),
    // The stream ends when its token expires.
    200: async ({ world, transaction: { request } }) => {
      delete request.headers['X-Service-Key'];
      request.headers['Authorization'] = `Bearer ${await createShortToken(world)}`;
    },
    401: withoutKey,
  },
  exportReadings: { ...reads('session_readings'), 200: naming('session_id', createSession), 404: naming('session_id') },
  submitSource: {
    ...writes('sessions', 'session_readings'),
    200: asDocumented,
    401: withoutKey,
    // Without its source, a key is that of any other operation.
    404: async (stage) => {
      stage.transaction.request.headers['X-Service-Key'] = stage.world.key;
      await atPath('/v1/sources/%C3')(stage);
    },
    413: sendText(' '.repeat(sourceLimits.max_bytes + 1)),
    415: async ({ transaction: { request } }) => void (request.headers['Content-Type'] = 'text/csv'),
    // The quota of the account with the key is used up.
    429: async ({ world, transaction: { request } }) => void (request.headers['X-Service-Key'] = world.spentSourceKey),
    500: async (stage) => {
      await sendLiveSample(stage);
      await withDamagedTable('session_readings')(stage);
    },
    503: async (stage) => {
      await sendLiveSample(stage);
      await whileLocked('sessions', 'session_readings')(stage);
    },
  },
  createSourceKey: { ...writes('source_keys', 'accounts'), 201: withOwnSubject },
  listSourceKeys: { ...reads('source_keys'), 200: ({ world }) => createSourceKey(world) },
  removeSourceKey: {
    ...writes('source_keys'),
    204: naming('id', async (world) => (await createSourceKey(world)).id),
    401: withUnknownKey,
    404: naming('id'),
  },
  createLink: {
    ...writes('person_links', 'accounts'),
    201: naming('subject_id'),
    404: atPath('/v1/subjects/%C0%80/links'),
  },
  listLinks: { ...reads('person_links'), 200: asDocumented, 404: atPath('/v1/subjects/%C0%80/links') },
  removeLink: {
    ...writes('person_links'),
    204: async (stage) => {
      const { subject_id, id } = await createLink(stage.world);
      await atPath(`/v1/subjects/${subject_id}/links/${id}`)(stage);
    },
    401: withUnknownKey,
    404: naming('link_id'),
  },
  createToken: {
    ...writes('api_keys'),
    200: asDocumented,
    // Only the key causes a database query in this operation. Keys are cached for a second, so the scenario uses a new
    // one.
    500: withNewKey(withDamagedTable('api_keys')),
    503: withNewKey(unavailable('api_keys')),
  },
  submitFeedback: {
    ...writes('sessions', 'feedback'),
    200: async (stage) => report({ session_id: await createSession(stage.world) })(stage),
    400: report({ timestamp: '2020-01-01T00:00:00Z' }),
    404: asDocumented,
    422: report({ stress: 11, note: 'text' }),
    503: async (stage) => {
      await report({ session_id: await createSession(stage.world) })(stage);
      await whileLocked('sessions', 'feedback')(stage);
    },
  },
  putFact: {
    ...writes('subjects', 'facts'),
    200: asDocumented,
    400: fact({ start: '2020-01-01T00:00:00Z', end: '2020-01-01T01:00:00Z' }),
    404: atPath('/v1/facts/%C3'),
    422: fact({ kind: 'nap' }),
  },
  deleteFact: {
    ...writes('subjects', 'facts'),
    204: async (stage) => {
      const { fact_id, subject_id } = await createFact(stage.world);
      await atPath(`/v1/facts/${fact_id}?subject_id=${subject_id}`)(stage);
    },
    401: withUnknownKey,
    404: asDocumented,
  },
  listFacts: { ...reads('facts'), 200: asDocumented },
  createDevice: {
    ...writes('devices', 'accounts'),
    200: async (stage) => {
      const { subject_id, name, kind } = await createDevice(stage.world);
      await send({ subject_id, name, kind })(stage);
    },
    201: async (stage) => send({ subject_id: randomUUID(), name: 'Left wrist', kind: 'watch' })(stage),
  },
  listDevices: { ...reads('devices'), 200: asDocumented },
  getDevice: {
    ...reads('devices'),
    200: async (stage) => atPath(`/v1/devices/${(await createDevice(stage.world)).device_id}`)(stage),
    404: asDocumented,
  },
  removeDevice: {
    ...reads('devices'),
    204: async (stage) => atPath(`/v1/devices/${(await createDevice(stage.world)).device_id}`)(stage),
    404: asDocumented,
  },
  listFeedback: { ...reads('feedback'), 200: asDocumented },
  getAgreement: { ...reads('feedback'), 200: asDocumented },
  getSubjectAgreement: { ...reads('subjects'), 200: naming('subject_id', createSubject), 404: naming('subject_id') },
  listSessions: { ...reads('sessions'), 200: ({ world }) => createSession(world) },
  getTriggers: { ...reads('triggers'), 200: naming('subject_id', createSubject), 404: asDocumented },
  getSubject: { ...reads('subjects'), 200: naming('subject_id', createSubject), 404: naming('subject_id') },
  listAccesses: { ...reads('access_subjects'), 200: naming('subject_id', createSubject), 404: naming('subject_id') },
  getConsent: { ...reads('consents'), 200: naming('subject_id', createConsent), 404: naming('subject_id') },
  putConsent: {
    ...writes('consents', 'subjects'),
    200: naming('subject_id'),
    404: atPath('/v1/subjects/nobody/consents'),
    409: naming('subject_id', createConsent),
  },
  listConsentVersions: { ...reads('consents'), 200: naming('subject_id', createConsent), 404: naming('subject_id') },
  getSubjectSummary: { ...reads('subjects'), 200: naming('subject_id', createSubject), 404: naming('subject_id') },
  deleteTrigger: {
    ...writes('subjects', 'triggers'),
    204: naming('subject_id', createSubject),
    401: withUnknownKey,
    404: naming('subject_id'),
  },
  deleteSubject: {
    ...writes('triggers', 'subjects', 'sessions'),
    200: naming('subject_id', createSubject),
    401: withUnknownKey,
    404: naming('subject_id'),
  },
  createAlertRule: {
    ...writes('alert_rules', 'accounts'),
    200: async (stage) => {
      const rule = { condition: 'stressed', subject_ids: [randomUUID()] };
      await call(stage.world, 'createAlertRule', { body: rule });
      await send(rule)(stage);
    },
    201: async (stage) => send({ condition: 'no_data', subject_ids: [randomUUID()] })(stage),
    422: send({ condition: 'no_data', minutes: 10 }),
  },
  listAlertRules: { ...reads('alert_rules'), 200: ({ world }) => createAlertRule(world) },
  removeAlertRule: {
    ...writes('alert_rules'),
    204: naming('id', createAlertRule),
    401: withUnknownKey,
    404: naming('id'),
  },
  registerWebhook: {
    ...writes('webhooks', 'accounts'),
    200: async (stage) => {
      const webhook = registration();
      await call(stage.world, 'registerWebhook', { body: webhook });
      await send(webhook)(stage);
    },
    201: async (stage) => send(registration())(stage),
    401: withUnknownKey,
    409: async (stage) => {
      const webhook = registration();
      await withClaimedKey(stage, webhook);
      await send(webhook)(stage);
    },
    413: send({ url: `https://example.com/${'x'.repeat(bodyLimits.max_bytes)}`, events: ['state_change'] }),
    422: send({ url: 'https://10.0.0.1/hooks', events: ['state_change', 'state_change'] }),
  },
  listWebhooks: { ...reads('webhooks'), 200: ({ world }) => createWebhook(world) },
  removeWebhook: { ...onWebhook, 204: naming('id', createWebhook) },
  rotateWebhookSecret: { ...onWebhook, 200: naming('id', createWebhook), 409: whileSameRequestRuns },
  testWebhook: { ...onWebhook, 202: naming('id', createWebhook), 409: whileSameRequestRuns },
  listDeliveries: { ...reads('deliveries'), 200: naming('webhook_id', failedDelivery('webhook_id')) },
  getDelivery: {
    ...reads('deliveries'),
    200: naming('delivery_id', failedDelivery('id')),
    404: naming('delivery_id'),
  },
  listFailedDeliveries: { ...reads('deliveries'), 200: naming('webhook_id', failedDelivery('webhook_id')) },
  retryDeliveries: {
    ...writes('deliveries'),
    202: async (stage) => {
      const { id } = await createFailedDelivery(stage.world, stage.defer);
      await send({ delivery_ids: [id] })(stage);
    },
    401: withUnknownKey,
    404: send({ webhook_id: 'wh_unknown' }),
    413: send({ delivery_ids: ['x'.repeat(bodyLimits.max_bytes)] }),
    422: send({ since: '2026-11-21T09:00:00.000Z' }),
  },
  getHealth: { 200: asDocumented, 422: withUnknownParameter },
  getReadiness: { 200: asDocumented, 422: withUnknownParameter, 503: unavailable('schema_migrations') },
  listReceiptKeys: { ...reads('receipt_keys'), 200: asDocumented },
};

/** Returns a function that arranges every documented response of the real service. */
export function bringAboutIn(world: World): BringAbout {
  return async (transaction, { operationId, status, needsKey }, defer) => {
    const table: Readonly<Record<string, Readonly<Record<string, Scenario>> | undefined>> = scenarios;
    const scenario = { ...commonScenarios, ...table[operationId] }[status];
    if (!scenario) throw new Error(`no scenario causes ${operationId} ${status}`);
    if (needsKey) transaction.request.headers['X-Service-Key'] = world.key;
    // Dredd sends the documented example of the key each time. Different requests would therefore use the same key.
    delete transaction.request.headers['Idempotency-Key'];
    // Dredd also sends the examples of optional parameters, but those of cursors and tokens are not valid.
    transaction.fullPath = new URL(transaction.fullPath, 'http://any').pathname;
    // Uses the current port, because each start of the service selects another port.
    transaction.port = new URL(world.service.url).port;
    const stage: Stage = { operationId: operationId as OperationId, world, transaction, defer };
    await firstSteps[stage.operationId]?.(stage);
    await scenario(stage);
  };
}

/** Sends a new source key of the documented source. */
async function withSourceKey({ world, transaction: { request } }: Stage): Promise<void> {
  request.headers['X-Service-Key'] = (await createSourceKey(world)).key ?? '';
}

async function sendLiveSample(stage: Stage): Promise<void> {
  const data = [{ date: ago(1), Min: 61, Avg: 64.5, Max: 71, source: 'Watch' }];
  await send({ data: { metrics: [{ name: 'heart_rate', units: 'count/min', data }] } })(stage);
}

/** Sends the documented example for another person, because a person has few source keys. */
async function withOwnSubject(stage: Stage): Promise<void> {
  await send({ subject_id: randomUUID(), source: 'health_auto_export', time_zone: 'Europe/Berlin' })(stage);
}

/** Another process runs the same request with the same idempotency key. */
async function whileSameRequestRuns(stage: Stage): Promise<void> {
  const id = await createWebhook(stage.world);
  await naming('id', async () => id)(stage);
  await withClaimedKey(stage, { id });
}

async function withClaimedKey({ operationId, world, transaction }: Stage, content: object): Promise<void> {
  transaction.request.headers['Idempotency-Key'] = await claimKey(world, operationId, content);
}

/** Sends a report about now and an unknown session, with some changed fields. */
function report(changes: object): Scenario {
  return async (stage) => send({ session_id: randomUUID(), timestamp: ago(0), stress: 7, ...changes })(stage);
}

/** Sends a fact of an hour ago, with some changed fields. */
function fact(changes: object): Scenario {
  return send({ subject_id: randomUUID(), kind: 'rest', start: ago(3600), end: ago(0), ...changes });
}

/** Sends the documented example with a current timestamp, a new session and some changed fields. */
function changeExample(changes: object): Scenario {
  return async (stage) => {
    const example = JSON.parse(stage.transaction.request.body ?? '{}') as object;
    await send({ ...example, session_id: randomUUID(), timestamp: ago(0), ...changes })(stage);
  };
}
