import type { Logger } from 'pino';
import type { Config, SecretsKeys } from '../config/config.js';
import { computeCheckValue, createKeyFile, findSecretsKeys, requireSecretsKeys } from '../config/secrets-key.js';
import { formatCommandLine } from '../contract/command-line.js';
import { resealReceiptKeys } from '../keys/receipts.js';
import { deleteOldest } from '../store/delete-oldest.js';
import { createReceiptKeyTable } from '../store/receipt-keys.js';
import { untilAvailable } from '../store/retry.js';
import { codeRows } from '../store/row-codes.js';
import { createSecretsKeyTable } from '../store/secrets-key.js';
import { resealSigningSecrets } from '../store/source-keys.js';
import type { Store } from '../store/store.js';
import { type Resealed, resealWebhooks } from '../webhooks/reseal.js';
import { createSecretBox, type SecretBox, SecretBoxError } from '../webhooks/secrets.js';

const purgeRows = 500;

const lostKey = `If that key is lost, run "${formatCommandLine('keys', 'reseal --lost-key')}"`;
const unknownKey =
  'no configured key is the key that the database was used with: set that key, also to replace it (SECRETS_KEY=NEW,OLD). ' +
  lostKey;
/**
 * Returns the keys of a process. Creates the key file of a new embedded database. Rejects if the database was used with
 * another key: resent readings would be stored again, and no webhook could be signed.
 */
export async function admitSecretsKeys(store: Store, config: Config, nowMs: number): Promise<SecretsKeys> {
  const keys = (await findMatchingKeys(store, config)) ?? createKeys(config);
  if (await store.use(createSecretsKeyTable).find()) return keys;
  await untilAvailable(() =>
    store.use(createSecretsKeyTable).claim({ checkValue: computeCheckValue(keys[0]), sinceMs: nowMs }),
  );
  // Another process may have stored its key first.
  return admitSecretsKeys(store, config, nowMs);
}

/**
 * Returns the keys. Undefined if a new embedded database has no key file yet. Rejects with the remedy if the database was
 * used with another key.
 */
export async function findMatchingKeys(store: Store, config: Config): Promise<SecretsKeys | undefined> {
  const stored = await store.use(createSecretsKeyTable).find();
  const keys = stored ? requireSecretsKeys(config) : findSecretsKeys(config);
  if (stored && !hasKey(keys, stored.checkValue)) throw new Error(unknownKey);
  return keys;
}

/**
 * Encrypts all webhook secrets with the first of several keys, then makes it the key of the database. Processes that do
 * not have this key cannot start any more.
 */
export async function replaceSecretsKey(store: Store, keys: SecretsKeys, log: Logger, nowMs: number): Promise<void> {
  if (keys.length < 2) return;
  const { resealed, unreadable } = await resealAll(store, keys);
  log.info({ resealed, unreadable: unreadable.length }, 'webhook secrets encrypted with the newest SECRETS_KEY');
  await storeNewest(store, keys, nowMs);
}

/** Encrypts with the first key what the keys can read, and codes the rows with it. */
async function resealAll(store: Store, keys: SecretsKeys): Promise<Resealed> {
  const secretBox = createSecretBox(keys);
  await resealReceiptKeys(store.use(createReceiptKeyTable), secretBox);
  await store.run((knex) => resealSigningSecrets(knex, createReseal(secretBox)));
  await store.run((knex) => codeRows(knex, (code, [, ...older]) => code !== null && older.includes(code)));
  return resealWebhooks(store, secretBox);
}

/** A secret that no key can read stays as it is: the hub needs a new connection. */
function createReseal({ reseal }: SecretBox) {
  return (sealed: string, accountId: string, sourceKeyId: string): string | undefined => {
    try {
      return reseal(sealed, `${accountId} ${sourceKeyId}`);
    } catch (error) {
      if (error instanceof SecretBoxError) return undefined;
      throw error;
    }
  };
}

/**
 * Encrypts all webhook secrets with the first key. With `isKeyLost`, secrets may remain unreadable. Deletes the stored
 * responses to requests with an Idempotency-Key, because they may contain secrets that the keys cannot read.
 */
export async function resealDatabase(
  store: Store,
  config: Config,
  { isKeyLost, nowMs }: { readonly isKeyLost: boolean; readonly nowMs: number },
): Promise<Resealed> {
  const stored = await store.use(createSecretsKeyTable).find();
  const keys = findSecretsKeys(config) ?? (isKeyLost ? createKeys(config) : requireSecretsKeys(config));
  if (stored && !hasKey(keys, stored.checkValue) && !isKeyLost) throw new Error(unknownKey);
  const result = await resealAll(store, keys);
  while (
    (await store.run((knex) => deleteOldest(knex, 'idempotency_keys', 'created_at_ms', nowMs, purgeRows))).rows > 0
  );
  await storeNewest(store, keys, nowMs);
  return result;
}

function createKeys({ database }: Config): SecretsKeys {
  if (database.kind !== 'sqlite')
    throw new Error('MySQL requires SECRETS_KEY: set it to the key of the other processes');
  return [createKeyFile(database.file)];
}

const hasKey = (keys: SecretsKeys | undefined, checkValue: string) =>
  keys?.some((key) => computeCheckValue(key) === checkValue) ?? false;

async function storeNewest(store: Store, [newest]: SecretsKeys, nowMs: number): Promise<void> {
  const checkValue = computeCheckValue(newest);
  if ((await store.use(createSecretsKeyTable).find())?.checkValue === checkValue) return;
  await untilAvailable(() => store.use(createSecretsKeyTable).replace({ checkValue, sinceMs: nowMs }));
}
