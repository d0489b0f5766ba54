import { createHmac } from 'node:crypto';
import { HTTP } from 'cloudevents';
import { http, HttpResponse, passthrough } from 'msw';
import { setupServer } from 'msw/node';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import contract from '../../generated/openapi.json' with { type: 'json' };
import type { Schema } from '../../src/contract/contract.js';
import { activate, evaluateNow, stress } from '../../testkit/alerts.js';
import { faultsAgainst } from '../../testkit/conformance.js';
import { type Received, startReceiver } from '../../testkit/receiver.js';
import { Clock, startDelivering, startTestService, type TestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import { attempted, deliveriesOf, register, startStory } from '../../testkit/webhooks.js';

const url = 'https://hooks.example.com/state';
const dayMs = 24 * 60 * 60 * 1000;

/** A delivery as received by the receiver. */
interface Captured {
  readonly bytes: Buffer;
  readonly headers: Record<string, string>;
}

const captured: Captured[] = [];
let status = 204;
const server = setupServer(
  http.all(/^http:\/\/127\.0\.0\.1:/, () => passthrough()),
  http.post(url, async ({ request }) => {
    const bytes = Buffer.from(await request.clone().arrayBuffer());
    captured.push({ bytes, headers: Object.fromEntries(request.headers) });
    return new HttpResponse(null, { status });
  }),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  captured.length = 0;
  status = 204;
});
afterAll(() => server.close());

async function capture(count: number): Promise<Captured[]> {
  await until(`${count} deliveries`, () => captured.length >= count);
  return captured.slice(0, count);
}

/** Sends a sample event and returns the delivery. */
async function sample(service: TestService, id: string): Promise<Captured> {
  const { length } = captured;
  await service.post(`/webhooks/${id}/test`);
  return (await capture(length + 1)).at(-1) as Captured;
}

