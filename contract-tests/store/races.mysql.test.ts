import { idempotency } from '../../generated/spec.js';
import { toClaim } from '../../src/operations/idempotently.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import { eraseSessions } from '../../src/store/erasures.js';
import { createIdempotencyKeyTable } from '../../src/store/idempotency-keys.js';
import { createOutboxTable, findSessionsWithEvents } from '../../src/store/outbox.js';
import { runStatements } from '../../src/store/rows.js';
import type { WriteScope } from '../../src/store/scope.js';
import { createPositionTable } from '../../src/store/stream-positions.js';
import { createWebhookTable } from '../../src/store/webhooks.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { watchLocks } from '../../testkit/blocked.js';
import { connectPhone } from '../../testkit/phone.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import { deliveriesOf, register, startStory, storeFailed } from '../../testkit/webhooks.js';

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

test('two transactions never take the same position of a stream', async ({ service }) => {
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

test('two requests never take over the same expired idempotency key', async ({ service }) => {
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

test('a purge whose statement loses a deadlock runs it again', async ({ service }) => {
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

test('a post that is stored gets its response, although the use of its key loses every deadlock and is retried', async () => {
  const service = await startTestService();
  const phone = await connectPhone(service, 'generic');
  const run = (sql: string) => service.store.run(async (knex) => (await knex.raw(sql))[0]);
  // Rows of this engine stay when the statement is rolled back.
  await run('create table attempts (attempt int) engine = MyISAM');
  await run(`create trigger deadlock before update on source_keys for each row begin
    insert into attempts values (1);
    signal sqlstate '40001' set mysql_errno = 1213, message_text = 'Deadlock found';
  end`);
  expect((await phone.post({ heart_rate: 70 })).body).toMatchObject({ stored: 1 });
  await until('a retry', async () => (await run('select * from attempts')).length > 1);
});

test('registrations, readings and erasures do not wait while a worker holds the locks of all webhooks', async () => {
  const service = await startTestService();
  const { store, accountId } = service;
  const ids: string[] = [];
  for (const path of ['a', 'b']) ids.push((await register(service, `https://8.8.8.8/${path}`)).id);
  await service.read({ subject_id: 'anna', heart_rate: 60 });
  const statuses = await store.transact(async (scopeOf) => {
    expect((await createWebhookTable(scopeOf(accountId)).lock(ids)).size).toBe(2);
    const { secret } = await register(service, 'https://8.8.8.8/c');
    const { status } = await service.request('/v1/subjects/anna', { method: 'DELETE' });
    await service.read({ session_id: 'other', subject_id: 'bob', heart_rate: 60 });
    return [typeof secret, status];
  });
  expect(statuses).toEqual(['string', 200]);
});

test('an event of a webhook that is registered while a worker lists the webhooks is not lost', async () => {
  const service = await startTestService({ env: storyEnv });
  const { store, accountId, clock } = service;
  await register(service, 'https://8.8.8.8/first');
  const story = await startStory(service);
  await story.change();
  const found = await store.run((knex) => findSessionsWithEvents(knex, 10));
  const epochMax = (await createWebhookTable(store.read(accountId)).findEpoch()) ?? 0;
  const second = await register(service, 'https://8.8.8.8/second');
  await story.change();
  const sessionIds = found.map(({ sessionId }) => sessionId);
  // A worker that read the epoch before does not take the second event, whose webhook it may not have listed.
  const taken = await store.transact((scopeOf) => createOutboxTable(scopeOf(accountId)).lock(sessionIds, epochMax, 10));
  expect(taken).toHaveLength(1);
  await expandEvents(store, clock.now);
  expect(await deliveriesOf(service, second.id)()).toHaveLength(1);
});
