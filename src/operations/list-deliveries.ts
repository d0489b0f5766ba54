import type { DeliveryStatus } from '../store/delivery-row.js';
import { splitDeliveries, toContractDelivery } from '../webhooks/view.js';
import { findDeliveryPage } from './delivery-page.js';
import type { OperationRecord } from './operation.js';

const settled: readonly DeliveryStatus[] = ['delivered', 'failed'];
const pending: readonly DeliveryStatus[] = ['due', 'queued'];

export const listDeliveries: OperationRecord<'listDeliveries', 'store'> = {
  personalData: 'reads',
  async handle({ store }, { query }, { accountId }) {
    const { status } = query;
    const isPending = status === 'pending';
    const wanted = isPending ? pending : settled.filter((it) => status === undefined || it === status);
    // A pending delivery has no time of settlement.
    const by = isPending ? 'eventAtMs' : 'settledAtMs';
    const { page, next_cursor } = await findDeliveryPage(store.read(accountId), wanted, query, by);
    return { status: 200, body: { ...splitDeliveries(page, toContractDelivery), next_cursor } };
  },
};
