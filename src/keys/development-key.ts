import { keys as settings } from '../../generated/spec.js';
import { createKeyTable, type KeyTable } from '../store/keys.js';
import type { Store } from '../store/store.js';
import { formatTimestamp } from './audit.js';
import { formatNewKeyCommand } from './expired-keys.js';
import { createKey } from './manage.js';
import { allScopes } from './scopes.js';

const dayMs = 24 * 60 * 60 * 1000;
const account = 'development';
/** The startup prints a warning when the last development key expires within this time in ms. */
const noticeMs = 7 * dayMs;

/** The key created at the first startup, shown once. */
export interface DevelopmentKey {
  readonly key: string;
  readonly expiresAtMs: number;
}

/** Creates a development key if an embedded database is empty, so that the service can be used immediately. */
export async function ensureDevelopmentKey(store: Store, nowMs: number): Promise<DevelopmentKey | undefined> {
  if (!store.isEmbedded || (await store.use(createKeyTable).hasAccount())) return undefined;
  return store.administer((knex) => createDevelopmentKey(createKeyTable(knex), nowMs));
}

export async function createDevelopmentKey(keys: KeyTable, nowMs: number): Promise<DevelopmentKey> {
  const expiresAtMs = nowMs + settings.development_key_days * dayMs;
  const { key } = await createKey(keys, { account, tier: 'enterprise', scopes: allScopes, expiresAtMs }, nowMs);
  return { key, expiresAtMs };
}

/**
 * Returns warnings with a remedy when every development key has expired or expires soon. Otherwise returns an empty
 * array.
 */
export async function listDevelopmentKeyWarnings(keys: KeyTable, nowMs: number): Promise<string[]> {
  const ends = (await keys.list(account))
    .filter(({ revokedAtMs }) => revokedAtMs === null)
    .map(({ expiresAtMs }) => expiresAtMs ?? Number.POSITIVE_INFINITY);
  const lastMs = Math.max(...ends);
  if (ends.length === 0 || lastMs - nowMs > noticeMs) return [];
  const state = lastMs <= nowMs ? `expired on ${formatTimestamp(lastMs)}` : `expires on ${formatTimestamp(lastMs)}`;
  return [`the development key ${state}: create a new one with \`${formatNewKeyCommand(account)} --expires 30d\``];
}
