import type { SessionEvent } from '../../../packages/score/states.js';
import { createKeyTable } from '../../../src/store/keys.js';
import { createOutboxTable } from '../../../src/store/outbox.js';
import type { Store } from '../../../src/store/store.js';
import { createWebhookTable } from '../../../src/store/webhooks.js';
import { createWebhookId } from '../../../src/webhooks/queues.js';
import { createSecretBox, issueSecret } from '../../../src/webhooks/secrets.js';

/** Events per insert. Less than the 500 rows that Knex can insert with one statement on SQLite. */
const eventsAtOnce = 400;
const eventsPerSession = 5;

export interface OutboxOptions {
  readonly events: number;
  /** URLs of the receivers. Each receiver gets every event. */
  readonly receivers: readonly string[];
  readonly secretsKey: string;
  readonly onBatch: () => void;
}

/**
 * Inserts events of many sessions into the outbox, in the same form as ingest, for the webhooks of the only account.
 * Inserts in bulk, because only the delivery of the events is measured.
 */
export async function fillOutbox(
  store: Store,
  { events, receivers, secretsKey, onBatch }: OutboxOptions,
): Promise<void> {
  const [key] = await store.use(createKeyTable).list();
  if (!key) throw new Error('the database has no account');
  const { accountId } = key;
  const secretBox = createSecretBox([secretsKey]);
  const nowMs = Date.now();
  await store.transact(async (scopeOf) => {
    for (const url of receivers) {
      const webhookId = createWebhookId('wh');
      const { sealed } = issueSecret(secretBox, accountId, webhookId);
      const webhooks = createWebhookTable(scopeOf(accountId));
      const rest = { events: ['state_change'] as const, failedInRow: 0, createdAtMs: nowMs };
      const registeredEpoch = await webhooks.nextEpoch();
      await webhooks.insert({ webhookId, url, secret: sealed, registeredEpoch, ...rest });
    }
  });
  for (let from = 0; from < events; from += eventsAtOnce) {
    const count = Math.min(eventsAtOnce, events - from);
    const batch = Array.from({ length: count }, (_, index) => eventOf(from + index, events, nowMs));
    await store.transact((scopeOf) => createOutboxTable(scopeOf(accountId)).append(batch, receivers.length, nowMs));
    onBatch();
  }
}

export function batchesOf(events: number): number {
  return Math.ceil(events / eventsAtOnce);
}

/** Creates an event. Interleaves the sessions, so that adjacent events belong to different sessions. */
function eventOf(number: number, events: number, nowMs: number): SessionEvent {
  const sessions = Math.ceil(events / eventsPerSession);
  const sessionId = `bench-${number % sessions}`;
  const round = Math.floor(number / sessions);
  const [previous_state, new_state] =
    round % 2 === 0 ? (['calm', 'stressed'] as const) : (['stressed', 'calm'] as const);
  const timestamp = new Date(nowMs + round).toISOString();
  return {
    sessionId,
    seq: nowMs + round,
    payload: { event: 'state_change', session_id: sessionId, previous_state, new_state, stress_score: 70, timestamp },
  };
}
