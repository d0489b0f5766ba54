import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { purgeExpired } from '../../src/retention/purge.js';
import { runHere } from '../../testkit/command-line.js';
import { decide, setUp } from '../../testkit/consents.js';
import { callsInDatabase } from '../../testkit/calls.js';
import { connectHub, connectPhone, createHubSecret, heartRateEvent, type HubName } from '../../testkit/phone.js';
import { Clock, startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import { exportRows } from '../../testkit/batch.js';

const hubs: readonly HubName[] = ['open_wearables', 'terra', 'junction'];
const [minuteMs, hourMs] = [60_000, 3_600_000];
type Hub = Awaited<ReturnType<typeof connectHub>>;

/** Makes a person known by a source key. */
async function addPerson({ operator }: Pick<Hub, 'operator'>): Promise<string> {
  const subject_id = randomUUID();
  await operator.post('/v1/source-keys', { subject_id, source: 'generic' });
  return subject_id;
}

const exported = async ({ operator }: Pick<Hub, 'operator'>, person: string) =>
  (await exportRows(operator, `subject_id=${person}`)).map(({ reading }) => reading);

test.for(hubs)(
  '%s: a signed event of a known person is a live state, and a resend changes nothing',
  async (name, { service }) => {
    const hub = await connectHub(service, name);
    const person = await addPerson(hub);
    const event = heartRateEvent(name, person, [[service.clock.nowMs - 20_000, 72]]);
    expect(await hub.post(event)).toMatchObject({ status: 200, body: { stored: 1, skipped: {} } });
    expect((await hub.post(event)).body).toMatchObject({ stored: 0, unchanged: 1 });
    const { body: state } = await hub.operator.request(`/v1/state?subject_id=${person}`);
    expect(state.signals_received).toEqual(['cardiovascular']);
    const [row] = await exported(hub, person);
    expect(row).toMatchObject({
      heart_rate: 72,
      source_device: name === 'junction' ? 'garmin watch' : 'Forerunner 255',
    });
  },
);

/** Events with variability, breathing and a workout in the minute of `atMs`, and with a part that is not read. */
const others: Readonly<Record<HubName, (person: string, at: (seconds: number) => string) => object[]>> = {
  open_wearables: (user_id, at) => {
    const source = { provider: 'garmin', device: 'Forerunner 255' };
    const sample = (type: string, value: number) => ({ timestamp: at(5), type, value, source });
    const samples = [sample('heart_rate_variability_rmssd', 38), sample('respiratory_rate', 14), sample('steps', 90)];
    const workout = { user_id, type: 'running', start_time: at(0), end_time: at(50), max_heart_rate_bpm: null };
    return [
      { type: 'heart_rate_variability.created', data: { user_id, provider: 'garmin', samples } },
      { type: 'workout.created', data: workout },
    ];
  },
  terra: (reference_id, at) => {
    const user = { user_id: randomUUID(), provider: 'GARMIN', reference_id, scopes: null };
    const device_data = { name: 'Forerunner 255' };
    const detailed = {
      hr_samples: [],
      hrv_samples_rmssd: [{ timestamp: at(5), hrv_rmssd: 38 }],
      hrv_samples_sdnn: null,
    };
    const breaths_data = { samples: [{ timestamp: at(5), breaths_per_min: 14 }] };
    const day = { heart_rate_data: { detailed }, respiration_data: { breaths_data, snoring_data: null }, device_data };
    const metadata = { name: 'Evening Run', type: 8, start_time: at(0), end_time: at(50) };
    return [
      { status: 'success', type: 'daily', user, data: [day] },
      { type: 'activity', user, data: [{ metadata, heart_rate_data: null }] },
      { type: 'body', user, data: [{ oxygen_data: null }] },
      { type: 'user_reauth', user, status: 'warning' },
    ];
  },
  junction: (client_user_id, at) => {
    const source = { slug: 'garmin', name: 'Garmin', type: 'watch' };
    const names = { client_user_id, user_id: randomUUID(), team_id: randomUUID() };
    const series = (resource: string, value: number) => ({
      ...{ event_type: `daily.data.${resource}.created`, ...names },
      data: { source, data: [{ timestamp: at(5), value, unit: 'x', timezone_offset: null }] },
    });
    const workout = { sport: { id: 1, name: 'Running', slug: 'running' }, time_start: at(0), time_end: at(50), source };
    return [
      ...[series('hrv', 38), series('respiratory_rate', 14), series('blood_oxygen', 97)],
      { event_type: 'daily.data.workouts.updated', ...names, data: workout },
      { event_type: 'historical.data.heartrate.created', ...names, data: { start_date: at(0), provider: 'garmin' } },
    ];
  },
};

test.for(hubs)('%s: variability, breathing and a workout of the past, in one body', async (name, { service }) => {
  const hub = await connectHub(service, name);
  const person = await addPerson(hub);
  const minute = Math.floor((service.clock.nowMs - hourMs) / minuteMs) * minuteMs;
  const at = (seconds: number) => new Date(minute + seconds * 1000).toISOString();
  const events = [heartRateEvent(name, person, [[minute + 9_000, 140]]), ...others[name](person, at)];
  const { body } = await hub.post(events);
  expect(body).toMatchObject({ stored: 2, skipped: { not_read: 1 } });
  const rows = await exported(hub, person);
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ heart_rate: 140, activity_level: 'vigorous' }),
      expect.objectContaining({ rmssd: 38 }),
    ]),
  );
});

