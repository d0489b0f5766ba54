import { Command } from 'commander';
import type { Config } from '../config/config.js';
import { requireSecretsKeys } from '../config/secrets-key.js';
import { receiptKeysMax, rotateReceiptKey } from '../keys/receipts.js';
import { runStartStep } from '../observe/start.js';
import { resealDatabase } from '../serve/secrets-keys.js';
import { createReceiptKeyTable } from '../store/receipt-keys.js';
import type { Store } from '../store/store.js';
import { createSecretBox } from '../webhooks/secrets.js';
import { printTable } from './keys.js';
import type { WithStore } from './with-store.js';

export function createReceiptKeysCommand(withStore: WithStore): Command {
  const command = new Command('receipt-keys').description('list and rotate the keys that sign deletion receipts');
  command
    .command('list')
    .description('list the keys, newest first. The newest one signs')
    .action(() => withStore(list));
  command
    .command('rotate')
    .description('create a new key and delete the private parts of the earlier ones. Their receipts stay verifiable')
    .action(() => withStore(rotate));
  return command;
}

async function list(store: Store): Promise<void> {
  const rows = (await store.use(createReceiptKeyTable).list(receiptKeysMax)).map(
    ({ keyId, publicKey, privateKey, createdAtMs }) => [
      keyId,
      publicKey,
      new Date(createdAtMs).toISOString(),
      privateKey === null ? 'retired' : 'signs',
    ],
  );
  printTable(['KEY_ID', 'PUBLIC_KEY', 'CREATED', 'STATUS'], rows);
}

async function rotate(store: Store, config: Config): Promise<void> {
  const secretsKeys = await runStartStep('SECRETS_KEY', async () => requireSecretsKeys(config));
  const parts = {
    receiptKeys: store.use(createReceiptKeyTable),
    secretBox: createSecretBox(secretsKeys),
    now: Date.now,
  };
  console.log(await rotateReceiptKey(parts));
}

/**
 * Encrypts all webhook secrets with the first key of SECRETS_KEY, and makes it the key of the database. `lostKey` allows
 * the loss of webhook secrets that no key decrypts.
 */
export async function reseal(store: Store, config: Config, { lostKey }: { lostKey: boolean }): Promise<void> {
  const nowMs = Date.now();
  const { resealed, unreadable } = await runStartStep('SECRETS_KEY', () =>
    resealDatabase(store, config, { isKeyLost: lostKey, nowMs }),
  );
  console.log(`Encrypted the secrets of ${resealed} webhooks with this key. The service starts with it.`);
  if (unreadable.length === 0) return;
  console.log(
    `The secrets of ${unreadable.length} webhooks are lost. Rotate them with POST /webhooks/{id}/rotate-secret:`,
  );
  for (const { accountId, webhookId } of unreadable) console.log(`${accountId} ${webhookId}`);
}
