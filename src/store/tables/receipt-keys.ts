import { addAscii, addFixedAscii, type TableDefinition } from './table.js';

/** The keys that sign deletion receipts. They are the same for all accounts. */
export const receipt_keys: TableDefinition = {
  content: 'keys that sign deletion receipts',
  identifies: 'nobody',
  retention: 'without end. Private keys are deleted by a rotation',
  erasure: 'no data of people',
  readBy: ['listReceiptKeys'],
  about: {
    'key_id public_key private_key created_at_ms': 'key pair, the private key encrypted',
    code: 'keyed digest of the row, so that changes are detected',
  },
  columns(table) {
    addAscii(table, 'key_id', 32).notNullable();
    // An Ed25519 key in base64url.
    addFixedAscii(table, 'public_key', 43).notNullable();
    // Sealed with the secrets key. Null after a rotation.
    addAscii(table, 'private_key', 512).nullable();
    table.bigInteger('created_at_ms').notNullable();
    table.primary(['key_id']);
  },
  coded: { key: ['key_id'], fields: ['public_key', 'private_key', 'created_at_ms'] },
};
