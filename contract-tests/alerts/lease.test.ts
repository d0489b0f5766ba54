import { pino } from 'pino';
import { seedAll, seedSlice } from '../../src/alerts/seed.js';
import { startAlerts, takeTurns } from '../../src/alerts/start.js';
import { runStatements } from '../../src/store/rows.js';
import { createSubjectWriter } from '../../src/store/subjects.js';
import { alertsOf, createRule, digestsOf, evaluateNow, stress, stressAll } from '../../testkit/alerts.js';
import { makeAccount } from '../../testkit/calls.js';
import { readMetric } from '../../testkit/metrics.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import { failedDeliveries, register } from '../../testkit/webhooks.js';

/** Prepares an account whose people alert at the next evaluation. */
async function prepare(service: TestService, people: number): Promise<void> {
  await createRule(service, { condition: 'stressed', minutes: 1 });
  for (let minute = 0; minute <= 1; minute += 1) {
    service.clock.advance(60);
    await stressAll(service, ...Array.from({ length: people }, (_, person) => [`p${person}`, 0] as const));
  }
}

const turns = { isStopped: () => false, pause: async () => {}, onFired: () => {} };
const partsOf = (service: TestService) => ({
  store: service.store,
  digestId: digestsOf(service),
  now: service.clock.now,
  findAbsences: async () => [],
  onFailure: () => {},
});

test('two evaluations at the same time fire each rule once per person', async ({ ownService: service }) => {
  await prepare(service, 60);
  const [one, other] = await Promise.all([evaluateNow(service), evaluateNow(service)]);
  expect(one + other).toBe(60);
  expect(await alertsOf(service)()).toHaveLength(60);
});

test('a process that another one overtakes between its check and its firing fires no rule', async () => {
  const service = await startTestService({});
  await prepare(service, 3);
  let overtaken: number | undefined;
  const transact: TestService['store']['transact'] = async (work) => {
    // The people are due again, as if this process had ended.
    service.clock.advance(60);
    overtaken ??= await evaluateNow(service);
    return service.store.transact(work);
  };
  expect(await evaluateNow(service, { store: { ...service.store, transact } })).toBe(0);
  expect(overtaken).toBe(3);
});

test('a person with a reading during the check is due again after a minute', async ({ ownService: service }) => {
  await createRule(service, { condition: 'stressed', minutes: 60 });
  await stress(service, 'anna', 0);
  const knex = openKnex(service.database.url);
  await evaluateNow(service);
  const due = async () => (await knex('subjects').first('alert_due_ms')).alert_due_ms;
  expect(await due()).toBe(service.clock.nowMs + 3_600_000);
  await knex('subjects').update({ alert_due_ms: service.clock.nowMs });
  const transact: TestService['store']['transact'] = async (work) => {
    service.clock.advance(1);
    await stress(service, 'anna', 0);
    return service.store.transact(work);
  };
  await evaluateNow(service, { store: { ...service.store, transact } });
  expect(await due()).toBe(service.clock.nowMs + 60_000);
  await knex.destroy();
});

test('the people of an evaluation that failed are due again after a minute', async ({ ownService: service }) => {
  await prepare(service, 2);
  const transact = () => Promise.reject(new Error('ended'));
  await expect(evaluateNow(service, { store: { ...service.store, transact } })).rejects.toThrow('ended');
  service.clock.advance(59);
  expect(await evaluateNow(service)).toBe(0);
  service.clock.advance(1);
  expect(await evaluateNow(service)).toBe(2);
});

test('a person whose evaluation fails delays nobody else', async ({ ownService: service }) => {
  await prepare(service, 3);
  const knex = openKnex(service.database.url);
  await knex('subjects').where({ subject_id: 'p1' }).update({ body: '{"v":9}' });
  const failures: unknown[] = [];
  expect(await evaluateNow(service, { onFailure: (error) => void failures.push(error) })).toBe(2);
  expect(failures).toHaveLength(1);
  await knex.destroy();
});

test('accounts take turns: a small one waits for one slice of a large one', async () => {
  const large = await startTestService({ env: { LOG_LEVEL: 'warn' } });
  const { key, accountId } = await makeAccount(large, 'small', 'enterprise');
  const small = { ...large, accountId, ...client(large.url, key, large.clock) };
  await prepare(large, 60);
  await prepare(small, 1);
  const fired: number[] = [];
  await large.store.run((knex) => knex('alert_seeds').delete());
  await takeTurns(partsOf(large), { ...turns, onFired: (count) => void fired.push(count) });
  expect(fired.sort()).toEqual([1, 50]);
});

