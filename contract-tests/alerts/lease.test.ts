import { expect, test } from 'vitest';
import { alertsOf, claimMinute, createRule, evaluateNow, stress } from '../../testkit/alerts.js';
import { readMetric } from '../../testkit/metrics.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';
import { failedDeliveries, register } from '../../testkit/webhooks.js';

/** Prepares an account whose people alert at the next evaluation. */
async function prepare(service: TestService, people: number): Promise<void> {
  await createRule(service, { condition: 'stressed', minutes: 1 });
  for (let minute = 0; minute <= 1; minute += 1) {
    service.clock.advance(60);
    for (let person = 0; person < people; person += 1) await stress(service, `p${person}`, 0);
  }
}

test('two processes never evaluate the same minute, and each of them claims a later one', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'stressed' });
  const claims = () => Promise.all([1, 2, 3, 4].map(() => claimMinute(service)));
  expect((await claims()).filter(Boolean)).toHaveLength(1);
  expect((await claims()).filter(Boolean)).toHaveLength(0);
  service.clock.advance(60);
  expect((await claims()).filter(Boolean)).toHaveLength(1);
  // A clock that is set back by more than five minutes does not end the evaluations.
  service.clock.advance(-600);
  expect((await claims()).filter(Boolean)).toHaveLength(1);
});

test('two evaluations at the same time fire each rule once per person', async () => {
  const service = await startTestService({});
  await prepare(service, 20);
  const results = await Promise.all([evaluateNow(service), evaluateNow(service)]);
  expect(results.reduce((sum, { fired }) => sum + fired, 0)).toBe(20);
  expect(await alertsOf(service)()).toHaveLength(20);
});

test('a process that lost the lease during its evaluation fires no rule', async () => {
  const service = await startTestService({});
  await prepare(service, 3);
  const minuteMs = service.clock.nowMs - (service.clock.nowMs % 60_000);
  service.clock.advance(60);
  await claimMinute(service);
  expect(await evaluateNow(service, { minuteMs })).toMatchObject({ fired: 0, cursor: { subjectId: '' } });
  expect((await evaluateNow(service)).fired).toBe(3);
});

test('an evaluation whose time is used up continues with the next person', async () => {
  const service = await startTestService({});
  await prepare(service, 5);
  let people = 0;
  const first = await evaluateNow(service, { isOver: () => (people += 1) >= 2 });
  expect(first).toMatchObject({ fired: 2, cursor: { accountId: service.accountId, subjectId: 'p1' } });
  expect((await evaluateNow(service)).fired).toBe(3);
});

test('a firing and its event are stored together or not at all', async () => {
  const service = await startTestService({});
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

test('the service evaluates each minute, and a failed delivery is sent again with its id', async () => {
  const receiver = await startReceiver();
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
