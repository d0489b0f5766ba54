import { receiptKeysMax, toPublicJwk } from '../keys/receipts.js';
import { createReceiptKeyTable } from '../store/receipt-keys.js';
import type { OperationRecord } from './operation.js';

/** Returns the public keys of deletion receipts. Requires no API key: a receipt can be verified without an account. */
export const listReceiptKeys: OperationRecord<'listReceiptKeys', 'store'> = {
  personalData: 'none',
  async handle({ store }) {
    const keys = await store.use(createReceiptKeyTable).list(receiptKeysMax);
    return { status: 200, body: { keys: keys.map(toPublicJwk) } };
  },
};
