import { randomBytes, randomUUID } from 'node:crypto';
import { batch as batchLimits, body as bodyLimits, timestamps } from '../../generated/spec.js';
import type { Transaction } from './dredd.js';
import { ago, reading, sessionWithData, subjectWithConsent, subjectWithTopic } from './readings.js';
import type { BringAbout } from './run-dredd.js';
import {
  asDocumented,
  commonScenarios,
  type Scenario,
  type Scenarios,
  setQuery,
  type Stage,
  unavailable,
  whileLocked,
  withoutKey,
  withoutScope,
  withSpentKey,
  withoutTable,
  withUnknownKey,
  withUnknownParameter,
} from './stage.js';
import { asText, webhookScenarios, withoutJson } from './webhook-scenarios.js';
import type { World } from './world.js';

const scenarios: Scenarios = {
  ingest: {
    200: async ({ world, transaction }) => {
      const session_id = await sessionWithData(world);
      submit(transaction, { session_id, subject_id: session_id });
    },
    400: async ({ transaction }) => submit(transaction, { timestamp: ago(timestamps.max_age_seconds + 1) }),
    401: withoutKey,
    403: withoutScope,
    409: async ({ world, transaction }) => {
      const subject_id = await subjectWithTopic(world);
      const headers = { 'X-Service-Key': world.key };
      await fetch(`${world.service.url}/v1/subjects/${subject_id}`, { method: 'DELETE', headers });
      submit(transaction, { subject_id, timestamp: ago(1), user_message: 'My exam is near.', ai_response: 'And?' });
    },
    413: async ({ transaction }) => submit(transaction, { user_message: 'x'.repeat(bodyLimits.max_bytes) }),
    415: async ({ transaction }) => {
      transaction.request.headers['Content-Type'] = 'text/plain';
    },
    422: async ({ transaction }) => submit(transaction, { hrv_sdnn: 28, tone: 'cheerful', sentiment: 'negative' }),
    429: withSpentKey,
    500: withoutTable('sessions'),
    503: whileLocked('sessions', 'session_readings'),
  },
  ingestBatch: {
    200: asDocumented,
    400: async ({ transaction }) => void (transaction.request.body = '\n\n'),
    401: withoutKey,
    403: withoutScope,
    413: async ({ transaction }) => void (transaction.request.body = ' '.repeat(batchLimits.max_bytes + 1)),
    415: asText,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('sessions'),
    503: whileLocked('sessions', 'session_readings'),
  },
  getState: {
    200: ofKnownSession,
    401: withUnknownKey,
    403: withoutScope,
    404: ofUnknownSession,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('sessions'),
    503: unavailable('sessions'),
  },
  getHistory: {
    200: ofKnownSession,
    401: withUnknownKey,
    403: withoutScope,
    404: ofUnknownSession,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('sessions'),
    503: unavailable('sessions'),
  },
  streamEvents: {
    // The stream ends when its token expires.
    200: async ({ world, transaction }) => {
      const token = await shortToken(world);
      withoutQuery({ transaction });
      delete transaction.request.headers['X-Service-Key'];
      transaction.request.headers['Authorization'] = `Bearer ${token}`;
    },
    401: withoutKey,
    403: withoutScope,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('stream_positions'),
    503: unavailable('stream_positions'),
  },
  exportReadings: {
    200: async ({ world, transaction }) => {
      const session_id = await sessionWithData(world);
      withoutQuery({ transaction });
      setQuery(transaction, 'session_id', session_id);
    },
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => {
      withoutQuery({ transaction });
      setQuery(transaction, 'session_id', randomUUID());
    },
    422: withUnknownParameter,
    429: withSpentKey,
    500: async (stage) => {
      withoutQuery(stage);
      await withoutTable('session_readings')(stage);
    },
    503: async (stage) => {
      withoutQuery(stage);
      await unavailable('session_readings')(stage);
    },
  },
  createToken: {
    200: asDocumented,
    400: withoutJson,
    401: withoutKey,
    403: withoutScope,
    413: async ({ transaction }) => void (transaction.request.body = ' '.repeat(bodyLimits.max_bytes + 1)),
    415: asText,
    422: withUnknownParameter,
    429: withSpentKey,
    // Only the key causes a database query in this operation. Keys are cached for a second, so the scenario uses a new
    // one.
    500: withNewKey(withoutTable('api_keys')),
    503: withNewKey(unavailable('api_keys')),
  },
  submitFeedback: {
    200: async ({ world, transaction }) => report(transaction, { session_id: await sessionWithData(world) }),
    400: async ({ transaction }) => report(transaction, { timestamp: '2020-01-01T00:00:00Z' }),
    401: withoutKey,
    403: withoutScope,
    404: async ({ transaction }) => report(transaction, { session_id: randomUUID() }),
    413: async ({ transaction }) => void (transaction.request.body = ' '.repeat(bodyLimits.max_bytes + 1)),
    415: asText,
    422: async ({ transaction }) => report(transaction, { stress: 11, note: 'text' }),
    429: withSpentKey,
    500: async (stage) => {
      report(stage.transaction, {});
      await withoutTable('sessions')(stage);
    },
    503: async (stage) => {
      report(stage.transaction, { session_id: await sessionWithData(stage.world) });
      await whileLocked('sessions', 'feedback')(stage);
    },
  },
  listFeedback: {
    200: async (stage) => withoutQuery(stage),
    401: withUnknownKey,
    403: withoutScope,
    422: withUnknownParameter,
    429: withSpentKey,
    500: async (stage) => {
      withoutQuery(stage);
      await withoutTable('feedback')(stage);
    },
    503: async (stage) => {
      withoutQuery(stage);
      await unavailable('feedback')(stage);
    },
  },
  getAgreement: {
    200: asDocumented,
    401: withUnknownKey,
    403: withoutScope,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('feedback'),
    503: unavailable('feedback'),
  },
  getSubjectAgreement: {
    200: async ({ world, transaction }) => setSubjectInPath(transaction, await subjectWithTopic(world)),
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => setSubjectInPath(transaction, randomUUID()),
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('subjects'),
    503: unavailable('subjects'),
  },
  listSessions: {
    200: async ({ world, transaction }) => {
      await sessionWithData(world);
      withoutQuery({ transaction });
    },
    401: withUnknownKey,
    403: withoutScope,
    422: withUnknownParameter,
    429: withSpentKey,
    500: async (stage) => {
      withoutQuery(stage);
      await withoutTable('sessions')(stage);
    },
    503: async (stage) => {
      withoutQuery(stage);
      await unavailable('sessions')(stage);
    },
  },
  getTriggers: {
    200: async ({ world, transaction }) => setQuery(transaction, 'subject_id', await subjectWithTopic(world)),
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => setQuery(transaction, 'subject_id', randomUUID()),
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('triggers'),
    503: unavailable('triggers'),
  },
  getSubject: {
    200: async ({ world, transaction }) => setSubjectInPath(transaction, await subjectWithTopic(world)),
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => setSubjectInPath(transaction, randomUUID()),
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('subjects'),
    503: unavailable('subjects'),
  },
  listAccesses: {
    200: async ({ world, transaction }) => {
      withoutQuery({ transaction });
      setSubjectInPath(transaction, await subjectWithTopic(world));
    },
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => {
      withoutQuery({ transaction });
      setSubjectInPath(transaction, randomUUID());
    },
    422: withUnknownParameter,
    429: withSpentKey,
    500: async (stage) => {
      withoutQuery(stage);
      await withoutTable('access_subjects')(stage);
    },
    503: async (stage) => {
      withoutQuery(stage);
      await unavailable('access_subjects')(stage);
    },
  },
  getConsent: {
    200: async ({ world, transaction }) => setSubjectInPath(transaction, await subjectWithConsent(world)),
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => setSubjectInPath(transaction, randomUUID()),
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('consents'),
    503: unavailable('consents'),
  },
  putConsent: {
    200: async ({ transaction }) => setSubjectInPath(transaction, randomUUID()),
    400: withoutJson,
    401: withoutKey,
    403: withoutScope,
    404: async ({ transaction }) => void (transaction.fullPath = '/v1/subjects/nobody/consents'),
    409: async ({ world, transaction }) => setSubjectInPath(transaction, await subjectWithConsent(world)),
    413: async ({ transaction }) => void (transaction.request.body = ' '.repeat(bodyLimits.max_bytes + 1)),
    415: asText,
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('consents'),
    503: whileLocked('subjects', 'consents'),
  },
  listConsentVersions: {
    200: async ({ world, transaction }) => {
      withoutQuery({ transaction });
      setSubjectInPath(transaction, await subjectWithConsent(world));
    },
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => {
      withoutQuery({ transaction });
      setSubjectInPath(transaction, randomUUID());
    },
    422: withUnknownParameter,
    429: withSpentKey,
    500: async (stage) => {
      withoutQuery(stage);
      await withoutTable('consents')(stage);
    },
    503: async (stage) => {
      withoutQuery(stage);
      await unavailable('consents')(stage);
    },
  },
  getSubjectSummary: {
    200: async ({ world, transaction }) => {
      withoutQuery({ transaction });
      setSubjectInPath(transaction, await subjectWithTopic(world));
    },
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => {
      withoutQuery({ transaction });
      setSubjectInPath(transaction, randomUUID());
    },
    422: withUnknownParameter,
    429: withSpentKey,
    500: async (stage) => {
      withoutQuery(stage);
      await withoutTable('subjects')(stage);
    },
    503: async (stage) => {
      withoutQuery(stage);
      await unavailable('subjects')(stage);
    },
  },
  deleteSubject: {
    200: async ({ world, transaction }) => setSubjectInPath(transaction, await subjectWithTopic(world)),
    401: withUnknownKey,
    403: withoutScope,
    404: async ({ transaction }) => setSubjectInPath(transaction, randomUUID()),
    422: withUnknownParameter,
    429: withSpentKey,
    500: withoutTable('triggers'),
    503: whileLocked('subjects', 'triggers', 'sessions'),
  },
  ...webhookScenarios,
  getHealth: {
    200: asDocumented,
    422: withUnknownParameter,
  },
  listReceiptKeys: {
    200: asDocumented,
    422: withUnknownParameter,
    500: withoutTable('receipt_keys'),
    503: unavailable('receipt_keys'),
  },
  getReadiness: {
    200: asDocumented,
    422: withUnknownParameter,
    503: unavailable('schema_migrations'),
  },
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
    // Uses the current port, because each start of the service selects another port.
    transaction.port = new URL(world.service.url).port;
    if (operationId === 'ingest') submit(transaction, {});
    if (operationId === 'ingestBatch') submitReadings(transaction);
    await scenario({ world, transaction, defer });
  };
}

