import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import { allScopes } from '../../src/keys/scopes.js';
import { createDelivery } from '../../src/webhooks/queues.js';
import { makeAccount } from '../../testkit/calls.js';
import { type RequestById, requestsById } from '../../testkit/documented-requests.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { textOf } from '../../testkit/text-of.js';

const stressed = { heart_rate: 104, tone: 'hostile', expression: 'tense', sentiment: -1 } as const;
const turn = { user_message: 'My exam is tomorrow', ai_response: 'How do you feel about it?' };

/** An account with data, and the ids of its data. */
interface Owner {
  readonly key: string;
  readonly sessionId: string;
  readonly subjectId: string;
  readonly webhookId: string;
  readonly alertId: string;
  readonly deviceId: string;
  /** Id of a failed delivery. */
  readonly deliveryId: string;
}

/** Functions that return the owner's id for each id name in the contract. */
const ownIds: Readonly<Record<string, (owner: Owner) => string>> = {
  session_id: ({ sessionId }) => sessionId,
  subject_id: ({ subjectId }) => subjectId,
  subject_ids: ({ subjectId }) => subjectId,
  id: ({ webhookId }) => webhookId,
  removeAlertRule: ({ alertId }) => alertId,
  webhook_id: ({ webhookId }) => webhookId,
  delivery_id: ({ deliveryId }) => deliveryId,
  delivery_ids: ({ deliveryId }) => deliveryId,
  record_id: ({ subjectId }) => subjectId,
  sample_id: ({ subjectId }) => subjectId,
  fact_id: ({ subjectId }) => subjectId,
  device_id: ({ deviceId }) => deviceId,
  // createLink/link.test.ts removes a link of another account: links require PUBLIC_URL.
  link_id: ({ subjectId }) => subjectId,
};
/** URL of the webhook in the contract's example. */
const url = 'https://example.com/hooks/state';

/** Headers whose values differ between any two responses. */
const ownHeaders = ['date', 'x-request-id'];
const madeAnew = /(wh_|alr_|dlv_|fb_|whsec_|srk_|wk_|eyJ|watch_)[\w+/=.-]+/g;

const scopes = allScopes;
/** Those that name no id are first, because later ones leave data with ids in the accounts without data. */
const requests = requestsById().toSorted((a, b) => Number(a.idName !== undefined) - Number(b.idName !== undefined));
let service: TestService;
/** Two accounts without data, which send the same requests. */
let strangers: readonly [string, string];
/** The owner of the last case, unless its request changed data. */
let owner: Owner | undefined;
/** The absent id for each id of an owner, so that both have the same number of requests. */
const absentIds = new Map<string, string>();
beforeAll(async () => {
  service = await startTestService();
  strangers = [await makeStranger(), await makeStranger()];
});

afterAll(() => {
  const operations = new Set(requests.map(({ title }) => title.split(':')[0]));
  console.log(
    `${operations.size} operations, ${requests.length} ways to name an id, each with an own, another's and none`,
  );
});

async function makeOwner(): Promise<Owner> {
  const { key, accountId } = await makeAccount(service, `owner-${randomUUID()}`, 'enterprise', { scopes });
  const [sessionId, subjectId] = [randomUUID(), randomUUID()];
  const { read, post, request } = client(service.url, key, service.clock);
  // Two stressed readings activate a trigger of the subject. Its readings therefore differ from those of a new subject.
  for (const timestamp of [service.clock.at(-10), service.clock.at()])
    await read({ session_id: sessionId, subject_id: subjectId, timestamp, ...stressed, ...turn });
  const { body } = await post('/webhooks/register', { url, events: ['state_change'], session_id: sessionId });
  await post('/webhooks/register', { url, events: ['state_change'], subject_id: subjectId });
  await post('/v1/feedback', { session_id: sessionId, timestamp: service.clock.at(), stress: 8 });
  // A fact of the person in the contract's examples.
  const fact = { subject_id: '5f2b51ca2b4d1a7e', kind: 'rest', start: service.clock.at(-60) };
  const headers = { 'Content-Type': 'application/json' };
  await request(`/v1/facts/${subjectId}`, { method: 'PUT', headers, body: JSON.stringify(fact) });
  const device = await post('/v1/devices', { subject_id: subjectId, name: 'Left wrist', kind: 'watch' });
  const alert = await post('/v1/alerts', { condition: 'stressed', subject_ids: [subjectId] });
  const deliveryId = await addFailedDelivery(accountId, body.id, sessionId);
  return {
    key,
    sessionId,
    subjectId,
    webhookId: body.id,
    alertId: alert.body.id,
    deviceId: device.body.device_id,
    deliveryId,
  };
}

