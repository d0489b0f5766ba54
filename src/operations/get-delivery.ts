import { ProblemError } from '../contract/problem.js';
import { readWhose } from '../contract/whose.js';
import { isOfPerson } from '../store/outbox.js';
import { createDeliveryLog } from '../store/settled-deliveries.js';
import { toContractDelivery } from '../webhooks/view.js';
import type { OperationRecord } from './operation.js';

export const getDelivery: OperationRecord<'getDelivery', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { params }, { accountId }) {
    const delivery = await createDeliveryLog(store.read(accountId)).find(params.delivery_id);
    if (!delivery || isOfPerson(delivery)) throw new ProblemError('delivery_not_found');
    return { status: 200, body: toContractDelivery(delivery), whose: readWhose({ session_id: delivery.sessionId }) };
  },
};
