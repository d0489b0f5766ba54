import { createRemoveLeftovers } from '../../src/retention/remove-leftovers.js';
import { createErasedIdTable } from '../../src/store/erased-ids.js';
import { findTables } from '../../src/store/tables/index.js';
import { createRule, digestsOf, evaluateNow, stress } from '../../testkit/alerts.js';
import { createDevice, sendBy } from '../../testkit/devices.js';
import { createLink, openPage, pageEnv } from '../../testkit/person-link.js';
import { connectHub, connectPhone, heartRateEvent } from '../../testkit/phone.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const tables = findTables(({ erasesBySubject }) => erasesBySubject?.time !== undefined).map(({ name }) => name);
const sourceKey = { subject_id: 'anna', source: 'generic' };

/** Stores a workout of a person, which ended now. */
const putFact = ({ request, clock }: TestService, subject_id: string) =>
  request('/v1/facts/workout', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject_id, kind: 'exercise', level: 'vigorous', start: clock.at(-60), end: clock.at() }),
  });

/** Stores the erasure of a person as 1.0.0 does it, which does not know these tables. */
async function eraseEarlier(service: TestService, accountId: string, id = 'anna'): Promise<void> {
  const digests = digestsOf(service)(accountId, { kind: 'subject', id });
  await service.store.transact((scopeOf) => createErasedIdTable(scopeOf(accountId)).add(digests, service.clock.nowMs));
  await service.store.run((knex) => knex('subjects').where({ account_id: accountId, subject_id: id }).delete());
}

/** Returns the people with rows in the tables that 1.0.0 does not know. */
const findPeople = ({ store }: TestService) =>
  Promise.all(tables.map((it) => store.run((knex) => knex(it).orderBy('subject_id').pluck('subject_id'))));

test('lists do not show what an earlier release left of an erased person', async () => {
  const service = await startTestService({ env: pageEnv });
  const rule = { condition: 'stressed' as const, minutes: 1, subject_ids: ['anna', 'bert'] };
  await createRule(service, rule);
  const give = async () => {
    await createLink(service);
    await service.post('/v1/source-keys', sourceKey);
    await putFact(service, 'anna');
    return createDevice(service);
  };
  await give();
  await eraseEarlier(service, service.accountId);
  const read = async (path: string) => (await service.request(path)).body;
  expect(await read('/v1/source-keys')).toMatchObject({ source_keys: [] });
  expect(await read('/v1/source-keys?subject_id=anna')).toMatchObject({ source_keys: [] });
  expect(await read('/v1/subjects/anna/links')).toEqual({ links: [] });
  expect(await read('/v1/devices?subject_id=anna')).toEqual({ devices: [] });
  expect(await read('/v1/facts?subject_id=anna')).toMatchObject({ facts: [] });
  expect(await read('/v1/export?include=facts')).toBe('');
  expect(await read('/v1/alerts')).toMatchObject({ alerts: [{ subject_ids: ['bert'] }] });
  // The person returns: what is created now counts, also an equal rule.
  service.clock.advance(1);
  await give();
  expect((await service.post('/v1/alerts', rule)).status).toBe(201);
  expect((await read('/v1/source-keys')).source_keys).toHaveLength(1);
  expect((await read('/v1/subjects/anna/links')).links).toHaveLength(1);
  expect((await read('/v1/devices?subject_id=anna')).devices).toHaveLength(2);
  expect((await read('/v1/facts?subject_id=anna')).facts).toHaveLength(1);
  expect(await read('/v1/export?include=facts')).toContain('"fact_id":"workout"');
  expect((await read('/v1/alerts')).alerts[1].subject_ids).toEqual(['anna', 'bert']);
});

test('a source key, a link and a device from before an erasure by an earlier release are refused', async () => {
  const service = await startTestService({ env: pageEnv });
  const { device_id } = await createDevice(service);
  const phone = await connectPhone(service, 'generic', { subject_id: 'anna' });
  await service.read({ subject_id: 'anna', heart_rate: 70 });
  const page = await openPage(service);
  const read = async () => (await page.read('v1/state')).status;
  const post = async () => (await phone.post({ heart_rate: 70 })).status;
  expect([await post(), await read()]).toEqual([200, 200]);
  for (const accountId of [phone.accountId, service.accountId]) await eraseEarlier(service, accountId);
  // At once, although the device is cached.
  expect((await sendBy(service, device_id)).body.errors).toMatchObject([{ code: 'device_unknown' }]);
  await until('both are refused', async () => (await post()) === 401 && (await read()) === 401);
});

test('an erased person is unknown to a hub, although an earlier release left the source key', async () => {
  const service = await startTestService({});
  const hub = await connectHub(service, 'terra');
  await hub.operator.post('/v1/source-keys', sourceKey);
  const post = async () => (await hub.post(heartRateEvent('terra', 'anna', [[service.clock.nowMs - 1_000, 72]]))).body;
  expect(await post()).toMatchObject({ stored: 1 });
  await eraseEarlier(service, hub.accountId);
  service.clock.advance(1);
  expect(await post()).toMatchObject({ stored: 0, skipped: { unknown_person: 1 } });
  await hub.operator.post('/v1/source-keys', sourceKey);
  expect(await post()).toMatchObject({ stored: 1 });
});

test('a rule from before the erasure of a person does not fire for this person', async ({ ownService: service }) => {
  await createRule(service, { condition: 'stressed', minutes: 1, subject_ids: ['anna'] });
  await eraseEarlier(service, service.accountId);
  service.clock.advance(60);
  await stress(service, 'anna', 1);
  expect(await evaluateNow(service)).toBe(0);
});

test('the purge deletes what an earlier release left, also after its start, and keeps later rows', async () => {
  const service = await startTestService({ env: pageEnv });
  const removeLeftovers = createRemoveLeftovers(service.store, digestsOf(service), service.clock.now);
  const giveAll = async () => {
    await createRule(service, { condition: 'stressed', minutes: 1, subject_ids: ['anna', 'bert'] });
    for (const it of ['anna', 'bert']) {
      await stress(service, it, 1);
      await createLink(service, {}, it);
      await service.post('/v1/source-keys', { ...sourceKey, subject_id: it });
      await createDevice(service, { subject_id: it });
      await putFact(service, it);
    }
    await evaluateNow(service);
  };
  await giveAll();
  for (const round of ['at the start', 'later']) {
    await removeLeftovers();
    expect([round, await findPeople(service)]).toEqual([round, tables.map(() => ['anna', 'bert'])]);
    await eraseEarlier(service, service.accountId);
    await removeLeftovers();
    expect([round, await findPeople(service)]).toEqual([round, tables.map(() => ['bert'])]);
    await eraseEarlier(service, service.accountId, 'bert');
    service.clock.advance(3_600);
    await removeLeftovers();
    expect([round, await findPeople(service)]).toEqual([round, tables.map(() => [])]);
    await service.store.run((knex) => knex('alert_rules').delete());
    await giveAll();
  }
});
