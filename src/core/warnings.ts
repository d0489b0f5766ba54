import { developmentKeyWarnings } from '../accounts/development-key.js';
import type { Config } from '../config/config.js';
import type { Store } from '../store/store.js';

/** Warnings for the operator about this deployment, each with its remedy. */
export async function findWarnings(
  store: Store,
  { database, secretsKey, targetPolicy }: Pick<Config, 'database' | 'secretsKey' | 'targetPolicy'>,
  nowMs: number,
): Promise<string[]> {
  const isKeyDerived = database.kind === 'mysql' && secretsKey === undefined;
  return [
    ...(targetPolicy.allowLoopback
      ? ['webhooks may go to this machine itself: set WEBHOOK_ALLOW_LOOPBACK=0 where strangers hold keys']
      : []),
    ...(isKeyDerived ? ['SECRETS_KEY is not set: it is derived from DATABASE_URL and changes with it'] : []),
    ...((await store.isDurable())
      ? []
      : ['innodb_flush_log_at_trx_commit is not 1: the server may lose acknowledged readings at power loss']),
    ...(await developmentKeyWarnings(store.keys, nowMs)),
  ];
}
