import type { EventKind, WebhookEvent } from './schemas.js';

export type { EventKind, StateChange, WebhookEvent } from './schemas.js';

export interface Delivery {
  /** Headers of the request, from Node or fetch. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body. Parsing and serializing it again may change its bytes. */
  readonly body: string | Uint8Array;
  /** The secret as issued, `whsec_…`. Pass the old and the new one during a rotation. */
  readonly secret: string | readonly string[];
  /** Maximum difference between the time of the attempt and now. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The clock, epoch ms. For tests. */
  readonly now?: () => number;
}

/** `Kind` is the `events` of the webhook. By default, it gets state changes. */
export interface Verified<Kind extends EventKind = 'state_change'> {
  readonly event: Extract<WebhookEvent, { readonly event: Kind }>;
  /** Id of the delivery. All its attempts have this id. Use it to detect duplicates. */
  readonly deliveryId: string;
}

export type VerificationFault =
  | 'header_missing'
  | 'timestamp_invalid'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch';

/** The delivery is not from the service, or is a replay of an old one. Respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(readonly fault: VerificationFault) {
    super(fault.replaceAll('_', ' '));
  }
}

const defaultToleranceSeconds = 300;
const secretPrefix = 'whsec_';

const text = new TextEncoder();

/**
 * Returns the event of a delivery that the service signed within the tolerance. During a rotation a delivery has two
 * signatures, and one match is enough. Rejects with WebhookVerificationError. Uses Web Crypto, so it runs in Node,
 * browsers, workers and edge runtimes.
 */
export async function verifyWebhook<Kind extends EventKind = 'state_change'>(
  delivery: Delivery,
): Promise<Verified<Kind>> {
  const { headers, body, secret, toleranceSeconds = defaultToleranceSeconds, now = Date.now } = delivery;
  const deliveryId = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const standard = headerOf(headers, 'webhook-signature').split(' ').flatMap(base64After('v1,'));
  const own = headerOf(headers, 'x-service-signature').split(',').flatMap(hexAfter('sha256='));
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('timestamp_invalid');
  const bytes = typeof body === 'string' ? text.encode(body) : new Uint8Array(body);
  const signed = concat(text.encode(`${deliveryId}.${timestamp}.`), bytes);
  const matches = await Promise.all(
    [secret].flat().map(async (it) => {
      const [decoded] = base64After(secretPrefix)(it);
      return (await matchesAny(decoded, standard, signed)) && (await matchesAny(text.encode(it), own, bytes));
    }),
  );
  if (!matches.includes(true)) throw new WebhookVerificationError('signature_mismatch');
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('timestamp_out_of_tolerance');
  return { event: JSON.parse(new TextDecoder().decode(bytes)) as Verified<Kind>['event'], deliveryId };
}

function headerOf(headers: Delivery['headers'], name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : namedLike(headers, name);
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError('header_missing');
  return value;
}

function isHeaders(headers: Delivery['headers']): headers is Headers {
  return typeof headers['get'] === 'function';
}

/** Finds a header by its lower-case name. Node lowercases header names, other runtimes may not. */
function namedLike(headers: Readonly<Record<string, unknown>>, name: string): unknown {
  return headers[name] ?? Object.entries(headers).find(([it]) => it.toLowerCase() === name)?.[1];
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Checks an HMAC-SHA256. Web Crypto compares in constant time. */
async function matchesAny(key: Bytes | undefined, signatures: readonly Bytes[], bytes: Bytes): Promise<boolean> {
  if (!key || key.length === 0) return false;
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const matches = await Promise.all(signatures.map((it) => crypto.subtle.verify('HMAC', hmac, it, bytes)));
  return matches.includes(true);
}

/** Returns a function that decodes base64 after a prefix. The result is empty for any other text. */
function base64After(prefix: string): (value: string) => Bytes[] {
  return (value) => {
    const encoded = value.trim().slice(prefix.length);
    if (!value.trim().startsWith(prefix) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return [];
    return [Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))];
  };
}

/** Returns a function that decodes hex digits after a prefix. The result is empty for any other text. */
function hexAfter(prefix: string): (value: string) => Bytes[] {
  return (value) => {
    const encoded = value.trim().slice(prefix.length);
    if (!value.trim().startsWith(prefix) || !/^(?:[0-9a-f]{2})+$/.test(encoded)) return [];
    return [Uint8Array.from(encoded.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))];
  };
}

function concat(a: Bytes, b: Bytes): Bytes {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
