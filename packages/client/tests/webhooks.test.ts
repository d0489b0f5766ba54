import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Delivery, type EventKind, verifyWebhook, type WebhookEvent } from '../src/webhooks.js';
import { formatSecret, buildSignatureHeaders } from '../../../src/webhooks/secrets.js';

const secret = formatSecret(randomBytes(32));
const body = '{"event":"state_change","session_id":"süß"}';
const atMs = Date.now();
const headers = buildSignatureHeaders({ deliveryId: 'dlv_1', body, atMs, secrets: [secret] });

const delivery = (changes: Partial<Delivery> = {}): Delivery => ({
  headers,
  body,
  secret,
  now: () => atMs,
  ...changes,
});
const faultOf = async (changes: Partial<Delivery>) => {
  try {
    await verifyWebhook(delivery(changes));
    return undefined;
  } catch (error) {
    return (error as { fault?: string }).fault;
  }
};

test('accepts headers from fetch or Node, and a body as text or bytes', async () => {
  const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const changes of [{}, { headers: new Headers(headers) }, { headers: lowerCase }, { body: Buffer.from(body) }])
    expect(await verifyWebhook(delivery(changes))).toEqual({ deliveryId: 'dlv_1', event: JSON.parse(body) });
});

const timestamp = '2026-11-21T09:31:00.000Z';
const change = { session_id: 's', previous_state: 'focused', new_state: 'stressed', stress_score: 70 } as const;
const events: ReadonlyArray<readonly [WebhookEvent, string]> = [
  [{ event: 'state_change', ...change, timestamp }, 'stressed'],
  [{ event: 'alert', alert_id: 'alr_1', subject_id: 'anna', condition: 'no_data', timestamp }, 'no_data'],
  [{ event: 'trigger_active', subject_id: 'anna', topic: 'exams', timestamp }, 'exams'],
];
test.each(events)('an event has the fields of its kind: %j', async (sent, content) => {
  const signed = { body: JSON.stringify(sent), deliveryId: 'dlv_1', atMs, secrets: [secret] };
  const changes = { body: signed.body, headers: buildSignatureHeaders(signed) };
  const { event } = await verifyWebhook<EventKind>(delivery(changes));
  expect(event).toEqual(sent);
  // Compiles only if the type of the event follows from its kind.
  if (event.event === 'alert') expect(event.condition).toBe(content);
  else expect(event.event === 'trigger_active' ? event.topic : event.new_state).toBe(content);
});

test('rejects an extra byte and another secret, id, timestamp or signature', async () => {
  expect(await faultOf({ body: `${body} ` })).toBe('signature_mismatch');
  expect(await faultOf({ secret: formatSecret(randomBytes(32)) })).toBe('signature_mismatch');
  expect(await faultOf({ secret: [] })).toBe('signature_mismatch');
  expect(await faultOf({ headers: { ...headers, 'webhook-id': 'dlv_2' } })).toBe('signature_mismatch');
  expect(await faultOf({ headers: { ...headers, 'webhook-timestamp': '1' } })).toBe('signature_mismatch');
  expect(await faultOf({ headers: { ...headers, 'webhook-timestamp': 'soon' } })).toBe('timestamp_invalid');
  expect(await faultOf({ headers: { ...headers, 'webhook-signature': 'v1,' } })).toBe('signature_mismatch');
  expect(await faultOf({ headers: { ...headers, 'X-Service-Signature': 'sha256=' } })).toBe('signature_mismatch');
});

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature', 'X-Service-Signature'])(
  'rejects a delivery without %s',
  async (name) => {
    expect(await faultOf({ headers: { ...headers, [name]: undefined } })).toBe('header_missing');
  },
);

test('rejects a replayed delivery that is too old and a delivery from the future', async () => {
  const seconds = Math.floor(atMs / 1000) * 1000;
  expect(await faultOf({ now: () => seconds + 300_000 })).toBeUndefined();
  expect(await faultOf({ now: () => seconds + 301_000 })).toBe('timestamp_out_of_tolerance');
  expect(await faultOf({ now: () => seconds - 301_000 })).toBe('timestamp_out_of_tolerance');
  expect(await faultOf({ now: () => seconds + 11_000, toleranceSeconds: 10 })).toBe('timestamp_out_of_tolerance');
});
