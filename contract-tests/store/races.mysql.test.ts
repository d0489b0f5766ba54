import { expect, test } from 'vitest';
import { idempotency } from '../../generated/spec.js';
import { toClaim } from '../../src/operations/idempotently.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import { eraseSessions } from '../../src/store/erasures.js';
import { createIdempotencyKeyTable } from '../../src/store/idempotency-keys.js';
import { runStatements } from '../../src/store/rows.js';
import type { WriteScope } from '../../src/store/scope.js';
import { createPositionTable } from '../../src/store/stream-positions.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { watchLocks } from '../../testkit/blocked.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { deliveriesOf, register, storeFailed } from '../../testkit/webhooks.js';

/** Runs the second work when the first is done, but before the first commits. */
async function meet<First, Second>(
  { store, accountId, database }: TestService,
  first: (scope: WriteScope) => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const isBlocked = watchLocks(database);
  let other: Promise<Second> | undefined;
  const done = await store.transact(async (scopeOf) => {
    const result = await first(scopeOf(accountId));
    other ??= second();
    await isBlocked(other);
    return result;
  });
  return [done, await (other as Promise<Second>)];
}

test('two transactions never take the same position of a stream', async () => {
  const service = await startTestService();
  const { store, accountId, clock } = service;
  const take = async (scope: WriteScope) => {
    const { first, toSave } = await createPositionTable(scope).take(1, clock.nowMs, []);
    await runStatements(scope, toSave);
    return first;
  };
  const takeInTurn = () => store.transact((scopeOf) => take(scopeOf(accountId)));
  await takeInTurn();
  const [one, other] = await meet(service, take, takeInTurn);
  expect(other).toBeGreaterThan(one);
});

test('two requests never take over the same expired idempotency key', async () => {
  const service = await startTestService();
  const { store, accountId, clock } = service;
  const claim = async (scope: WriteScope) =>
    (await createIdempotencyKeyTable(scope).claim(toClaim('testWebhook', 'key', {}, clock.nowMs))).kind;
  const claimInTurn = () => store.transact((scopeOf) => claim(scopeOf(accountId)));
  expect(await claimInTurn()).toBe('claimed');
  clock.advance(idempotency.lease_seconds);
  expect(await meet(service, claim, claimInTurn)).toEqual(['claimed', 'in_progress']);
});

test('an erasure also deletes a delivery that a worker adds between the deletes of the erasure', async () => {
  const service = await startTestService();
  const { store, accountId, clock, database } = service;
  const isBlocked = watchLocks(database);
  const { id: webhookId } = await register(service, 'https://8.8.8.8/');
  await service.read({ subject_id: 'anna', tone: 'calm', heart_rate: 60 });
  clock.advance(1);
  await service.read({ subject_id: 'anna', tone: 'hostile', heart_rate: 130 });
  // The erasure waits for the lock of this delivery. In the index, the delivery that the worker adds comes first.
  const last = { webhookId, deliveryId: 'z', subjectId: 'anna', status: 'due', owner: 'o', settledAtMs: null } as const;
  await storeFailed(service, [last]);
  let done: ReadonlyArray<Promise<unknown>> = [];
  await store.transact(async (scopeOf) => {
    await createDeliveryTable(scopeOf(accountId)).lockHeld([last]);
    const erasing = store.transact((other) => eraseSessions(other(accountId), 'anna', clock.nowMs));
    await isBlocked(erasing);
    const expanding = expandEvents(store, clock.now);
    done = [erasing, expanding];
    await isBlocked(expanding, 2);
  });
  await Promise.all(done);
  expect(await deliveriesOf(service, webhookId)()).toEqual([]);
});

test('a purge whose statement loses a deadlock runs it again', async () => {
  const service = await startTestService();
  const { store, clock, database } = service;
  const isBlocked = watchLocks(database);
  await service.read({ heart_rate: 60 });
  clock.advance(3 * 86_400);
  const purging = await store.run((knex) =>
    knex.transaction(async (transaction) => {
      // The purge locks the index entry of the session and then waits for its row.
      expect(await transaction('sessions').forUpdate()).toHaveLength(1);
      const purge = purgeExpired(store, clock.nowMs);
      await isBlocked(purge);
      await transaction('sessions').decrement('touched_at_ms', 1);
      return { purge };
    }),
  );
  await purging.purge;
  expect(await store.run(async (knex) => knex('sessions'))).toEqual([]);
});
