import type { Store } from '../store/store.js';
import { type WebhookId, findWebhookIdsAfter, createWebhookTable } from '../store/webhooks.js';
import { resealWebhook, type SecretBox, SecretBoxError } from './secrets.js';

const batchRows = 100;

export interface Resealed {
  readonly resealed: number;
  /** Webhooks whose secrets no key can read. Only a rotation of their secret helps. */
  readonly unreadable: readonly WebhookId[];
}

/**
 * Encrypts the secrets of all webhooks with the newest key of SECRETS_KEY, so that the earlier keys can be removed.
 * Does not change the stored responses to requests with an Idempotency-Key, because they expire within a day.
 */
export async function resealWebhooks(store: Store, secretBox: SecretBox): Promise<Resealed> {
  let resealed = 0;
  const unreadable: WebhookId[] = [];
  let after: WebhookId | undefined = { accountId: '', webhookId: '' };
  while (after) {
    const last: WebhookId = after;
    const ids: WebhookId[] = await store.run((knex) => findWebhookIdsAfter(knex, last, batchRows));
    for (const id of ids) {
      const outcome = await resealOne(store, secretBox, id);
      if (outcome === 'resealed') resealed += 1;
      if (outcome === 'unreadable') unreadable.push(id);
    }
    after = ids.at(-1);
  }
  return { resealed, unreadable };
}

/**
 * Encrypts the secrets of one webhook. Returns undefined if the webhook already uses the newest key, or was removed.
 */
async function resealOne(
  store: Store,
  secretBox: SecretBox,
  { accountId, webhookId }: WebhookId,
): Promise<'resealed' | 'unreadable' | undefined> {
  return store.transact(async (openScope) => {
    const webhooks = createWebhookTable(openScope(accountId));
    const webhook = (await webhooks.lock([webhookId])).get(webhookId);
    try {
      const resealed = webhook && resealWebhook(secretBox, accountId, webhook);
      if (resealed) await webhooks.update(resealed);
      return resealed && 'resealed';
    } catch (error) {
      if (error instanceof SecretBoxError) return 'unreadable';
      throw error;
    }
  });
}
