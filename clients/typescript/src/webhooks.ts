import { createHmac, timingSafeEqual } from 'node:crypto';
import type { StateChange } from './schemas.js';

export type { StateChange } from './schemas.js';

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

export interface Verified {
  readonly event: StateChange;
  /** The same for every attempt of a delivery. Use it to detect duplicates. */
  readonly deliveryId: string;
}

export type VerificationFault =
  'header_missing' | 'timestamp_invalid' | 'timestamp_out_of_tolerance' | 'signature_mismatch';

/** The delivery is not from the service, or is a replay of an old one. Respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(readonly fault: VerificationFault) {
    super(fault.replaceAll('_', ' '));
  }
}

const defaultToleranceSeconds = 300;
const secretPrefix = 'whsec_';

/**
 * Returns the event of a delivery that the service signed within the tolerance. During a rotation a delivery has two
 * signatures, and one match is enough. Throws WebhookVerificationError.
 */
export function verifyWebhook(delivery: Delivery): Verified {
  const { headers, body, secret, toleranceSeconds = defaultToleranceSeconds, now = Date.now } = delivery;
  const deliveryId = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const standard = headerOf(headers, 'webhook-signature').split(' ');
  const own = headerOf(headers, 'x-service-signature').split(',');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('timestamp_invalid');
  const bytes = Buffer.from(body);
  const signed = Buffer.concat([Buffer.from(`${deliveryId}.${timestamp}.`), bytes]);
  const isSigned = [secret].flat().some((it) => {
    const standardOf = `v1,${hmac(Buffer.from(it.slice(secretPrefix.length), 'base64'), signed).toString('base64')}`;
    const ownOf = `sha256=${hmac(it, bytes).toString('hex')}`;
    return includes(standard, standardOf) && includes(own, ownOf);
  });
  if (!isSigned) throw new WebhookVerificationError('signature_mismatch');
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('timestamp_out_of_tolerance');
  return { event: JSON.parse(bytes.toString()) as StateChange, deliveryId };
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

/** Compares all signatures in constant time, whichever one matches. */
function includes(signatures: readonly string[], expected: string): boolean {
  const wanted = Buffer.from(expected);
  const fits = signatures.map((it) => {
    const given = Buffer.from(it.trim());
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return fits.includes(true);
}

function hmac(key: string | Buffer, bytes: Buffer): Buffer {
  return createHmac('sha256', key).update(bytes).digest();
}