const hexOf = (secret: string, bytes: Buffer) => `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;

function verify(secret: string, { bytes, headers }: Captured): unknown {
  return new Webhook(secret).verify(bytes, headers);
}

test('the body is the UTF-8 JSON event of the contract, with exactly six fields', async ({ delivering: service }) => {
  await register(service, url);
  const session_id = 'a"b\\c/<d>&~!';
  const { change } = await startStory(service, session_id);
  const before = await service.request(`/v1/state?session_id=${encodeURIComponent(session_id)}`);
  const reading = await change();
  const [{ bytes }] = (await capture(1)) as [Captured];
  const event = JSON.parse(bytes.toString('utf8'));
  expect(faultsAgainst('StateChange', event)).toBe('');
  expect(event).toEqual({
    event: 'state_change',
    session_id,
    previous_state: before.body.state,
    new_state: reading.state,
    stress_score: reading.stress_score,
    timestamp: reading.timestamp,
  });
  expect(bytes.equals(Buffer.from(JSON.stringify(event)))).toBe(true);
});

test('the signature is the HMAC of the raw bytes, keyed with the secret string as issued', async () => {
  const service = await startDelivering();
  const { id, secret } = await register(service, url);
  const { bytes, headers } = await sample(service, id);
  expect(headers['x-service-signature']).toBe(hexOf(secret, bytes));
  expect(headers['x-service-signature']).not.toBe(hexOf(secret.slice('whsec_'.length), bytes));
});

test('each delivery has the headers of the contract and no other header that identifies the service', async () => {
  const service = await startDelivering();
  const { id } = await register(service, url);
  const { headers } = await sample(service, id);
  expect(Object.keys(headers).sort()).toEqual([
    ...['ce-id', 'ce-source', 'ce-specversion', 'ce-time', 'ce-type'],
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
    'x-service-signature',
  ]);
  expect(headers['content-type']).toBe('application/json');
  const { ServiceSignature, DeliveryTimestampHeader } = contract.components.parameters;
  for (const { name, schema } of [ServiceSignature, DeliveryTimestampHeader])
    expect(headers[name.toLowerCase()]).toMatch(new RegExp(schema.pattern));
  expect(headers['webhook-timestamp']).toBe(String(Math.floor(service.clock.nowMs / 1000)));
});

type Cause = (service: TestService) => Promise<unknown>;
test.each<readonly [kind: Schema<'EventKind'>, schema: string, cause: Cause]>([
  ['state_change', 'StateChange', async (service) => (await startStory(service)).change()],
  [
    'alert',
    'Alert',
    async (service) => {
      await service.post('/v1/alerts', { condition: 'stressed', minutes: 1 });
      await stress(service, 'anna', 1);
      await evaluateNow(service);
    },
  ],
  ['trigger_active', 'TriggerActive', (service) => activate(service, 'anna')],
])('the CloudEvents library reads a delivery of %s, and both signatures are valid', async (type, schema, cause) => {
  const source = 'https://state.example.com/base';
  const service = await startTestService({ env: { WORKER: '1', ...storyEnv, PUBLIC_URL: source } });
  const receiver = await startReceiver();
  const { secret } = await register(service, receiver.url, { events: [type] });
  await cause(service);
  const [{ bytes, headers: raw }] = (await receiver.until(1)) as [Received];
  const headers = raw as Record<string, string>;
  const data = verify(secret, { bytes, headers }) as Schema<'StateChange'>;
  expect(headers['x-service-signature']).toBe(hexOf(secret, bytes));
  expect(faultsAgainst(schema, data)).toBe('');
  const event = HTTP.toEvent({ headers, body: bytes.toString() });
  expect(event).toMatchObject({ id: headers['webhook-id'], source, type, data });
  expect(event).toMatchObject({ specversion: '1.0', time: data.timestamp });
});

test('the Standard Webhooks library verifies deliveries unchanged', async ({ delivering: service }) => {
  const { secret } = await register(service, url);
  await (await startStory(service)).change();
  const [delivery] = (await capture(1)) as [Captured];
  expect(verify(secret, delivery)).toEqual(JSON.parse(delivery.bytes.toString()));
});

test('a delivery with a changed byte, id, timestamp or secret does not verify', async ({ delivering: service }) => {
  const { id, secret } = await register(service, url);
  const other = await register(service, url, { session_id: 'other' });
  const { bytes, headers } = await sample(service, id);
  const forged = Buffer.from(bytes.toString().replace('"stressed"', '"streszed"'));
  expect(forged.equals(bytes)).toBe(false);
  const changed = (header: string, value: string) => ({ bytes, headers: { ...headers, [header]: value } });
  expect(() => verify(secret, { bytes: forged, headers })).toThrow();
  expect(() => verify(secret, changed('webhook-id', 'dlv_other'))).toThrow();
  expect(() => verify(secret, changed('webhook-timestamp', `${Number(headers['webhook-timestamp']) - 1}`))).toThrow();
  expect(() => verify(other.secret, { bytes, headers })).toThrow();
  expect(hexOf(secret, forged)).not.toBe(headers['x-service-signature']);
});

test('every attempt sends the same bytes and id with a new timestamp and signature', async () => {
  const service = await startDelivering();
  const { id, secret } = await register(service, url);
  const deliveries = deliveriesOf(service, id);
  status = 500;
  await (await startStory(service)).change();
  await attempted(deliveries, 1);
  for (const [index, seconds] of [1, 4, 16].entries()) {
    service.clock.advance(seconds);
    await attempted(deliveries, index + 2);
  }
  const [first, ...retries] = (await capture(4)) as [Captured, ...Captured[]];
  const start = Number(first.headers['webhook-timestamp']);
  expect(retries.map(({ headers }) => Number(headers['webhook-timestamp']) - start)).toEqual([1, 5, 21]);
  for (const retry of retries) {
    expect(retry.bytes.equals(first.bytes)).toBe(true);
    expect(retry.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(retry.headers['x-service-signature']).toBe(first.headers['x-service-signature']);
    expect(verify(secret, retry)).toEqual(JSON.parse(first.bytes.toString()));
  }
  expect(new Set([first, ...retries].map(({ headers }) => headers['webhook-signature'])).size).toBe(4);
});

test('two events never share an id', async ({ delivering: service }) => {
  const { id } = await register(service, url);
  for (let index = 0; index < 5; index += 1) await sample(service, id);
  expect(new Set(captured.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
});

test('for 24 hours after a rotation, deliveries have signatures of both secrets, afterwards only of the new secret', async () => {
  const clock = new Clock();
  // The library checks the real time. The clock starts a day earlier, so that it is correct after the advance.
  clock.nowMs -= dayMs;
  const service = await startTestService({ env: { WORKER: '1' }, clock });
  const { id, secret: old } = await register(service, url);
  const { secret } = (await service.request(`/webhooks/${id}/rotate-secret`, { method: 'POST' })).body;
  clock.nowMs += dayMs - 1;
  const during = await sample(service, id);
  clock.nowMs += 1;
  const after = await sample(service, id);

  expect(during.headers['x-service-signature']?.split(',')).toEqual([
    hexOf(secret, during.bytes),
    hexOf(old, during.bytes),
  ]);
  expect(during.headers['x-service-signature']).toMatch(
    new RegExp(contract.components.parameters.ServiceSignature.schema.pattern),
  );
  for (const one of [secret, old]) expect(() => verify(one, during)).not.toThrow();
  expect(during.headers['webhook-signature']?.split(' ')).toHaveLength(2);

  expect(after.headers['x-service-signature']).toBe(hexOf(secret, after.bytes));
  expect(() => verify(secret, after)).not.toThrow();
  expect(() => verify(old, after)).toThrow();
});

test('a rejected second rotation leaves both secrets valid', async ({ delivering: service }) => {
  const { id, secret: first } = await register(service, url);
  const rotate = () => service.request(`/webhooks/${id}/rotate-secret`, { method: 'POST' });
  const second: string = (await rotate()).body.secret;
  expect((await rotate()).status).toBe(409);
  const delivery = await sample(service, id);
  for (const secret of [first, second]) expect(() => verify(secret, delivery)).not.toThrow();
});
