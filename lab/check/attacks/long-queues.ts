import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../src/config/config.js';
import { createDeliveryTable } from '../../../src/store/deliveries.js';
import { createKeyTable } from '../../../src/store/keys.js';
import { openStore } from '../../../src/store/store.js';
import { createDelivery } from '../../../src/webhooks/queues.js';
import { type Receivers, startReceivers } from '../../bench/support/receivers.js';
import { startHangingReceivers } from './hanging.js';
import { type Scenario } from './scenario.js';
import { type Stage } from './stage.js';

/** Rows per insert. Less than the 500 rows that SQLite accepts in one insert. */
const rowsPerInsert = 400;

/** Time for a restarted service to compile its hot functions before the neighbor is measured again, ms. */
const warmUpMs = 2_000;

/**
 * Fills the queue of one receiver. Runs while the service is stopped, so that the service sends no delivery before the
 * queue is full.
 */
async function fillQueue(stage: Stage, count: number, url: string): Promise<void> {
  const { id } = await stage.attacker.webhooks.register(url);
  await stage.restart({ between: () => storeDueDeliveries(stage, count, { id, url }) });
  await stage.neighbor.measure(warmUpMs);
}

/** Inserts due deliveries of the attacker. Inserts in bulk, because only the claims are measured. */
async function storeDueDeliveries(
  stage: Stage,
  count: number,
  { id: webhookId, url }: { readonly id: string; readonly url: string },
): Promise<void> {
  const store = openStore(readConfig({ DATABASE_URL: stage.databaseUrl }).database);
  try {
    const keys = await store.use(createKeyTable).list('attacker');
    const accountId = keys[0]?.accountId ?? '';
    const timestamp = new Date(stage.clock.now()).toISOString();
    const change = {
      event: 'state_change',
      previous_state: 'calm',
      new_state: 'stressed',
      stress_score: 64,
      timestamp,
    };
    const rest = { sessionId: 'due', payload: JSON.stringify({ ...change, session_id: 'due' }) };
    for (let stored = 0; stored < count; stored += rowsPerInsert) {
      const batch = Array.from({ length: Math.min(rowsPerInsert, count - stored) }, () =>
        createDelivery({ accountId, webhookId, url }, { ...rest, dueAtMs: stage.clock.now() }),
      );
      await store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).insert(batch));
    }
  } finally {
    await store.close();
  }
}

const rows = 100_000;
const fewRows = 1_000;
const attackMs = 8_000;
/** Maximum ratio between the delivery rate of a short queue and that of a long queue. */
const drainRatioMax = 5;
/** Maximum ratio between the neighbor's p50 with and without the attack. */
const neighborRatioMax = 2;

/** Data that each stage prepares for its attack. */
const prepared = new WeakMap<Stage, { readonly receivers: Receivers; readonly rateOfShort: number }>();

export const longQueue: Scenario = {
  item: 8,
  title: '100,000 due deliveries for one receiver',
  neighborRatioMax,
  async prepare(stage) {
    const receivers = await startReceivers(1);
    stage.defer(receivers.close);
    const url = receivers.urls[0] ?? '';
    const startedAt = performance.now();
    await storeDueDeliveries(stage, fewRows, await stage.attacker.webhooks.register(url));
    await receivers.until(fewRows);
    const rateOfShort = (1000 * fewRows) / (performance.now() - startedAt);
    await fillQueue(stage, rows, url);
    prepared.set(stage, { receivers, rateOfShort });
  },
  async attack(stage) {
    const { receivers, rateOfShort } = prepared.get(stage) ?? {};
    if (!receivers || !rateOfShort) throw new Error('attack runs before prepare');
    const [before, startedAt] = [receivers.attempts.size, performance.now()];
    await sleep(attackMs);
    const rate = (1000 * (receivers.attempts.size - before)) / (performance.now() - startedAt);
    return [
      { what: 'deliveries per second, short queue', found: Math.round(rateOfShort) },
      { what: 'deliveries per second, long queue', found: Math.round(rate) },
      {
        what: 'rate of the short queue (× long queue)',
        found: Number((rateOfShort / rate).toFixed(1)),
        target: drainRatioMax,
      },
      { what: 'attempts at one delivery at the same time', found: receivers.overlaps(), allowed: 0 },
    ];
  },
};

export const longQueueThatHangs: Scenario = {
  item: 8,
  title: '100,000 due deliveries for one receiver that hangs',
  neighborRatioMax,
  async prepare(stage) {
    const receivers = await startHangingReceivers(1, 1);
    stage.defer(receivers.close);
    await fillQueue(stage, rows, receivers.urls[0] ?? '');
  },
  async attack() {
    await sleep(attackMs);
    return [];
  },
};
