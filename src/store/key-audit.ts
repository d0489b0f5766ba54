import type { Knex } from 'knex';
import { nameColumns } from './columns.js';

/** One change of a key, or of the tier or a setting of an account. */
export interface AuditEntry {
  readonly accountId: string;
  readonly entryId: string;
  readonly atMs: number;
  readonly action: 'create' | 'rotate' | 'revoke' | 'set' | 'accept';
  /** The changed key. Null for a change of the account itself. The code of an accepted row. */
  readonly keyId: string | null;
  readonly keyPrefix: string | null;
  /** The user who made the change, as `user@host` of the process. */
  readonly actor: string;
  /** New values, by name. Never contains a key. */
  readonly details: Readonly<Record<string, unknown>>;
}

export type ListedAuditEntry = AuditEntry & { readonly account: string };

export const auditColumns = nameColumns('accountId entryId atMs action keyId keyPrefix actor details');
const newestFirst = ['at_ms', 'entry_id'].map((column) => ({ column, order: 'desc' as const }));

/** Queries of the audit log of key administration. Entries are never changed or purged. */
export function createAuditQueries(knex: Knex) {
  return {
    /** Returns at most `max` entries, newest first. If `accountId` is given, returns only entries of that account. */
    async auditEntries(max: number, accountId?: string): Promise<ListedAuditEntry[]> {
      const query = knex('key_audit').select(auditColumns).orderBy(newestFirst).limit(max);
      if (accountId !== undefined) query.where({ account_id: accountId });
      const rows = await query;
      const names = await accountNames(knex, [...new Set(rows.map((row) => row.accountId))]);
      return rows.map((row) => ({
        ...row,
        details: JSON.parse(row.details),
        account: names.get(row.accountId) ?? '',
      }));
    },
  };
}

async function accountNames(knex: Knex, accountIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await knex('accounts').select('account_id', 'name').whereIn('account_id', accountIds);
  return new Map(rows.map((row) => [row.account_id, row.name]));
}
