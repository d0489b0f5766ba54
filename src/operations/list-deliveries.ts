import { createDeliveryLog, type DeliveryOutcome } from '../store/settled-deliveries.js';
import { splitDeliveries, toContractDelivery } from '../webhooks/view.js';
import { findDeliveryPage } from './delivery-page.js';
import type { OperationRecord } from './operation.js';

const outcomes: readonly DeliveryOutcome[] = ['delivered', 'failed'];

export const listDeliveries: OperationRecord<'listDeliveries', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { query }, { accountId }) {
    const wanted = query.status === undefined ? outcomes : [query.status];
    const log = createDeliveryLog(store.read(accountId));
    const { page, next_cursor } = await findDeliveryPage(query, (filter, max) => log.page(wanted, filter, max));
    return { status: 200, body: { ...splitDeliveries(page, toContractDelivery), next_cursor } };
  },
};
