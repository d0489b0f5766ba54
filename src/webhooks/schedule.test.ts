import { expect, test } from 'vitest';
import { webhookDelivery } from '../../generated/spec.js';
import type { Delivery } from '../store/delivery-row.js';
import type { StoredWebhook } from '../store/webhooks.js';
import { createDelivery } from './queues.js';
import { updateDelivery } from './schedule.js';

const accountId = 'acc_1';
const hourMs = 3_600_000;
const { growth, min_seconds, max_seconds, jitter, hours, attempts_kept: kept } = webhookDelivery.extended_retry;

const webhook: StoredWebhook = {
  webhookId: 'wh_1',
  url: 'https://example.com/hooks',
  events: ['state_change'],
  retry: 'extended',
  secret: '',
  failedInRow: 0,
  createdAtMs: 0,
  registeredEpoch: 1,
};

/** Attempts a delivery, which always fails, until it is settled. Returns the times of the attempts. */
function exhaust(start: Partial<Delivery>, pauseMaxMs = Infinity) {
  const target = { ...webhook, accountId };
  let delivery = createDelivery(target, { sessionId: 's1', payload: '{}', dueAtMs: 0, eventAtMs: 0, seq: 1, ...start });
  const times: number[] = [];
  for (
    let atMs = delivery.dueAtMs;
    delivery.settledAtMs === null;
    atMs = Math.min(delivery.dueAtMs, atMs + pauseMaxMs)
  ) {
    times.push(atMs);
    const attempt = {
      timestamp: new Date(atMs).toISOString(),
      status: 500,
      duration_ms: 1,
    };
    delivery = updateDelivery({ ...delivery, accountId }, webhook, attempt, atMs);
  }
  return { delivery, times };
}

test('extended retries follow growing pauses with jitter, and the last attempt is 24 hours after the event', () => {
  const { delivery, times } = exhaust({});
  expect(delivery).toMatchObject({ status: 'failed', reason: 'attempts_exhausted' });
  expect(times.at(-1)).toBe(hours * hourMs);
  const waits = times.slice(1, -1).map((atMs, index) => atMs - (times[index] ?? 0));
  for (const [index, waitMs] of waits.entries()) {
    const maxMs = Math.min(max_seconds * 1000, Math.max(min_seconds * 1000, growth * (times[index] ?? 0)));
    expect(waitMs).toBeLessThanOrEqual(Math.ceil(maxMs));
    expect(waitMs).toBeGreaterThanOrEqual(Math.floor(maxMs * (1 - jitter)));
  }
  expect(new Set(waits.slice(-5)).size).toBeGreaterThan(1);
  expect(times.length).toBeLessThan(50);
});

test('an event that waited for 24 hours in its queue is sent once, and a manual retry of an old event for 24 hours', () => {
  expect(exhaust({ dueAtMs: (hours + 1) * hourMs }).times).toHaveLength(1);
  const retried = exhaust({ dueAtMs: 100 * hourMs, seq: null });
  expect(retried.times.at(-1)).toBe((100 + hours) * hourMs);
});

test('a delivery keeps its first attempt and its newest attempts', () => {
  const { delivery, times } = exhaust({}, 60_000);
  expect(times.length).toBeGreaterThan(1000);
  expect(delivery.attempts).toHaveLength(kept);
  expect(delivery.attempts[0]?.timestamp).toBe(new Date(0).toISOString());
  expect(delivery.attempts.at(-1)?.timestamp).toBe(new Date(hours * hourMs).toISOString());
});
