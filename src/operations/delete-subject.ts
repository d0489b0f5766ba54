import { ProblemError } from '../contract/problem.js';
import { openReceipts } from '../keys/receipts.js';
import { eraseSubject } from '../retention/erase.js';
import { createReceiptKeyTable } from '../store/receipt-keys.js';
import type { OperationRecord } from './operation.js';

/** Responds after all data of the subject is erased, with a signed receipt. */
export const deleteSubject: OperationRecord<
  'deleteSubject',
  'store' | 'digestId' | 'now' | 'recordErasures' | 'secretBox'
> = {
  personalData: 'erases',
  tool: {
    name: 'delete_subject',
    title: 'Erase a person',
    description:
      'Erase all data about a person: topics, baseline, sessions and history. This cannot be undone. Call it only when the person or the operator asks for it.',
  },
  async handle(services, { params }, { accountId, keyId }) {
    const { subject_id } = params;
    // Opened before the erasure, so that nothing is erased without a receipt.
    const sign = await openReceipts({
      receiptKeys: services.store.use(createReceiptKeyTable),
      secretBox: services.secretBox,
      now: services.now,
    });
    const erased = await eraseSubject(services, accountId, subject_id);
    if (!erased) throw new ProblemError('subject_not_found');
    const { sessions, triggers } = erased;
    const removed = { sessions_removed: sessions, triggers_removed: triggers };
    const deleted = { sessions_deleted: sessions, trigger_entries_deleted: triggers };
    const body = { subject_id, deleted: true, ...removed, ...deleted };
    return { status: 200, body: { ...body, receipt: await sign({ ...body, key_id: keyId }) } };
  },
};
