import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';

/** What is signed: the raw bytes of the body, as they are sent. */
export interface Signable {
  readonly deliveryId: string;
  readonly body: string;
  /** Of the attempt, epoch ms. */
  readonly atMs: number;
  /** As issued, `whsec_…`: the current one first, then those that rotations replaced recently. */
  readonly secrets: readonly string[];
}

/**
 * The headers by which a receiver knows the sender: our own, and those of Standard Webhooks
 * (https://www.standardwebhooks.com), whose signature covers id and time as well.
 */
export function signatureHeaders({ deliveryId, body, atMs, secrets }: Signable): Record<string, string> {
  const seconds = String(Math.floor(atMs / 1000));
  return {
    'X-Service-Signature': secrets.map((secret) => `sha256=${hmac(secret, body).toString('hex')}`).join(','),
    'webhook-id': deliveryId,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets
      .map((secret) => `v1,${hmac(decode(secret), `${deliveryId}.${seconds}.${body}`).toString('base64')}`)
      .join(' '),
  };
}

/** A fresh secret: `whsec_` and the base64 of 32 random bytes. */
export function formatSecret(random: Buffer): string {
  return secretPrefix + random.toString('base64');
}

function decode(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