/**
 * Removes the optional parameters. Dredd also sends their examples, but the examples of cursors and tokens are not
 * valid.
 */
function withoutQuery({ transaction }: Pick<Stage, 'transaction'>): void {
  transaction.fullPath = new URL(transaction.fullPath, 'http://any').pathname;
}

/** Returns a token that is valid for one second. */
async function shortToken({ service, key }: World): Promise<string> {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ session_id: randomUUID(), scopes: ['read'], expires_in: 1 });
  const response = await fetch(`${service.url}/v1/tokens`, { method: 'POST', headers, body });
  return ((await response.json()) as { token: string }).token;
}

/** Returns a scenario with a key that the service has not looked up before. */
function withNewKey(scenario: Scenario): Scenario {
  return async (stage) => {
    stage.transaction.request.headers['X-Service-Key'] = `sk_${randomBytes(16).toString('hex')}`;
    await scenario(stage);
  };
}

async function ofKnownSession({ world, transaction }: Stage): Promise<void> {
  setQuery(transaction, 'session_id', await sessionWithData(world));
}

async function ofUnknownSession({ transaction }: Stage): Promise<void> {
  setQuery(transaction, 'session_id', randomUUID());
}

/** Sends a report about now, with some changed fields. */
function report({ request }: Transaction, changes: object): void {
  request.body = JSON.stringify({ session_id: randomUUID(), timestamp: ago(0), stress: 7, ...changes });
}

/** Returns the documented example with a current timestamp, a new session and some changed fields. */
function submit({ request }: Transaction, changes: object): void {
  const example = JSON.parse(request.body ?? '{}') as object;
  request.body = JSON.stringify({ ...example, session_id: randomUUID(), timestamp: ago(0), ...changes });
}

/** Sends a valid reading and an invalid one. Dredd sends either media type, with the documented example. */
function submitReadings({ request }: Transaction): void {
  const valid = reading(randomUUID(), 1);
  request.headers['Content-Type'] = 'application/json';
  request.body = JSON.stringify([valid, { ...valid, heart_rate: 'fast' }]);
}

function setSubjectInPath(transaction: Transaction, subjectId: string): void {
  transaction.fullPath = transaction.fullPath.replace(/(?<=\/subjects\/)[^/?]+/, subjectId);
}
