/** Data in the service that a scenario requires. */
import { randomUUID } from 'node:crypto';
import type { OperationId, Schema } from '../../src/contract/contract.js';
import { toClaim } from '../../src/operations/idempotently.js';
import { createIdempotencyKeyTable } from '../../src/store/idempotency-keys.js';
import { createKeyTable } from '../../src/store/keys.js';
import { buildRequest, type RequestOptions } from '../../testkit/documented-requests.js';
import { openReceiver } from '../../testkit/open-receiver.js';
import { until } from '../../testkit/until.js';
import type { Defer } from './run-dredd.js';
import type { World } from './world.js';

/**
 * Creates a session and a subject with the same name and two readings. Their responses contain every optional field.
 */
export async function createSession(world: World): Promise<string> {
  const sessionId = randomUUID();
  for (const seconds of [2, 1]) await call(world, 'ingest', { body: turn(sessionId, sessionId, seconds) });
  return sessionId;
}

/** Creates a subject with a known topic. */
export async function createSubject(world: World): Promise<string> {
  const subjectId = randomUUID();
  await call(world, 'ingest', { body: turn(randomUUID(), subjectId) });
  return subjectId;
}

/** Creates a subject and erases it. */
export async function createErasedSubject(world: World): Promise<string> {
  const subject_id = await createSubject(world);
  await call(world, 'deleteSubject', { values: { subject_id } });
  return subject_id;
}

/** Creates a subject with a consent of now, which is newer than that of the documented example. */
export async function createConsent(world: World): Promise<string> {
  const subject_id = randomUUID();
  await call(world, 'putConsent', { values: { subject_id, event_time: ago(0), expires_at: '2100-01-01T00:00:00Z' } });
  return subject_id;
}

export async function createFact(world: World): Promise<Schema<'Fact'>> {
  return call(world, 'putFact', { values: { subject_id: randomUUID(), start: ago(3600), end: ago(0) } });
}

/** Creates a device of a new person. */
export async function createDevice(world: World): Promise<Schema<'Device'>> {
  return call(world, 'createDevice', { values: { subject_id: randomUUID() } });
}

/** Returns a token that is valid for two to three seconds, because it ends at a whole second. */
export async function createShortToken(world: World): Promise<string> {
  const values = { session_id: randomUUID(), expires_in: 3 };
  return (await call<Schema<'SessionToken'>>(world, 'createToken', { values })).token;
}

/** Returns a new source key of a new person. */
export async function createSourceKey(world: World): Promise<Schema<'SourceKey'>> {
  return call(world, 'createSourceKey', { values: { subject_id: randomUUID() } });
}

/** Returns a new link of a new person. */
export async function createLink(world: World): Promise<Schema<'Link'>> {
  return call(world, 'createLink', { values: { subject_id: randomUUID() } });
}

/** Returns the id of a new alert rule of a new person. */
export async function createAlertRule(world: World): Promise<string> {
  return (await call<Schema<'AlertRule'>>(world, 'createAlertRule', { values: { subject_ids: [randomUUID()] } })).id;
}

export function registration(): Schema<'WebhookRegistration'> {
  return { url: `https://example.com/${randomUUID()}`, events: ['state_change'], session_id: randomUUID() };
}

export async function createWebhook(world: World, changes: object = {}): Promise<string> {
  return (await call<Schema<'Webhook'>>(world, 'registerWebhook', { body: { ...registration(), ...changes } })).id;
}

/** Sends a sample event to a receiver that rejects it, so that the delivery fails immediately. */
export async function createFailedDelivery(world: World, defer: Defer): Promise<Schema<'FailedDelivery'>> {
  const { url, close } = await openReceiver((_, response) => void response.writeHead(410).end('no more'));
  defer(async () => close());
  const id = await createWebhook(world, { url });
  await call(world, 'testWebhook', { values: { id } });
  const options: RequestOptions = { isSent: ({ name }) => name === 'webhook_id', values: { webhook_id: id } };
  let found: readonly Schema<'FailedDelivery'>[] = [];
  await until('the delivery fails', async () => {
    found = (await call<Schema<'FailedDeliveryList'>>(world, 'listFailedDeliveries', options)).deliveries;
    return found.length > 0;
  });
  return found[0] as Schema<'FailedDelivery'>;
}

/** Claims an idempotency key, as another process does that runs the same request. Returns the key. */
export async function claimKey({ store }: World, operationId: OperationId, content: object): Promise<string> {
  const key = randomUUID();
  const accountId = (await store.use(createKeyTable).accountByName('dredd'))?.accountId ?? '';
  const claim = toClaim(operationId, key, { ...content }, Date.now());
  await store.transact((scopeOf) => createIdempotencyKeyTable(scopeOf(accountId)).claim(claim));
  return key;
}

/** Sends the documented request of an operation with the key of the account. Rejects unless it gets a 2xx response. */
export async function call<Body>({ service, key }: World, id: OperationId, options: RequestOptions): Promise<Body> {
  const { path, init } = buildRequest(id, options);
  const response = await fetch(service.url + path, { ...init, headers: { ...init.headers, 'X-Service-Key': key } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${id} got status ${response.status}: ${text}`);
  return JSON.parse(text) as Body;
}

function turn(sessionId: string, subjectId: string, secondsAgo = 0): object {
  const talk = { user_message: 'My exam is tomorrow', ai_response: 'How do you feel about it?' };
  return { ...reading(sessionId, secondsAgo), subject_id: subjectId, ...talk };
}

export function reading(sessionId: string, secondsAgo = 0): object {
  return { session_id: sessionId, timestamp: ago(secondsAgo), heart_rate: 96, tone: 'tense' };
}

export function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}
