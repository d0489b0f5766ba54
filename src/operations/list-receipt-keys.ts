import { receiptKeyTable } from '../store/receipt-keys.js';
import { receiptKeysMax, toPublicJwk } from '../keys/receipts.js';
import type { OperationRecord } from './operation.js';

/** Returns the public keys of deletion receipts. Without a key of the API, because whoever has a receipt may verify it. */
export const listReceiptKeys: OperationRecord<'listReceiptKeys', 'store'> = {
  personalData: 'none',
  async handle({ store }) {
    const keys = await store.use(receiptKeyTable).list(receiptKeysMax);
    return { status: 200, body: { keys: keys.map(toPublicJwk) } };
  },
};
