import type { Knex } from 'knex';
import { nameColumns, toColumns } from './columns.js';
import { changeRows, hasValidCode } from './row-codes.js';

/** A key that signs deletion receipts (Ed25519). */
export interface ReceiptKey {
  readonly keyId: string;
  /** 43 characters of base64url. */
  readonly publicKey: string;
  /** Sealed. Null if a rotation has replaced the key. */
  readonly privateKey: string | null;
  readonly createdAtMs: number;
}

/** A stored key. Without a valid code, it neither signs nor is published. */
export interface StoredReceiptKey extends ReceiptKey {
  readonly hasValidCode: boolean;
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
    /** Returns at most `max` keys, newest first. */
    async list(max: number): Promise<StoredReceiptKey[]> {
      const rows = await table().select().orderBy(newestFirst).limit(max);
      return rows.map((row) => ({
        ...{ keyId: row.key_id, publicKey: row.public_key, privateKey: row.private_key },
        createdAtMs: Number(row.created_at_ms),
        hasValidCode: hasValidCode(knex, 'receipt_keys', row),
      }));
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
