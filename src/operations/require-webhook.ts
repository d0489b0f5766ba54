import { ProblemError } from '../contract/problem.js';
import type { WriteScope } from '../store/scope.js';
import { type StoredWebhook, createWebhookTable } from '../store/webhooks.js';

/** Locks the account's webhook until the transaction ends. Throws webhook_not_found. */
export async function requireWebhook(scope: WriteScope, webhookId: string): Promise<StoredWebhook> {
  const webhook = (await createWebhookTable(scope).lock([webhookId])).get(webhookId);
  if (!webhook) throw new ProblemError('webhook_not_found');
  return webhook;
}
