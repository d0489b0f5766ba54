import type { Knex } from 'knex';
import type { Tier } from '../contract.js';
import { retry } from './retry.js';

/** Accounts and their keys. Only the SHA-256 of a key is stored, and its first characters to tell keys apart. */
export interface KeyRow {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyHash: string;
  readonly displayPrefix: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** To the hour; null for one that was never used. */
  readonly lastUsedAtMs: number | null;
}

export interface AccountRow {
  readonly accountId: string;
  readonly name: string;
  readonly tier: string;
  readonly createdAtMs: number;
}

export type ListedKey = KeyRow & { readonly account: string; readonly tier: string };

export type KeyOfTier = KeyRow & { readonly tier: Tier };

const keyColumns = {
  accountId: 'api_keys.account_id',
  keyId: 'key_id',
  keyHash: 'key_hash',
  displayPrefix: 'display_prefix',
  createdAtMs: 'api_keys.created_at_ms',
  expiresAtMs: 'expires_at_ms',
  revokedAtMs: 'revoked_at_ms',
  lastUsedAtMs: 'last_used_at_ms',
};

export function keyTable(knex: Knex) {
  return {
    /** Those of the named ones that there are, with the tiers of their accounts. */
    async byHashes(keyHashes: readonly string[]): Promise<KeyOfTier[]> {
      return knex('api_keys')
        .join('accounts', 'accounts.account_id', 'api_keys.account_id')
        .select({ ...keyColumns, tier: 'accounts.tier' })
        .whereIn('key_hash', keyHashes);
    },

    async recordUse({ accountId, keyId }: KeyRow, nowMs: number): Promise<void> {
      await knex('api_keys').where({ account_id: accountId, key_id: keyId }).update({ last_used_at_ms: nowMs });
    },

    async byId(keyId: string): Promise<KeyRow | undefined> {
      return knex('api_keys').select(keyColumns).where({ key_id: keyId }).first();
    },

    /** All keys with their accounts, oldest first; of one account when it is named. */
    async list(account?: string): Promise<ListedKey[]> {
      const query = knex('api_keys')
        .join('accounts', 'accounts.account_id', 'api_keys.account_id')
        .select({ ...keyColumns, account: 'accounts.name', tier: 'accounts.tier' })
        .orderBy('api_keys.created_at_ms');
      return account === undefined ? query : query.where({ 'accounts.name': account });
    },

    async insert(row: KeyRow): Promise<void> {
      const columns = {
        account_id: row.accountId,
        key_id: row.keyId,
        key_hash: row.keyHash,
        display_prefix: row.displayPrefix,
        created_at_ms: row.createdAtMs,
        expires_at_ms: row.expiresAtMs,
        revoked_at_ms: row.revokedAtMs,
      };
      await retry(async () => knex('api_keys').insert(columns));
    },

    async end(key: KeyRow, change: { expiresAtMs: number } | { revokedAtMs: number }): Promise<void> {
      const columns =
        'expiresAtMs' in change ? { expires_at_ms: change.expiresAtMs } : { revoked_at_ms: change.revokedAtMs };
      const mine = { account_id: key.accountId, key_id: key.keyId, revoked_at_ms: null };
      await retry(async () => knex('api_keys').where(mine).update(columns));
    },

    async accountByName(name: string): Promise<AccountRow | undefined> {
      return knex('accounts')
        .select({ accountId: 'account_id', name: 'name', tier: 'tier', createdAtMs: 'created_at_ms' })
        .where({ name })
        .first();
    },

    /** Does nothing where another process has just made an account of that name. */
    async insertAccount(row: AccountRow): Promise<void> {
      const columns = { account_id: row.accountId, name: row.name, tier: row.tier, created_at_ms: row.createdAtMs };
      await retry(async () => knex('accounts').insert(columns).onConflict('name').ignore());
    },

    async setTier(accountId: string, tier: string): Promise<void> {
      await retry(async () => knex('accounts').where({ account_id: accountId }).update({ tier }));
    },

    async hasAccount(): Promise<boolean> {
      return (await knex('accounts').select('account_id').first()) !== undefined;
    },
  };
}

export type KeyTable = ReturnType<typeof keyTable>;
