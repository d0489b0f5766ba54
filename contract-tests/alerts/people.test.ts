import { purgeExpired } from '../../src/retention/purge.js';
import { createAlertTable } from '../../src/store/alerts.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { alertsOf, createRule, evaluateNow, stress } from '../../testkit/alerts.js';
import { makeAccount } from '../../testkit/calls.js';
import { allow, setUp } from '../../testkit/consents.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';
import { deliveriesOf, register } from '../../testkit/webhooks.js';

const erase = (service: TestService, id: string) => service.request(`/v1/subjects/${id}`, { method: 'DELETE' });
const firedFor = async (service: TestService) => (await alertsOf(service)()).map(({ subject_id }) => subject_id).sort();

const peopleIn = ({ database }: TestService, table: string): Promise<string[]> =>
  openKnex(database.url)(table).orderBy('subject_id').pluck('subject_id');

test('an erasure removes the person from all rules and their firings, and a rule without people watches nobody', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'stressed', minutes: 1, subject_ids: ['anna'] });
  await createRule(service, { condition: 'stressed', minutes: 2, subject_ids: ['anna', 'bert'] });
  await createRule(service, { condition: 'stressed', minutes: 3 });
  for (const it of ['anna', 'bert']) await stress(service, it, 3);
  await evaluateNow(service);
  expect(await peopleIn(service, 'alert_firings')).toEqual(['anna', 'anna', 'anna', 'bert', 'bert']);
  const fired = { last_fired_at: expect.stringMatching(/Z$/) };
  expect((await service.request('/v1/alerts')).body.alerts).toMatchObject([fired, fired, fired]);
  expect((await erase(service, 'anna')).status).toBe(200);
  expect(await peopleIn(service, 'alert_firings')).toEqual(['bert', 'bert']);
  expect(await firedFor(service)).toEqual(['bert', 'bert']);
  const { alerts } = (await service.request('/v1/alerts')).body;
  expect(alerts.map(({ subject_ids }: { subject_ids?: string[] }) => subject_ids)).toEqual([[], ['bert'], undefined]);
  // Only the rule for everyone watches a person who returns.
  await stress(service, 'anna', 3);
  expect(await evaluateNow(service)).toBe(1);
});

test('the erasure of a person who is known only to a rule removes the person from it', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'no_data', subject_ids: ['anna'] });
  expect((await erase(service, 'anna')).status).toBe(200);
  expect((await erase(service, 'anna')).status).toBe(404);
  expect(await peopleIn(service, 'alert_people')).toEqual([]);
});

test('a person who is erased between the evaluation and the firing does not alert, even if new data arrives', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'stressed', minutes: 1 });
  await stress(service, 'anna', 1);
  let isErased = false;
  const transact: TestService['store']['transact'] = async (work) => {
    if (!isErased) {
      isErased = true;
      await erase(service, 'anna');
      await stress(service, 'anna', 0);
    }
    return service.store.transact(work);
  };
  expect(await evaluateNow(service, { store: { ...service.store, transact } })).toBe(0);
  expect(isErased).toBe(true);
});

test('a withdrawn or expired consent ends the alerts of a person', async () => {
  const service = await setUp(await startTestService({}), { consent: 'record' });
  await createRule(service, { condition: 'stressed', minutes: 1 });
  for (const it of ['given', 'withdrawn', 'expired']) await stress(service, it, 1);
  service.clock.advance(1);
  await allow(service, 'given', ['vocal']);
  await allow(service, 'withdrawn', []);
  await allow(service, 'expired', ['vocal'], { expires_at: service.clock.at(30) });
  service.clock.advance(40);
  await evaluateNow(service);
  expect(await firedFor(service)).toEqual(['given']);
});

test('a rule of one account does not fire for a person with the same id in another account', async () => {
  const service = await startTestService({});
  const { key } = await makeAccount(service, 'another', 'enterprise');
  const other = { ...service, ...client(service.url, key, service.clock) };
  await createRule(service, { condition: 'stressed', minutes: 1 });
  await stress(other, 'anna', 1);
  expect(await evaluateNow(service)).toBe(0);
});

test('alerts of a person reach the webhooks of this person and of everyone whose events contain them', async () => {
  const service = await startTestService({});
  const ids = [];
  for (const [events, rest] of [
    [['alert'], { subject_id: 'anna' }],
    [['alert', 'state_change'], {}],
    [['alert'], { subject_id: 'bert' }],
    [['state_change'], { subject_id: 'anna' }],
    [['trigger_active'], {}],
  ] as const)
    ids.push((await register(service, `https://8.8.8.8/${ids.length}`, { events: [...events], ...rest })).id);
  await service.post('/v1/alerts', { condition: 'stressed', minutes: 1 });
  await stress(service, 'anna', 1);
  expect(await evaluateNow(service)).toBe(1);
  await expandEvents(service.store, service.clock.now);
  const counts = [];
  for (const id of ids)
    counts.push((await deliveriesOf(service, id)()).filter(({ payload }) => payload.includes('"alert"')).length);
  expect(counts).toEqual([1, 1, 0, 0, 0]);
});

test('rules of an account without a webhook for alerts store no firing', async ({ ownService: service }) => {
  await register(service, 'https://8.8.8.8/', { events: ['state_change'] });
  await service.post('/v1/alerts', { condition: 'stressed', minutes: 1 });
  await stress(service, 'anna', 1);
  expect(await evaluateNow(service)).toBe(0);
  expect(await peopleIn(service, 'alert_firings')).toEqual([]);
});

test('firings expire', async ({ ownService: service }) => {
  await createRule(service, { condition: 'stressed', minutes: 1 });
  await stress(service, 'anna', 1);
  await evaluateNow(service);
  service.clock.advance(7 * 86_400 - 1);
  await purgeExpired(service.store, service.clock.nowMs);
  expect(await peopleIn(service, 'alert_firings')).toEqual(['anna']);
  service.clock.advance(2);
  await purgeExpired(service.store, service.clock.nowMs);
  expect(await peopleIn(service, 'alert_firings')).toEqual([]);
  expect(await createAlertTable(service.store.read(service.accountId)).list()).toHaveLength(1);
});
