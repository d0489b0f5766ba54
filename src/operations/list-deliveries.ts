import type { Delivery } from '../store/delivery-row.js';
import type { ReadScope } from '../store/scope.js';
import {
  type DeliveryFilter,
  createDeliveryLog,
  type DeliveryOutcome,
  orderNewestFirst,
} from '../store/settled-deliveries.js';
import { toContractDelivery } from '../webhooks/view.js';
import { findDeliveryPage } from './delivery-page.js';
import type { OperationRecord } from './operation.js';

const outcomes: readonly DeliveryOutcome[] = ['delivered', 'failed'];

export const listDeliveries: OperationRecord<'listDeliveries', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { query }, { accountId }) {
    const wanted = query.status === undefined ? outcomes : [query.status];
    const { page, next_cursor } = await findDeliveryPage(query, findIn(store.read(accountId), wanted));
    return { status: 200, body: { deliveries: page.map(toContractDelivery), next_cursor } };
  },
};

/**
 * Returns a function that merges the pages of each outcome in memory. An index orders only the deliveries of one
 * status.
 */
function findIn(scope: ReadScope, wanted: readonly DeliveryOutcome[]) {
  return async (filter: DeliveryFilter, max: number): Promise<Delivery[]> => {
    const found = await Promise.all(wanted.map((outcome) => createDeliveryLog(scope).page(outcome, filter, max)));
    return found.flat().sort(orderNewestFirst('settledAtMs')).slice(0, max);
  };
}
