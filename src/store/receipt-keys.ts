import type { Knex } from 'knex';

/** A key that signs deletion receipts (Ed25519). */
export interface ReceiptKey {
  readonly keyId: string;
  /** 43 characters of base64url. */
  readonly publicKey: string;
  /** Sealed. Null if a rotation has replaced the key. */
  readonly privateKey: string | null;
  readonly createdAtMs: number;
}

const columns = { keyId: 'key_id', publicKey: 'public_key', privateKey: 'private_key', createdAtMs: 'created_at_ms' };

/**
 * Queries of the keys that sign deletion receipts. Public keys are never deleted, so that old receipts stay verifiable.
 */
export function createReceiptKeyTable(knex: Knex) {
  const table = () => knex('receipt_keys');
  return {
    /** Returns at most `max` keys, newest first. */
    async list(max: number): Promise<ReceiptKey[]> {
      const newestFirst = [
        { column: 'created_at_ms', order: 'desc' },
        { column: 'key_id', order: 'desc' },
      ];
      const rows = await table().select(columns).orderBy(newestFirst).limit(max);
      return rows.map((row) => ({ ...row, createdAtMs: Number(row.createdAtMs) }));
    },

    async insert({ keyId, publicKey, privateKey, createdAtMs }: ReceiptKey): Promise<void> {
      const row = { key_id: keyId, public_key: publicKey, private_key: privateKey, created_at_ms: createdAtMs };
      await table().insert(row);
    },

    /** Replaces the sealed private key. Null deletes it. */
    async setPrivateKey(keyId: string, privateKey: string | null): Promise<void> {
      await table().where({ key_id: keyId }).update({ private_key: privateKey });
    },
  };
}

export type ReceiptKeyTable = ReturnType<typeof createReceiptKeyTable>;
