import type { Operation } from '../contract.js';
import { toContractDelivery } from '../delivery/delivery-view.js';
import { ProblemError } from '../problem.js';
import type { Services } from './services.js';

export function getDelivery({ store }: Services): Operation<'getDelivery'> {
  return async ({ params }, { accountId }) => {
    const delivery = await store.read(accountId).deliveryLog.find(params.delivery_id);
    if (!delivery) throw new ProblemError('delivery_not_found');
    return { status: 200, body: toContractDelivery(delivery) };
  };
}
