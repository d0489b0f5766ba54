import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const toleranceSeconds = 300;

/** Returns true if the delivery was signed with the secret at most five minutes ago. `body` contains the raw bytes. */
export function isGenuine(body: Buffer, headers: IncomingHttpHeaders, secret: string, nowMs = Date.now()): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
  const own = createHmac('sha256', secret).update(body).digest('hex');
  // Unlike the signature above, this one covers the timestamp, which prevents replays.
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const isFresh = Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds;
  const isOwn = includes(String(headers['x-service-signature']).split(','), `sha256=${own}`);
  const isStandard = includes(String(headers['webhook-signature']).split(' '), `v1,${standard}`);
  return isFresh && isOwn && isStandard;
}

/** Returns true if one of the signatures is the expected one. Compares in constant time. */
function includes(signatures: readonly string[], expected: string): boolean {
  const bytes = Buffer.from(expected);
  return signatures
    .map((it) => Buffer.from(it.trim()))
    .some((it) => it.length === bytes.length && timingSafeEqual(it, bytes));
}