test('Junction: steps of an interval count in their minutes, and the variability of Apple is SDNN', async ({
  service,
}) => {
  const hub = await connectHub(service, 'junction');
  const person = await addPerson(hub);
  const minute = Math.floor((service.clock.nowMs - hourMs) / minuteMs) * minuteMs;
  const at = (seconds: number) => new Date(minute + seconds * 1000).toISOString();
  const source = { slug: 'apple_health_kit', type: 'watch' };
  const event = (resource: string, sample: object) => ({
    ...{ event_type: `daily.data.${resource}.created`, client_user_id: person },
    data: { source, data: [sample] },
  });
  await hub.post([
    event('heartrate', { timestamp: at(1), value: 70, unit: 'bpm' }),
    event('steps', { start: at(0), end: at(120), value: 60, unit: 'count' }),
    event('hrv', { timestamp: at(5), value: 41, unit: 'rmssd' }),
  ]);
  const rows = await exported(hub, person);
  expect(rows.map((it) => it['steps_last_minute']).filter((it) => it !== undefined)).toEqual([30]);
  expect(rows.map((it) => it['sdnn']).filter((it) => it !== undefined)).toEqual([41]);
});

test.for(hubs)(
  '%s: a body without a new signature of the connection is a 401, stores nothing and is no call',
  async (name, { ownService: service }) => {
    const [hub, other] = [await connectHub(service, name), await connectHub(service, name)];
    const person = await addPerson(hub);
    const text = JSON.stringify(heartRateEvent(name, person, [[service.clock.nowMs - 5_000, 72]]));
    const header = name === 'terra' ? 'terra-signature' : 'svix-signature';
    const refused = [
      { headers: { [header]: '' } },
      { headers: { [header]: name === 'terra' ? 'v1=00' : 'v1,AA==' } },
      { atMs: service.clock.nowMs - 302_000 },
      { atMs: service.clock.nowMs + 302_000 },
      { secret: other.secret },
      { signed: text.replace('72', '73') },
      { secret: createHubSecret(name) },
    ];
    const countCalls = () => callsInDatabase(service, hub.accountId);
    await until('the calls that created the connection and the key', async () => (await countCalls()) === 2);
    for (const options of refused) expect((await hub.post(text, options)).body.code).toBe('invalid_signature');
    expect((await hub.post(text, { id: other.created.id })).body.code).toBe('invalid_signature');
    expect((await hub.post(text, { id: 'srk_000000000000' })).body.code).toBe('invalid_source_key');
    expect(await exported(hub, person)).toEqual([]);
    expect((await hub.post(text)).status).toBe(200);
    // The export, the post and its reading.
    await until('the calls', async () => (await countCalls()) === 5);
  },
);

test('a person is known by data, a consent or a source key, and an unknown one is skipped and not created', async ({
  service,
}) => {
  const hub = await connectHub(service, 'terra');
  const [byData, byConsent, byKey, unknown] = [randomUUID(), randomUUID(), await addPerson(hub), randomUUID()];
  await setUp({ ...service, ...hub }, { consent: 'record' });
  await hub.operator.ingest({ session_id: 'chat', subject_id: byData, tone: 'calm' });
  await until('the consent', async () => (await decide({ ...service, ...hub.operator }, byConsent)).status === 200);
  const nowMs = service.clock.nowMs;
  const people = [byData, byConsent, byKey, unknown, 'with space', '', '..', 'ü'];
  const { body } = await hub.post(people.map((person) => heartRateEvent('terra', person, [[nowMs - 5_000, 70]])));
  expect(body).toMatchObject({ stored: 3, skipped: { unknown_person: 2 } });
  expect((await hub.operator.request(`/v1/state?subject_id=${unknown}`)).status).toBe(404);
});

test('a body of several people: each has the own consent', async ({ service }) => {
  const hub = await connectHub(service, 'junction');
  await setUp({ ...service, ...hub }, { consent: 'enforce' });
  const [allows, refuses] = [await addPerson(hub), await addPerson(hub)];
  await until('the consent', async () => (await decide({ ...service, ...hub.operator }, allows)).status === 200);
  await decide({ ...service, ...hub.operator }, refuses, { categories: [] });
  const at = service.clock.nowMs - 5_000;
  const { body } = await hub.post([allows, refuses].map((person) => heartRateEvent('junction', person, [[at, 70]])));
  expect(body).toMatchObject({ stored: 1, skipped: { no_consent: 1 } });
  expect(await exported(hub, refuses)).toEqual([]);
});