test('a slice costs as many statements with 20 people and 10 rules as with two people and two rules', async () => {
  const service = await startTestService({});
  const statements: string[] = [];
  const listen = ({ sql }: { sql: string }) => statements.push(sql);
  await service.store.run(async (knex) => void knex.on('query', listen));
  const measure = async (people: number) => {
    for (let person = 0; person < people; person += 1) await stress(service, `p${person}`, 0);
    statements.length = 0;
    await takeTurns(partsOf(service), turns);
    return statements.filter((sql) => /alert_|subject|_readings/.test(sql)).length;
  };
  await createRule(service, { condition: 'stressed', minutes: 5 });
  await createRule(service, { condition: 'above_usual', minutes: 5 });
  const few = await measure(2);
  for (let minutes = 6; minutes < 14; minutes += 1) await createRule(service, { condition: 'stressed', minutes });
  expect(await measure(20)).toBe(few);
});

test('a write of the row that does not know a new rule does not undo that the person is due', async () => {
  const service = await startTestService({});
  const { store, accountId, clock } = service;
  await stress(service, 'anna', 0);
  clock.advance(7_200);
  await createRule(service, { condition: 'no_data', hours: 1 });
  clock.advance(5);
  for (let slice = 0; slice < 15; slice += 1) await seedSlice(store, accountId, clock.nowMs);
  await store.transact(async (scopeOf) => {
    const subjects = createSubjectWriter(scopeOf(accountId));
    const [[id, subject] = ['', undefined]] = await subjects.lock(['anna']);
    await runStatements(scopeOf(accountId), subjects.toSave(new Map([[id, subject ?? {}]])));
  });
  expect(await evaluateNow(service)).toBe(1);
});

test('a new rule finds a reading whose transaction began before the rule and ended after it', async () => {
  const service = await startTestService({});
  const { store, clock } = service;
  const knex = openKnex(service.database.url);
  clock.advance(59.999 - ((clock.nowMs / 1000) % 60));
  await createRule(service, { condition: 'no_data', hours: 1 });
  expect(await takeTurns(partsOf(service), turns)).toBe(false);
  clock.advance(1);
  await stress(service, 'anna', 0);
  await knex('subjects').update({ alert_due_ms: null });
  clock.advance(4);
  while (await takeTurns(partsOf(service), turns));
  expect(await knex('subjects').pluck('alert_due_ms')).toEqual([clock.nowMs - 4_000 + 3_600_000]);
  expect(await store.run((it) => it('alert_seeds'))).toEqual([]);
  await knex.destroy();
});

test('after a change of the clock, the people with recent readings are due again', async ({ ownService: service }) => {
  const { clock } = service;
  await createRule(service, { condition: 'stressed', minutes: 1 });
  const knex = openKnex(service.database.url);
  const readEpoch = async () => (await knex('accounts').where({ account_id: service.accountId }).first()).webhook_epoch;
  const readMinute = async () => (await knex('alert_lease').first())?.minute_ms;
  const parts = { ...partsOf(service), log: pino({ level: 'silent' }), onFired: () => {}, pollMs: 5 };
  const alerts = startAlerts(parts);
  const minuteOf = (ms: number) => ms - (ms % 60_000);
  const seen = () => until('the minute is noted', async () => (await readMinute()) === minuteOf(clock.nowMs));
  await seen();
  clock.advance(60);
  await seen();
  const epoch = await readEpoch();
  clock.advance(-600);
  await until('an epoch begins', async () => (await readEpoch()) === epoch + 1);
  await alerts.close();
  await knex.destroy();
});

test('people without a due rule cost one statement, however many there are and however often they send', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'stressed', minutes: 10 });
  for (let person = 0; person < 30; person += 1)
    await service.read({ session_id: `s${person}`, subject_id: `p${person}`, heart_rate: 70 });
  await evaluateNow(service);
  const statements: string[] = [];
  const listen = ({ sql }: { sql: string }) => statements.push(sql);
  await service.store.run(async (knex) => void knex.on('query', listen));
  for (let person = 0; person < 30; person += 1) {
    service.clock.advance(1);
    await service.read({ session_id: `s${person}`, subject_id: `p${person}`, heart_rate: 70 });
  }
  service.clock.advance(3_600);
  expect(await evaluateNow(service)).toBe(0);
  await service.store.run(async (knex) => void knex.off('query', listen));
  const own = statements.filter((sql) => / (alert_|subjects s)/.test(sql) && !sql.startsWith('select webhook_epoch'));
  expect(own).toEqual([expect.stringContaining('alert_seeds')]);
});

