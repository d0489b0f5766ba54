import type { Knex } from 'knex';
import { seedAll } from '../../src/alerts/seed.js';
import { takeTurns } from '../../src/alerts/start.js';
import type { Grant } from '../../src/contract/grant.js';
import { wholeAccount } from '../../src/contract/whose.js';
import { operations } from '../../src/operations/index.js';
import type { Services } from '../../src/operations/operation.js';
import { createRemoveLeftovers } from '../../src/retention/remove-leftovers.js';
import { createAlertLease, findAccountsWithRules } from '../../src/store/alerts.js';
import type { Clock } from '../../testkit/service.js';

const rules = 40;
const rows = 4_000;
const conditions = ['stressed', 'above_usual', 'no_data', 'trigger_active'] as const;

/** Stores alert rules with named people, and their firings. */
export async function fillAlerts(knex: Knex, account_id: string, nowMs: number): Promise<void> {
  const idOf = (index: number) => `alr_${String(index % rules).padStart(20, '0')}`;
  const all = (count: number) => Array.from({ length: count }, (_, index) => index);
  const rest = { watches_everyone: 0, created_at_ms: nowMs, body: '{"v":1,"condition":"stressed"}' };
  await knex.batchInsert(
    'alert_rules',
    all(rules).map((it) => ({ account_id, alert_id: idOf(it), ...rest })),
  );
  const people = all(rows).map((it) => ({ account_id, alert_id: idOf(it), subject_id: `crowd-${it}` }));
  await knex.batchInsert('alert_people', people, 500);
  const firings = people.map((it, index) => ({ ...it, hour_ms: 0, fired_at_ms: nowMs - index * 1_000 }));
  await knex.batchInsert('alert_firings', firings, 500);
}

/** Creates rules with each condition for everyone and for somebody, evaluates them, and removes one. */
export async function liveWithAlerts({ store, digestId }: Services, clock: Clock, caller: Grant): Promise<void> {
  const services = { store, digestId, now: clock.now } as Services;
  const submit = { query: {}, params: {}, whose: wholeAccount };
  const webhook = { url: 'https://8.8.8.8/alerts', events: ['alert' as const] };
  await store.run((knex) =>
    knex('webhooks').insert({
      ...{ account_id: caller.accountId, webhook_id: 'wh_alerts', url: webhook.url, registered_epoch: 0 },
      body: JSON.stringify({ v: 1, events: webhook.events, secret: '', failedInRow: 0, createdAtMs: 0 }),
    }),
  );
  for (const condition of conditions)
    for (const subject_ids of [undefined, ['us-1', 'us-2']]) {
      const body = { condition, ...(subject_ids && { subject_ids }), ...durations[condition] };
      await operations.createAlertRule.handle(services, { ...submit, body }, caller);
    }
  const minuteMs = clock.nowMs - (clock.nowMs % 60_000);
  await createRemoveLeftovers(store, digestId, clock.now)();
  await store.run((knex) => createAlertLease(knex).find());
  await store.run((knex) => createAlertLease(knex).renew(minuteMs));
  const evaluate = async () => {
    clock.advance(5);
    const parts = { store, digestId, now: clock.now, findAbsences: async () => [], onFailure: fail };
    const turns = { isStopped: () => false, pause: async () => {}, onFired: () => {} };
    while (await takeTurns(parts, turns));
  };
  await evaluate();
  await seedAll(store, await store.run(findAccountsWithRules), clock.nowMs);
  const { body } = await operations.listAlertRules.handle(services, { ...submit, body: undefined }, caller);
  for (const { id } of body.alerts.filter(({ subject_ids }) => subject_ids === undefined))
    await operations.removeAlertRule.handle(services, { ...submit, params: { id }, body: undefined }, caller);
  await evaluate();
}

const durations = { stressed: { minutes: 1 }, above_usual: { minutes: 1 }, no_data: { hours: 1 }, trigger_active: {} };

function fail(error: unknown): never {
  throw error;
}
