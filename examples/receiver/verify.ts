import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const toleranceSeconds = 300;

/** True for a delivery that was signed with the secret, no more than five minutes ago. The body is the raw bytes. */
export function isGenuine(body: Buffer, headers: IncomingHttpHeaders, secret: string, nowMs = Date.now()): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
  const own = createHmac('sha256', secret).update(body).digest('hex');
  // The signature above does not cover the time; this one does, so that an old delivery cannot be sent again.
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const isFresh = Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds;
  const isOwn = includes(String(headers['x-service-signature']).split(','), `sha256=${own}`);
  const isStandard = includes(String(headers['webhook-signature']).split(' '), `v1,${standard}`);
  return isFresh && isOwn && isStandard;
}

/** While a rotation lasts there are two signatures; the comparison takes as long whatever the text. */
function includes(signatures: readonly string[], expected: string): boolean {
  const bytes = Buffer.from(expected);
  return signatures
    .map((it) => Buffer.from(it.trim()))
    .some((it) => it.length === bytes.length && timingSafeEqual(it, bytes));
}
