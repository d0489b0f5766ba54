import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';

/** A delivery attempt to sign. `body` contains the raw bytes exactly as sent. */
export interface Signable {
  readonly deliveryId: string;
  readonly body: string;
  /** Time of the attempt, epoch ms. */
  readonly atMs: number;
  /** Secrets in the format `whsec_…`: the current one first, then recently rotated ones. */
  readonly secrets: readonly string[];
}

/**
 * Returns the signature headers: the service's own header, and the headers of Standard Webhooks
 * (https://www.standardwebhooks.com). The Standard Webhooks signature also covers the id and the time.
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

/** Returns a new secret: `whsec_` and the base64 of 32 random bytes. */
export function formatSecret(random: Buffer): string {
  return secretPrefix + random.toString('base64');
}

function decode(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
