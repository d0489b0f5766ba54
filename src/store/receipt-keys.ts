import type { Knex } from 'knex';
import { nameColumns, toColumns } from './columns.js';
import { changeRows, type CodedRow, hasValidCode } from './row-codes.js';

/** A key that signs deletion receipts (Ed25519). */
export interface ReceiptKey {
  readonly keyId: string;
  /** 43 characters of base64url. */
  readonly publicKey: string;
  /** Sealed. Null if a rotation has replaced the key. */
  readonly privateKey: string | null;
  readonly createdAtMs: number;
}

const columns = nameColumns('keyId publicKey privateKey createdAtMs');
const newestFirst = ['created_at_ms', 'key_id'].map((column) => ({ column, order: 'desc' as const }));

/**
 * Queries of the keys that sign deletion receipts. Public keys are never deleted, so that old receipts stay verifiable.
 */
export function createReceiptKeyTable(knex: Knex) {
  const table = () => knex('receipt_keys');
  const selectKey = (keyId: string) => (rows: Knex.QueryBuilder) => rows.where({ key_id: keyId });
  return {
    /** Returns at most `max` keys, newest first. A key without a valid code does not exist. */
    async list(max: number): Promise<ReceiptKey[]> {
      const rows: Array<ReceiptKey & Pick<CodedRow, 'code'>> = await table()
        .select({ ...columns, code: 'code' })
        .orderBy(newestFirst)
        .limit(max);
      return rows.filter(({ code = null, ...key }) =>
        hasValidCode(knex, 'receipt_keys', { ...toColumns(columns, key), code }),
      );
    },

    async insert(key: ReceiptKey): Promise<void> {
      const mine = selectKey(key.keyId);
      await changeRows(knex, 'receipt_keys', mine, (on) => on('receipt_keys').insert(toColumns(columns, key)));
    },

    /** Replaces the sealed private key. Null deletes it. */
    async setPrivateKey(keyId: string, privateKey: string | null): Promise<void> {
      const mine = selectKey(keyId);
      const change = { private_key: privateKey };
      await changeRows(knex, 'receipt_keys', mine, (on) => mine(on('receipt_keys')).update(change));
    },
  };
}

export type ReceiptKeyTable = ReturnType<typeof createReceiptKeyTable>;
