import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { webhookDelivery as settings } from '../../generated/spec.js';
import { deriveKey } from '../contract/derive-key.js';
import type { StoredWebhook } from '../store/webhooks.js';

const secretPrefix = 'whsec_';

/** A delivery attempt to sign. `body` contains the raw bytes exactly as sent. */
interface Signable {
  readonly deliveryId: string;
  readonly body: string;
  readonly atMs: number;
  /** Secrets in the format `whsec_…`: the current one first, then recently rotated ones. */
  readonly secrets: readonly string[];
}

/**
 * Returns the signature headers: the service's own header, and the headers of Standard Webhooks
 * (https://www.standardwebhooks.com). The Standard Webhooks signature also covers the id and the time.
 */
export function buildSignatureHeaders({ deliveryId, body, atMs, secrets }: Signable): Record<string, string> {
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

const secretBytes = 32;
const rotationMs = settings.rotation_hours * 60 * 60 * 1000;

/** Returns a new secret in two forms: clear text, which is shown only once, and sealed, which is stored. */
export function issueSecret(
  secretBox: SecretBox,
  accountId: string,
  webhookId: string,
): { readonly secret: string; readonly sealed: string } {
  const secret = formatSecret(randomBytes(secretBytes));
  return { secret, sealed: secretBox.seal(secret, namePlace(accountId, webhookId)) };
}

/** Returns the time when the previous secret stops signing, in epoch ms. Undefined when no rotation is in progress. */
export function findRotationEnd({ previousSecret }: StoredWebhook, nowMs: number): number | undefined {
  return previousSecret && nowMs < previousSecret.untilMs ? previousSecret.untilMs : undefined;
}

/** Returns the webhook with a new secret. The previous secret also signs deliveries for the rotation period. */
export function rotateSecret(webhook: StoredWebhook, sealed: string, nowMs: number): StoredWebhook {
  return { ...webhook, secret: sealed, previousSecret: { secret: webhook.secret, untilMs: nowMs + rotationMs } };
}

/**
 * Returns the secrets that sign at a time, the current secret first. Throws SecretBoxError if the current secret cannot
 * be opened.
 */
export function openSecrets(secretBox: SecretBox, accountId: string, webhook: StoredWebhook, nowMs: number): string[] {
  const { webhookId, secret, previousSecret } = webhook;
  const open = (sealed: string) => secretBox.open(sealed, namePlace(accountId, webhookId));
  const isRotating = findRotationEnd(webhook, nowMs) !== undefined;
  return [open(secret), ...(isRotating && previousSecret ? openIfReadable(open, previousSecret.secret) : [])];
}

/**
 * Returns the webhook with its secrets sealed with the newest key, or undefined if they already are. Throws
 * SecretBoxError if the current secret cannot be opened.
 */
export function resealWebhook(
  secretBox: SecretBox,
  accountId: string,
  webhook: StoredWebhook,
): StoredWebhook | undefined {
  const reseal = (sealed: string) => secretBox.reseal(sealed, namePlace(accountId, webhook.webhookId));
  const secret = reseal(webhook.secret);
  const { previousSecret: previous } = webhook;
  const [earlier] = previous ? openIfReadable(reseal, previous.secret) : [];
  if (secret === undefined && earlier === undefined) return undefined;
  return {
    ...webhook,
    ...(secret !== undefined && { secret }),
    ...(previous && earlier !== undefined && { previousSecret: { ...previous, secret: earlier } }),
  };
}

/**
 * Returns the secret, or nothing if it is unreadable: an unreadable previous secret must not prevent signing with the
 * current one.
 */
function openIfReadable<Opened>(open: (sealed: string) => Opened, sealed: string): Opened[] {
  try {
    return [open(sealed)];
  } catch {
    return [];
  }
}

function namePlace(accountId: string, webhookId: string): string {
  return `${accountId} ${webhookId}`;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Thrown if a sealed secret is damaged, or was sealed with another key or for another `place`. */
export class SecretBoxError extends Error {}

export type SecretBox = ReturnType<typeof createSecretBox>;

/**
 * Creates a box that encrypts secrets, so that the database and its copies contain no readable secret. Uses AES-256-GCM
 * with keys derived from the deployment's keys. The first key seals, and every key opens.
 */
export function createSecretBox(secretsKeys: readonly [string, ...string[]]) {
  const newest = createBox(secretsKeys[0]);
  const boxes = [newest, ...secretsKeys.slice(1).map(createBox)];
  /** Returns the secret in clear text. Throws SecretBoxError if it cannot be opened with these keys and `place`. */
  const open = (sealed: string, place: string): string => {
    for (const box of boxes) {
      const text = box.tryOpen(sealed, place);
      if (text !== undefined) return text;
    }
    throw new SecretBoxError('a webhook secret cannot be decrypted: check whether SECRETS_KEY has changed');
  };
  return {
    /** Returns the sealed secret in base64. It can only be opened with the same `place`. */
    seal: newest.seal,
    open,
    /** Returns the secret sealed with the newest key, or undefined if it already is. Throws SecretBoxError. */
    reseal: (sealed: string, place: string): string | undefined =>
      newest.tryOpen(sealed, place) === undefined ? newest.seal(open(sealed, place), place) : undefined,
  };
}

function createBox(secretsKey: string) {
  const key = deriveKey(secretsKey, 'webhook secrets');
  return {
    seal(text: string, place: string): string {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(place));
      const parts = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()];
      return Buffer.concat(parts).toString('base64');
    },
    /** Returns undefined if the secret is damaged or was sealed with another key. */
    tryOpen(sealed: string, place: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
        opening.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagBytes));
        const text = Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()]);
        return text.toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
