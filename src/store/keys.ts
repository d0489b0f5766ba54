import type { Knex } from 'knex';
import type { AccountSettings, Scope, Tier } from '../contract/contract.js';
import { nameColumns, toColumns } from './columns.js';
import { acceptRow } from './invalid-rows.js';
import { auditColumns, type AuditEntry, createAuditQueries } from './key-audit.js';
import { listAllMade } from './list-made.js';
import { retry } from './retry.js';
import { changeRows, transactCoded } from './row-codes.js';
import { rowFormats } from './row-formats.js';
import { createPersonLinkTable } from './person-links.js';
import type { ReadScope } from './scope.js';
import { createSourceKeyTable } from './source-keys.js';

/**
 * A key of an account. The database contains only its SHA-256 hash and its first characters, which identify it in
 * lists.
 */
export interface KeyRow {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyHash: string;
  readonly displayPrefix: string;
  /** Scopes of the key. Null means all scopes. */
  readonly scopes: readonly Scope[] | null;
  /** Canonical CIDRs from which the key is valid. Null means every address. */
  readonly networks: readonly string[] | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Time of the last use, rounded to the hour, in epoch ms. Null if the key was never used. */
  readonly lastUsedAtMs: number | null;
}

export interface AccountRow {
  readonly accountId: string;
  readonly name: string;
  readonly tier: string;
  readonly createdAtMs: number;
  readonly settings: AccountSettings;
}

/** A key with the name, tier and settings of its account. */
export type ListedKey = KeyRow & {
  readonly account: string;
  readonly tier: Tier;
  readonly settings: AccountSettings;
};

const keyColumns = nameColumns(
  'accountId keyId keyHash displayPrefix scopes networks createdAtMs expiresAtMs revokedAtMs lastUsedAtMs',
);
const accountColumns = nameColumns('accountId name tier createdAtMs settings');

const selectedColumns = Object.fromEntries(
  Object.entries(keyColumns).map(([field, column]) => [field, `api_keys.${column}`]),
);

/** Accounts, their keys and the audit log. All changes run in a transaction together with their audit entry. */
export function createKeyTable(knex: Knex) {
  return {
    ...keyQueries(knex),

    async recordUse({ accountId, keyId }: Pick<KeyRow, 'accountId' | 'keyId'>, nowMs: number): Promise<void> {
      await knex('api_keys').where({ account_id: accountId, key_id: keyId }).update({ last_used_at_ms: nowMs });
    },

    /** Runs the work in one transaction. After a transient error, runs the work again. */
    transact: <T>(work: (keys: KeyWriter) => Promise<T>): Promise<T> =>
      retry(() => transactCoded(knex, (transaction) => work(keyWriter(transaction)))),
  };
}

export type KeyTable = ReturnType<typeof createKeyTable>;
export type KeyWriter = ReturnType<typeof keyWriter>;

function keyQueries(knex: Knex) {
  const listed = () =>
    knex('api_keys')
      .join('accounts', 'accounts.account_id', 'api_keys.account_id')
      .select({ ...selectedColumns, account: 'accounts.name', tier: 'accounts.tier', settings: 'accounts.settings' });
  return {
    ...createAuditQueries(knex),

    /** Returns the keys that exist among these hashes. */
    async byHashes(keyHashes: readonly string[]): Promise<ListedKey[]> {
      return (await listed().whereIn('key_hash', keyHashes)).map(toKey);
    },

    async find(accountId: string, keyId: string): Promise<ListedKey | undefined> {
      return (await listed().where({ 'api_keys.account_id': accountId, key_id: keyId })).map(toKey)[0];
    },

    async byId(keyId: string): Promise<ListedKey | undefined> {
      return (await listed().where({ key_id: keyId })).map(toKey)[0];
    },

    /** Returns all keys, oldest first. If `account` is given, returns only the keys of that account. */
    async list(account?: string): Promise<ListedKey[]> {
      const query = listed().orderBy('api_keys.created_at_ms');
      return (await (account === undefined ? query : query.where({ 'accounts.name': account }))).map(toKey);
    },

    listMade: (nowMs: number, account?: string) => listAllMade(knex, nowMs, account),

    async accountByName(name: string): Promise<AccountRow | undefined> {
      return (await selectAccounts(knex).where({ name })).map(toAccount)[0];
    },

    async listAccounts(): Promise<AccountRow[]> {
      return (await selectAccounts(knex).orderBy('name')).map(toAccount);
    },

    async hasAccount(): Promise<boolean> {
      return (await knex('accounts').select('account_id').first()) !== undefined;
    },
  };
}

