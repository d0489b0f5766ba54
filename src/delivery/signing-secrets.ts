import { randomBytes } from 'node:crypto';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { StoredWebhook } from '../store/webhooks.js';
import type { SecretBox } from './secret-box.js';
import { formatSecret } from './sign.js';

const secretBytes = 32;
const rotationMs = settings.rotation_hours * 60 * 60 * 1000;

/** A fresh secret in clear, to be shown once, and sealed, to be kept. */
export function issueSecret(
  secretBox: SecretBox,
  accountId: string,
  webhookId: string,
): { readonly secret: string; readonly sealed: string } {
  const secret = formatSecret(randomBytes(secretBytes));
  return { secret, sealed: secretBox.seal(secret, placeOf(accountId, webhookId)) };
}

/** The webhook with a new secret; for a while deliveries are signed with the one before as well. */
export function rotateTo(webhook: StoredWebhook, sealed: string, nowMs: number): StoredWebhook {
  return { ...webhook, secret: sealed, previousSecret: { secret: webhook.secret, untilMs: nowMs + rotationMs } };
}

/** The secrets that sign at this instant, the present one first. Throws SecretBoxError where that cannot be read. */
export function secretsOf(
  secretBox: SecretBox,
  accountId: string,
  { webhookId, secret, previousSecret }: StoredWebhook,
  nowMs: number,
): string[] {
  const open = (sealed: string) => secretBox.open(sealed, placeOf(accountId, webhookId));
  const isRotating = previousSecret !== undefined && nowMs < previousSecret.untilMs;
  return [open(secret), ...(isRotating ? openIfReadable(open, previousSecret.secret) : [])];
}

/** One that cannot be read must not keep its successor from signing. */
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
