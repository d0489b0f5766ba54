import type { DueDelivery } from '../store/delivery-queue.js';
import type { EventBody } from '../store/event-kinds.js';

/**
 * Returns the attributes of a delivery as headers (CloudEvents 1.0, HTTP protocol binding, binary mode). They are not signed:
 * each repeats what the signed body or `webhook-id` states, except the source. `publicUrl` has only characters of a URL.
 */
export function buildCloudEventHeaders(
  { deliveryId, payload }: Pick<DueDelivery, 'deliveryId' | 'payload'>,
  publicUrl = '/',
): Record<string, string> {
  const { event, timestamp } = JSON.parse(payload) as Partial<EventBody>;
  return {
    'ce-specversion': '1.0',
    'ce-id': deliveryId,
    'ce-source': publicUrl,
    // Of a row that this service did not write, they could be missing.
    ...(event && { 'ce-type': event }),
    ...(timestamp && { 'ce-time': timestamp }),
  };
}