test('an erased person stays erased when the hub sends again, until the account knows the person again', async ({
  ownService: service,
}) => {
  const hub = await connectHub(service, 'open_wearables');
  const person = await addPerson(hub);
  const event = () => heartRateEvent('open_wearables', person, [[service.clock.nowMs - 5_000, 72]]);
  expect((await hub.post(event())).body.stored).toBe(1);
  await hub.operator.request(`/v1/subjects/${person}`, { method: 'DELETE' });
  expect((await hub.post(event())).body).toMatchObject({ stored: 0, skipped: { unknown_person: 1 } });
  expect(await exported(hub, person)).toEqual([]);
  service.clock.advance(1);
  await hub.operator.post('/v1/source-keys', { subject_id: person, source: 'generic' });
  expect((await hub.post(event())).body.stored).toBe(1);
});

test('a connection requires a signing secret and no person, is listed without it, and ends with its removal', async ({
  service,
}) => {
  const hub = await connectHub(service, 'terra');
  const create = async (request: object) => (await hub.operator.post('/v1/source-keys', request)).body.errors?.[0];
  const [secret, person] = [hub.secret, randomUUID()];
  expect(await create({ source: 'terra' })).toMatchObject({ code: 'missing', pointer: '/signing_secret' });
  const both = { source: 'terra', signing_secret: secret, subject_id: person };
  expect(await create(both)).toMatchObject({ code: 'extra_forbidden', pointer: '/subject_id' });
  expect(await create({ ...both, source: 'generic' })).toMatchObject({ pointer: '/signing_secret' });
  expect(await create({ source: 'generic' })).toMatchObject({ code: 'missing', pointer: '/subject_id' });
  expect(await create({ source: 'junction', signing_secret: secret })).toMatchObject({ code: 'signing_secret' });
  const { id, ...rest } = hub.created;
  expect(rest).toEqual({
    ...{ source: 'terra', last_used_at: null, created_at: expect.any(String), expires_at: expect.any(String) },
  });
  const { body: list } = await hub.operator.request('/v1/source-keys');
  expect(list.source_keys).toEqual([{ ...hub.created, maker_key_id: expect.any(String) }]);
  const row = await openKnex(service.database.url)('source_keys').where({ source_key_id: id }).first();
  expect(row.signing_secret).not.toContain(secret);
  expect(service.logs.join('\n')).not.toContain(secret);
  expect((await hub.operator.request(`/v1/source-keys/${id}`, { method: 'DELETE' })).status).toBe(204);
  await expect.poll(async () => (await hub.post({ type: 'auth' })).body.code).toBe('invalid_source_key');
});

test('the secret of a connection is readable after SECRETS_KEY was replaced', async ({ database }) => {
  const [older, newer] = ['a'.repeat(32), 'b'.repeat(32)];
  const clock = new Clock();
  const start = (SECRETS_KEY: string) => startTestService({ database, clock, env: { SECRETS_KEY } });
  const service = { ...(await start(older)) };
  const hub = await connectHub(service, 'junction');
  const person = await addPerson(hub);
  await service.close();
  await (await start(`${newer},${older}`)).close();
  service.url = (await start(newer)).url;
  const event = heartRateEvent('junction', person, [[clock.nowMs - 5_000, 72]]);
  expect((await hub.post(event)).body).toMatchObject({ stored: 1 });
});

test('`audit --verify` finds no fault after the purge of expired source keys, an erasure and a removal', async () => {
  const service = await startTestService({});
  const [hub, phone] = [await connectHub(service, 'terra'), await connectPhone(service, 'generic')];
  const erased = await addPerson(hub);
  await hub.operator.request(`/v1/subjects/${erased}`, { method: 'DELETE' });
  await phone.operator.request(`/v1/source-keys/${phone.id}`, { method: 'DELETE' });
  await connectPhone(service, 'generic');
  await purgeExpired(service.store, service.clock.nowMs + 181 * 24 * hourMs);
  expect(await openKnex(service.database.url)('source_keys')).toEqual([]);
  const { stdout } = await runHere(['audit', '--verify', '--json'], { DATABASE_URL: service.database.url });
  expect(JSON.parse(stdout).faults).toEqual([]);
});

test('the command `keys create` does not create connections, whose secret would stand in the command line', async ({
  service,
}) => {
  const args = ['keys', 'create', '--account', 'acme', '--subject', 'p', '--source', 'terra'];
  const ended = await runHere(args, { DATABASE_URL: service.database.url });
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('Allowed choices are health_auto_export')]);
});

test.for(hubs)('%s: any signed body gets a documented response', async (name, { service }) => {
  const hub = await connectHub(service, name);
  const person = await addPerson(hub);
  const names = ['type', 'data', 'samples', 'timestamp', 'value', 'user', 'event_type', 'source', 'detailed', 'sport'];
  const texts = [person, 'daily', 'activity', 'heart_rate', 'workout.created', 'daily.data.hrv.created', '2026-11-20'];
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(...texts)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...names, 'user_id', 'reference_id', 'heart_rate_data'), tie('value')),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(value, async (body) => {
      // `post` checks each response against the contract.
      expect([200, 422]).toContain((await hub.post(JSON.stringify(body))).status);
    }),
    { numRuns: 30 },
  );
});
