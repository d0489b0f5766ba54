import type { Command } from 'commander';
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

/** Adds the commands of the keys that no caller holds: of webhook secrets and of deletion receipts. */
export function addSecrets(keys: Command, withStore: WithStore): Command {
  keys
    .command('reseal')
    .description(
      'encrypt all webhook secrets with the first key of SECRETS_KEY, and let the service start with it. Stop the ' +
        'service and its workers first',
    )
    .option('--lost-key', 'give up webhook secrets that no key can read', false)
    .action((options: { lostKey: boolean }) => withStore((store, config) => reseal(store, config, options)));
  const receipt = keys.command('receipt').description('list and rotate the keys that sign deletion receipts');
  receipt
    .command('list')
    .description('list the keys, newest first. The newest one signs')
    .action(() => withStore(list));
  receipt
    .command('rotate')
    .description('create a new key and delete the private parts of the earlier ones. Their receipts stay verifiable')
    .action(() => withStore(rotate));
  return keys;
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
async function reseal(store: Store, config: Config, { lostKey }: { lostKey: boolean }): Promise<void> {
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
