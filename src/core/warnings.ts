import { idempotency } from '../../generated/spec.js';
import { developmentKeyWarnings } from '../accounts/development-key.js';
import type { Config } from '../config/config.js';
import type { Store } from '../store/store.js';

/** Returns warnings for the operator about this deployment, each with its remedy. */
export async function findWarnings(
  store: Store,
  { database, secretsKeys, targetPolicy }: Pick<Config, 'database' | 'secretsKeys' | 'targetPolicy'>,
  nowMs: number,
): Promise<string[]> {
  const isKeyDerived = database.kind === 'mysql' && secretsKeys === undefined;
  return [
    ...(targetPolicy.allowLoopback
      ? ['webhooks to loopback addresses are allowed: set WEBHOOK_ALLOW_LOOPBACK=0 if others have keys']
      : []),
    ...(isKeyDerived
      ? ['SECRETS_KEY is not set: set it, because the key derived from DATABASE_URL changes with DATABASE_URL']
      : []),
    ...(secretsKeys && secretsKeys.length > 1
      ? [
          `SECRETS_KEY holds ${secretsKeys.length} keys: keep only the first one ${idempotency.retention_hours} hours from now`,
        ]
      : []),
    ...((await store.isDurable())
      ? []
      : ['innodb_flush_log_at_trx_commit is not 1: the server may lose acknowledged readings at power loss']),
    ...(await developmentKeyWarnings(store.keys, nowMs)),
  ];
}
