import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkRules } from '../../src/alerts/evaluate.js';
import { findQuietEnd } from '../../src/alerts/quiet.js';
import type { Schema } from '../../src/contract/contract.js';
import { createAlertTable, toFiringKey } from '../../src/store/alerts.js';
import { evaluateNow, storeHours } from '../../testkit/alerts.js';
import { makeAccount } from '../../testkit/calls.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

const hourMs = 3_600_000;
const people = ['anna', 'bert'];
const signals = {
  high: { heart_rate: 130, tone: 'hostile', sentiment: -0.9, expression: 'tense' },
  raised: { tone: 'tense', expression: 'neutral', sentiment: -0.2 },
  calm: { heart_rate: 60, tone: 'calm', expression: 'relaxed', sentiment: 0.9 },
  unread: { user_message: 'Ich kann seit Tagen nicht schlafen', derive_sentiment: true },
  worried: { heart_rate: 130, tone: 'hostile', sentiment: -0.9, user_message: 'I am so worried about my exams' },
} as const;
const quiet_hours = { from: '00:00', to: '00:20', time_zone: 'UTC' };
const rules: ReadonlyArray<Schema<'AlertRuleRequest'>> = [
  { condition: 'stressed', minutes: 3 },
  { condition: 'stressed', minutes: 2, quiet_hours },
  { condition: 'above_usual', minutes: 4 },
  { condition: 'no_data', hours: 1 },
  { condition: 'trigger_active', subject_ids: ['anna'] },
];

const event = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      of: fc.constantFrom(...people),
      session: fc.constantFrom('first', 'second'),
      what: fc.constantFrom('high', 'high', 'high', 'worried', 'worried', 'raised', 'calm', 'unread'),
      lateSeconds: fc.constantFrom(0, 0, 0, 20, 130, 290),
    }),
  },
  { weight: 8, arbitrary: fc.record({ minutes: fc.constantFrom(1, 1, 1, 1, 2, 5, 6, 61) }) },
  { weight: 1, arbitrary: fc.record({ erased: fc.constantFrom(...people) }) },
  { weight: 2, arbitrary: fc.record({ rule: fc.constantFrom(...rules) }) },
);

/** Returns a function that returns what a walk over all rules and people fires at a time, as the keys of the firings. */
function createWalk({ store }: TestService, accountId: string, lastFirings: Map<string, number>) {
  return async (nowMs: number) => {
    const scope = store.read(accountId);
    const fired = [];
    const all = await createAlertTable(scope).list();
    const columns = { subjectId: 'subject_id', version: 'version', body: 'body' };
    for (const person of await scope.knex('subjects').where({ account_id: accountId }).select(columns))
      for (const { rule, check } of (await checkRules(scope, all, [person], [], nowMs))[0]?.checks ?? []) {
        const { subjectId } = person;
        const key = toFiringKey({ ...rule, subjectId });
        const lastMs = lastFirings.get(key) ?? -Infinity;
        const isOver = lastMs > nowMs - hourMs || lastMs >= (check.truth?.sinceMs ?? Infinity);
        if (!check.truth || isOver || findQuietEnd(rule, nowMs) !== undefined) continue;
        lastFirings.set(key, nowMs);
        fired.push(key);
      }
    return fired;
  };
}

test('whatever happens in which order, what a walk over all people fires each minute fires once, in this minute', async () => {
  const service = await startTestService({});
  const { clock } = service;
  const knex = openKnex(service.database.url);
  let [run, total] = [0, 0];
  const property = fc.asyncProperty(fc.array(event, { minLength: 20, maxLength: 40 }), async (events) => {
    clock.nowMs = Math.ceil((clock.nowMs + hourMs) / (4 * hourMs)) * 4 * hourMs - 10 * 60_000;
    const account = await makeAccount(service, `run-${(run += 1)}`, 'enterprise');
    const caller = { ...service, ...account, ...client(service.url, account.key, clock) };
    const lastFirings = new Map<string, number>();
    const walk = createWalk(service, account.accountId, lastFirings);
    await caller.post('/webhooks/register', { url: 'https://8.8.8.8/', events: ['alert'] });
    for (const rule of rules) await caller.post('/v1/alerts', rule);
    // In ten minutes, a block of hours begins in which scores are usually low.
    for (const it of people) await storeHours(caller, it, 7, 100);
    for (const it of people) await storeHours(caller, it, 7, 20, clock.nowMs + hourMs);
    const tick = async () => {
      await evaluateNow(service);
      const walked = await walk(clock.nowMs);
      const stored = await knex('alert_firings').where({ account_id: account.accountId, fired_at_ms: clock.nowMs });
      const fired = stored.map((it) => toFiringKey({ alertId: it.alert_id, subjectId: it.subject_id }));
      expect(fired.sort()).toEqual(walked.sort());
      total += fired.length;
    };
    await tick();
    for (const it of events)
      if ('minutes' in it)
        for (let minute = 0; minute < it.minutes; minute += 1) {
          clock.nowMs = (Math.floor(clock.nowMs / 60_000) + 1) * 60_000;
          await tick();
        }
      else if ('erased' in it) {
        await caller.request(`/v1/subjects/${it.erased}`, { method: 'DELETE' });
        for (const key of lastFirings.keys()) if (key.endsWith(` ${it.erased}`)) lastFirings.delete(key);
      } else if ('rule' in it) await caller.post('/v1/alerts', it.rule);
      else {
        clock.advance(1);
        const timestamp = clock.at(-it.lateSeconds);
        await caller.ingest({
          session_id: `${it.session}-${it.of}`,
          subject_id: it.of,
          timestamp,
          ...signals[it.what],
        });
      }
  });
  await fc.assert(property, { numRuns: 5, endOnFailure: true });
  expect(total).toBeGreaterThan(8);
  await knex.destroy();
});
