import type { Config } from '../config/config.js';
import { resealDatabase } from '../serve/secrets-keys.js';
import { starting } from '../observe/start.js';
import type { Store } from '../store/store.js';

export interface ResealOptions {
  /** True to accept webhook secrets that no key can read. */
  readonly lostKey: boolean;
}

/** Encrypts all webhook secrets with the first key of SECRETS_KEY, and makes it the key of the database. */
export async function reseal(store: Store, config: Config, { lostKey }: ResealOptions): Promise<void> {
  const nowMs = Date.now();
  const { resealed, unreadable } = await starting('SECRETS_KEY', () =>
    resealDatabase(store, config, { isKeyLost: lostKey, nowMs }),
  );
  console.log(`Encrypted the secrets of ${resealed} webhooks with this key. The service starts with it.`);
  if (unreadable.length === 0) return;
  console.log(
    `The secrets of ${unreadable.length} webhooks are lost. Rotate them with POST /webhooks/{id}/rotate-secret:`,
  );
  for (const { accountId, webhookId } of unreadable) console.log(`${accountId} ${webhookId}`);
}