async function addFailedDelivery(accountId: string, webhookId: string, sessionId: string): Promise<string> {
  const event = { event: 'state_change', session_id: sessionId, previous_state: 'calm', new_state: 'relaxed' };
  const payload = JSON.stringify({ ...event, stress_score: 30, timestamp: service.clock.at() });
  const failed = { status: 'failed', reason: 'disabled', settledAtMs: service.clock.nowMs } as const;
  const rest = { sessionId, payload, dueAtMs: service.clock.nowMs, ...failed };
  const delivery = createDelivery({ accountId, webhookId, url }, rest);
  await service.store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).insert([delivery]));
  return delivery.deliveryId;
}

/** Returns the whole response as text, without the headers that always differ. Replaces the requested id by `id`. */
async function ask(key: string, request: RequestById, id: string): Promise<{ status: number; answer: string }> {
  const { path, init } = request.build(id, { timestamp: service.clock.at() });
  const headers = { ...(init.headers as Record<string, string>), 'X-Service-Key': key };
  const response = await fetch(service.url + path, { ...init, headers });
  const { text } = await textOf(response);
  const requestId = response.headers.get('x-request-id') ?? '';
  const lines = [...response.headers]
    .filter(([name]) => !ownHeaders.includes(name))
    .map(([name, it]) => `${name}: ${it}`);
  const answer = [response.status, ...lines, text].join('\n').replaceAll(requestId, '{request}').replaceAll(id, '{id}');
  // The seconds left of a window depend on when its first request was.
  return { status: response.status, answer: answer.replaceAll(madeAnew, '{made}').replaceAll(/;t=\d+/g, ';t={left}') };
}

/** Returns everything that the owner can read. */
async function viewOf({ key, sessionId, subjectId }: Owner): Promise<string> {
  const { request } = client(service.url, key, service.clock);
  const paths = [
    `/v1/state?session_id=${sessionId}`,
    `/v1/history?session_id=${sessionId}`,
    `/v1/triggers?subject_id=${subjectId}`,
    `/v1/subjects/${subjectId}`,
    ...'/v1/sessions /v1/feedback /v1/agreement /v1/alerts /webhooks /webhooks/retries /webhooks/deliveries'.split(' '),
  ];
  const answers = await Promise.all(paths.map((path) => request(path)));
  return JSON.stringify(answers.map(({ status, body }) => [status, body]));
}

test.each(requests.map((request) => [request.title, request] as const))(
  '%s: a resource of another account looks exactly like an absent one, and stays unchanged',
  async (_, request) => {
    const ownIdOf =
      request.idName === undefined ? () => randomUUID() : (ownIds[request.operationId] ?? ownIds[request.idName]);
    if (!ownIdOf) throw new Error(`say in ownIds where an owner's ${request.idName} comes from`);
    owner ??= await makeOwner();
    const [stranger, other] = strangers;
    const before = await viewOf(owner);
    const ownId = ownIdOf(owner);
    const absentId = absentIds.get(ownId) ?? randomUUID();
    absentIds.set(ownId, absentId);
    const foreign = await ask(stranger, request, ownId);
    const absent = await ask(other, request, absentId);
    expect(foreign.answer).toBe(absent.answer);
    expect(await viewOf(owner)).toBe(before);
    // The owner gets a different response. Missing data is therefore not the reason why the responses above are equal.
    const own = await ask(owner.key, request, ownId);
    // These operations accept any session or person of the caller's own account, whether it exists or not.
    // The accounts of this test record no consent.
    const isSame =
      `createToken createSourceKey listSourceKeys removeSourceKey createLink listLinks removeLink streamEvents
      getConsent listConsentVersions putConsent putFact createAlertRule createDevice`.split(/\s+/);
    // A sample of a session that the account has not sent is a new one.
    const isOwned = request.idName !== undefined && request.idName !== 'sample_id';
    const isAboutData = isOwned && !isSame.includes(request.operationId);
    if (isAboutData) expect(own.answer).not.toBe(foreign.answer);
    if (!/^(get|list|export|stream)/.test(request.operationId)) owner = undefined;
  },
);

async function makeStranger(): Promise<string> {
  return (await makeAccount(service, `stranger-${randomUUID()}`, 'enterprise', { scopes })).key;
}
