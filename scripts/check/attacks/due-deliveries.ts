import { readConfig } from '../../../src/config/config.js';
import { newDelivery } from '../../../src/delivery/new-delivery.js';
import { openStore } from '../../../src/store/store.js';
import type { Stage } from './stage.js';

/** Rows per insert. Less than the 500 rows that SQLite accepts in one insert. */
const rowsPerInsert = 400;

/** Time for a restarted service to compile its hot functions before the neighbor is measured again, ms. */
const warmUpMs = 2_000;

/**
 * Fills the queue of one receiver. Runs while the service is stopped, so that the service sends no delivery before the
 * queue is full.
 */
export async function fillQueue(stage: Stage, count: number, url: string): Promise<void> {
  const { id } = await stage.attacker.webhooks.register(url);
  await stage.restart({ between: () => storeDueDeliveries(stage, count, { id, url }) });
  await stage.neighbor.measure(warmUpMs);
}

/** Inserts due deliveries of the attacker. Inserts in bulk, because only the claims are measured. */
export async function storeDueDeliveries(
  stage: Stage,
  count: number,
  { id: webhookId, url }: { readonly id: string; readonly url: string },
): Promise<void> {
  const store = openStore(readConfig({ DATABASE_URL: stage.databaseUrl }).database);
  try {
    const keys = await store.keys.list('attacker');
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
      const rows = Array.from({ length: Math.min(rowsPerInsert, count - stored) }, () =>
        newDelivery({ accountId, webhookId, url }, { ...rest, dueAtMs: stage.clock.now() }),
      );
      await store.transact((writerOf) => writerOf(accountId).deliveries.insert(rows));
    }
  } finally {
    await store.close();
  }
}
