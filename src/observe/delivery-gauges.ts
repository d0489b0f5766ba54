import { Gauge, type Registry } from 'prom-client';
import { countMax, type DeliveryCounts } from '../store/delivery-queue.js';
import { addGauge } from './gauges.js';
import { inTime } from './in-time.js';

export interface WorkerLoad {
  readonly slotsInUse: number;
  readonly agesSeconds: readonly number[];
}

/** Adds the numbers of pending and failed deliveries. They keep their last values while the database is unavailable. */
export function addDeliveryGauges(registry: Registry, read: () => Promise<DeliveryCounts>): void {
  const upTo = `at most ${countMax}`;
  const help = (what: string) => `${what} of all accounts, ${upTo}; the same in every process of a database.`;
  addGauge(
    registry,
    'state_service_webhook_deliveries_pending',
    help('Unsettled deliveries'),
    async () => (await read()).pending,
    true,
  );
  addGauge(
    registry,
    'state_service_webhook_deliveries_failed',
    help('Retained failed deliveries'),
    async () => (await read()).failed,
    true,
  );
}

/** Ages of deliveries in flight: label and upper bound, seconds. */
const ageBounds = [
  ['0-1', 1],
  ['1-5', 5],
  ['5-10', 10],
  ['10+', Number.POSITIVE_INFINITY],
] as const;

/** Adds the slots in use and the deliveries in flight by age. */
export function addWorkerGauges(registry: Registry, read: () => Promise<WorkerLoad | undefined>): void {
  addGauge(registry, 'state_service_webhook_slots_in_use', 'Deliveries in progress, of 512.', async () => {
    const load = await read();
    if (!load) throw new Error('this process has no delivery worker');
    return load.slotsInUse;
  });
  new Gauge({
    name: 'state_service_webhook_deliveries_in_flight',
    help: 'Deliveries in progress by age in seconds.',
    labelNames: ['age_seconds'],
    registers: [registry],
    async collect() {
      const ages = (await inTime(read()).catch(() => undefined))?.agesSeconds ?? [];
      for (const [index, [label, max]] of ageBounds.entries()) {
        const above = ageBounds[index - 1]?.[1] ?? Number.NEGATIVE_INFINITY;
        this.set({ age_seconds: label }, ages.filter((age) => age <= max && age > above).length);
      }
    },
  });
}
