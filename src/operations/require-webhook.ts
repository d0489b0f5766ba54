import { ProblemError } from '../contract/problem.js';
import type { Writer } from '../store/store.js';
import type { StoredWebhook } from '../store/webhooks.js';

/** Locks the account's webhook until the transaction ends. Throws webhook_not_found. */
export async function requireWebhook(writer: Writer, webhookId: string): Promise<StoredWebhook> {
  const webhook = (await writer.webhooks.lock([webhookId])).get(webhookId);
  if (!webhook) throw new ProblemError('webhook_not_found');
  return webhook;
}