test.each(['a rule', 'a receiver', 'a receiver that gets the event', 'a start after an absence of this release'])(
  '%s concerns people with recent readings, and costs nothing for others',
  async (cause) => {
    const service = await startTestService({});
    const knex = openKnex(service.database.url);
    const register = (event = 'alert') =>
      service.post('/webhooks/register', { url: 'https://8.8.8.8/', events: [event] });
    const makeRule = () => service.post('/v1/alerts', { condition: 'no_data', hours: 1 });
    for (const [person, hours] of [
      ['long-ago', 26],
      ['yesterday', 23],
      ['today', 2],
    ] as const) {
      await stress(service, person, 0);
      service.clock.advance(3_600 * (hours - { 'long-ago': 23, yesterday: 2, today: 0 }[person]));
    }
    const isReceiver = cause.startsWith('a receiver');
    if (cause !== 'a rule') await makeRule();
    if (cause === 'a receiver that gets the event') await register('state_change');
    if (!isReceiver) await register();
    if (cause === 'a rule') await makeRule();
    // The people of the rule are found before the receiver exists.
    if (isReceiver) expect(await evaluateNow(service)).toBe(0);
    if (isReceiver) await register();
    if (cause.startsWith('a start')) {
      // An earlier release keeps the columns of people, and stores no plans of new ones.
      await evaluateNow(service);
      await knex('alert_firings').delete();
      await knex('subjects').update({ alert_due_ms: null });
      await seedAll(service.store, [service.accountId], service.clock.nowMs);
    }
    await evaluateNow(service);
    expect(await knex('alert_firings').orderBy('subject_id').pluck('subject_id')).toEqual(['today', 'yesterday']);
    await knex.destroy();
  },
);

test('a firing and its event are stored together or not at all', async ({ ownService: service }) => {
  await prepare(service, 1);
  const knex = openKnex(service.database.url);
  const hour_ms = service.clock.nowMs - (service.clock.nowMs % 3_600_000);
  const [{ alert_id }] = await knex('alert_rules').select('alert_id');
  // Another firing of this hour, with a time that `isDue` does not see.
  const row = { account_id: service.accountId, alert_id, subject_id: 'p0', hour_ms, fired_at_ms: 0 };
  await knex('alert_firings').insert(row);
  await expect(evaluateNow(service)).rejects.toThrow();
  expect(await alertsOf(service)()).toEqual([]);
  expect(await knex('alert_firings')).toHaveLength(1);
  await knex.destroy();
});

test('the service evaluates each minute, and a failed delivery is sent again with its id', async ({ receiver }) => {
  receiver.answer((_, response, count) => void response.writeHead(count > 1 ? 204 : 500).end());
  const service = await startTestService({ env: { WORKER: '1', METRICS_PORT: '0' } });
  const { id } = await register(service, receiver.url, { events: ['alert'] });
  await service.post('/v1/alerts', { condition: 'stressed', minutes: 1 });
  for (let minute = 0; minute < 4; minute += 1) {
    await stress(service, 'anna', 0);
    service.clock.advance(60);
  }
  await receiver.until(1);
  await until('the first attempt is settled', async () => {
    service.clock.advance(1);
    return receiver.received.length > 1;
  });
  expect(await readMetric(service.metricsUrl, 'alerts_fired_total')).toBe(1);
  const [first, second] = receiver.received;
  expect(first?.event).toMatchObject({ event: 'alert', subject_id: 'anna', condition: 'stressed' });
  expect(second?.id).toBe(first?.id);
  expect(second?.bytes).toEqual(first?.bytes);
  await until('the log lists the delivery', async () => {
    const { body } = await service.request(`/webhooks/deliveries?webhook_id=${id}`);
    return body.event_deliveries?.length === 1 && body.deliveries.length === 0;
  });
  expect((await failedDeliveries(service)).deliveries).toEqual([]);
});