function keyWriter(transaction: Knex.Transaction) {
  const writeRow = <T>(table: string, key: object, run: (rows: Knex.QueryBuilder) => PromiseLike<T>) =>
    changeRows(
      transaction,
      table,
      (rows) => rows.where(key),
      () => run(transaction(table)),
    );
  return {
    ...keyQueries(transaction),

    sourceKeys: (accountId: string) => createSourceKeyTable({ knex: transaction, accountId }),

    personLinks: (accountId: string) => createPersonLinkTable({ knex: transaction, accountId }),

    async insert(row: KeyRow): Promise<void> {
      const lists = { scopes: row.scopes?.join(','), networks: row.networks?.join(',') };
      const mine = { account_id: row.accountId, key_id: row.keyId };
      const columns = toColumns(keyColumns, { ...row, ...lists });
      await writeRow('api_keys', mine, (rows) => rows.insert(columns));
    },

    /** Ends a key by expiry or revocation. Returns false if the key is already revoked. */
    async end(key: KeyRow, change: { expiresAtMs: number } | { revokedAtMs: number }): Promise<boolean> {
      const columns =
        'expiresAtMs' in change ? { expires_at_ms: change.expiresAtMs } : { revoked_at_ms: change.revokedAtMs };
      const mine = { account_id: key.accountId, key_id: key.keyId };
      const end = (rows: Knex.QueryBuilder) => rows.where({ ...mine, revoked_at_ms: null }).update(columns);
      return (await writeRow('api_keys', mine, end)) > 0;
    },

    /** Inserts an account. Does nothing if another process has just created an account with the same name. */
    async insertAccount(row: AccountRow): Promise<void> {
      const columns = { account_id: row.accountId, name: row.name, tier: row.tier, created_at_ms: row.createdAtMs };
      await transaction('accounts').insert(columns).onConflict('name').ignore();
    },

    /** Returns an account and locks its row, so that two changes of its settings do not overwrite each other. */
    async lockAccount(name: string): Promise<AccountRow | undefined> {
      return (await selectAccounts(transaction).where({ name }).forUpdate()).map(toAccount)[0];
    },

    async setTier(accountId: string, tier: Tier): Promise<void> {
      await transaction('accounts').where({ account_id: accountId }).update({ tier });
    },

    async saveSettings(accountId: string, settings: AccountSettings): Promise<void> {
      const row = { settings: rowFormats.accountSettings.encode(settings) };
      await transaction('accounts').where({ account_id: accountId }).update(row);
    },

    acceptRow: (table: string, named: string) => acceptRow(transaction, table, named),

    async audit(entry: AuditEntry): Promise<void> {
      const row = toColumns(auditColumns, { ...entry, details: toAsciiJson(entry.details) });
      const mine = { account_id: entry.accountId, at_ms: entry.atMs, entry_id: entry.entryId };
      await writeRow('key_audit', mine, (rows) => rows.insert(row));
    },
  };
}

/** Returns the settings of an account. */
export async function findSettings({ knex, accountId }: ReadScope): Promise<AccountSettings> {
  const row: Pick<StoredAccount, 'settings'> | undefined = await knex('accounts')
    .where({ account_id: accountId })
    .first('settings');
  return toSettings(row?.settings ?? null);
}

/** Returns the hours of accounts that keep readings for a time of their own, by account id. Reads all accounts. */
export async function findKeptHours(knex: Knex): Promise<ReadonlyMap<string, number>> {
  const rows: Array<Record<'accountId' | 'settings', string>> = await knex('accounts')
    .select({ accountId: 'account_id', settings: 'settings' })
    .where('settings', 'like', '%"keep_readings_hours"%');
  return new Map(rows.map(({ accountId, settings }) => [accountId, toSettings(settings).keep_readings_hours ?? 0]));
}

function selectAccounts(knex: Knex) {
  return knex('accounts').select(accountColumns);
}

type StoredAccount = Omit<AccountRow, 'settings'> & { readonly settings: string | null };

function toAccount(row: StoredAccount): AccountRow {
  return { ...row, settings: toSettings(row.settings) };
}

function toSettings(stored: string | null): AccountSettings {
  return stored === null ? {} : rowFormats.accountSettings.decode(stored);
}

type StoredKey = Omit<ListedKey, 'scopes' | 'networks' | 'settings'> & {
  readonly settings: string | null;
  readonly scopes: string | null;
  readonly networks: string | null;
};

function toKey(row: StoredKey): ListedKey {
  const scopes = row.scopes === null ? null : (row.scopes.split(',') as Scope[]);
  return { ...row, scopes, networks: row.networks?.split(',') ?? null, settings: toSettings(row.settings) };
}

/** Returns JSON that escapes all other characters. */
function toAsciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
