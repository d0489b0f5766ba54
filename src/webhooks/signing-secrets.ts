import { randomBytes } from 'node:crypto';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { StoredWebhook } from '../store/webhooks.js';
import type { SecretBox } from './secret-box.js';
import { formatSecret } from './sign.js';

const secretBytes = 32;
const rotationMs = settings.rotation_hours * 60 * 60 * 1000;

/** Returns a new secret in two forms: clear text, which is shown only once, and sealed, which is stored. */
export function issueSecret(
  secretBox: SecretBox,
  accountId: string,
  webhookId: string,
): { readonly secret: string; readonly sealed: string } {
  const secret = formatSecret(randomBytes(secretBytes));
  return { secret, sealed: secretBox.seal(secret, placeOf(accountId, webhookId)) };
}

/** Returns the time when the previous secret stops signing, epoch ms. Undefined when no rotation is in progress. */
export function findRotationEnd({ previousSecret }: StoredWebhook, nowMs: number): number | undefined {
  return previousSecret && nowMs < previousSecret.untilMs ? previousSecret.untilMs : undefined;
}

/** Returns the webhook with a new secret. The previous secret also signs deliveries for the rotation period. */
export function rotateTo(webhook: StoredWebhook, sealed: string, nowMs: number): StoredWebhook {
  return { ...webhook, secret: sealed, previousSecret: { secret: webhook.secret, untilMs: nowMs + rotationMs } };
}

/**
 * Returns the secrets that sign at a time, the current secret first. Throws SecretBoxError if the current secret cannot
 * be opened.
 */
export function openSecrets(secretBox: SecretBox, accountId: string, webhook: StoredWebhook, nowMs: number): string[] {
  const { webhookId, secret, previousSecret } = webhook;
  const open = (sealed: string) => secretBox.open(sealed, placeOf(accountId, webhookId));
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
  const place = placeOf(accountId, webhook.webhookId);
  const { previousSecret: previous } = webhook;
  const secret = secretBox.reseal(webhook.secret, place);
  const [readable] = previous ? openIfReadable((it) => secretBox.open(it, place), previous.secret) : [];
  const earlier = readable === undefined || !previous ? undefined : secretBox.reseal(previous.secret, place);
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
function openIfReadable(open: (sealed: string) => string, sealed: string): string[] {
  try {
    return [open(sealed)];
  } catch {
    return [];
  }
}

function placeOf(accountId: string, webhookId: string): string {
  return `${accountId} ${webhookId}`;
}
