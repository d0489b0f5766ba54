import { retention } from '../../generated/spec.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { readConfig } from '../../src/config/config.js';
import { createPositionReader } from '../../src/store/readings-by-position.js';
import { batchResults, exportRows } from '../../testkit/batch.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';

/** A reading of the past minute `minute`, with its sample. */
const past = ({ clock }: TestService, minute: number, values: object) => ({
  ...{ session_id: 's', subject_id: 'p', timestamp: clock.at(-60 * minute), backfill: true },
  ...{ sample_id: `minute-${minute}`, ...values },
});

/** Sends readings of the past. Returns what happened to each. */
const send = async (service: TestService, ...lines: object[]) =>
  (await batchResults(service, lines)).map(({ sample, error }) => sample ?? error?.errors?.[0] ?? error?.code);

const historyOf = async ({ request }: TestService, whose = 'session_id=s') =>
  (await request(`/v1/history?${whose}&minutes=60`)).body.datapoints;

test('a higher or an equal revision replaces the reading of its sample, and a lower one changes nothing', async ({
  service,
}) => {
  const first = past(service, 20, { heart_rate: 100, sample_revision: 2 });
  const second = { ...first, heart_rate: 70, sample_revision: 3 };
  const third = { ...first, heart_rate: 71, sample_revision: 3 };
  const lower = { ...first, heart_rate: 180, sample_revision: 1 };
  expect(await send(service, first)).toEqual(['stored']);
  expect(await send(service, second)).toEqual(['replaced']);
  expect(await send(service, lower, third)).toEqual(['unchanged', 'replaced']);
  expect(await historyOf(service)).toMatchObject([{ timestamp: first.timestamp, heart_rate: 71 }]);
  expect(await historyOf(service, 'subject_id=p')).toMatchObject([{ heart_rate: 71 }]);
});

test('a resend of any body that was ever stored changes nothing, also in one batch and without backfill', async ({
  service,
}) => {
  const bodies = [80, 90, 100].map((heart_rate) => past(service, 3, { heart_rate }));
  expect(await send(service, ...bodies)).toEqual(['stored', 'replaced', 'replaced']);
  const history = await historyOf(service);
  const rows = await exportRows(service, 'session_id=s');
  expect(await send(service, ...bodies)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  const live = bodies.map(({ backfill: _, ...body }) => body);
  expect((await service.post('/v1/ingest', live[0])).status).toBe(200);
  expect(await historyOf(service)).toEqual(history);
  expect(history).toMatchObject([{ heart_rate: 100 }]);
  expect(await exportRows(service, 'session_id=s')).toEqual(rows);
  expect(rows).toHaveLength(1);
});

test('the sample of a session with another timestamp is a 422 on sample_id, and another session may use the id', async ({
  service,
}) => {
  const first = past(service, 20, { heart_rate: 80 });
  await send(service, first);
  const moved = { ...first, timestamp: service.clock.at(-1201) };
  expect(await send(service, moved, { ...moved, session_id: 's2' })).toEqual([
    expect.objectContaining({ code: 'sample_mismatch', pointer: '/sample_id' }),
    'stored',
  ]);
  expect(await historyOf(service)).toHaveLength(1);
});

test('a revision requires a sample, and a sample_id has 1 to 128 visible characters', async ({ service }) => {
  expect((await service.ingest({ heart_rate: 70, sample_revision: 1 })).body.errors).toMatchObject([
    { code: 'missing', pointer: '/sample_id' },
  ]);
  for (const sample_id of ['', 'a b', 'x'.repeat(129), 'ü'])
    expect((await service.ingest({ heart_rate: 70, sample_id })).status).toBe(422);
});

test('a replacement of the newest reading changes history and export, but no state, list, stream or event', async ({
  ownService: service,
}) => {
  const { read, ingest, request, post, store, accountId, clock } = service;
  await post('/webhooks/register', { url: 'https://8.8.8.8/', events: ['state_change'] });
  const names = { session_id: 's', subject_id: 'p' };
  await read({ ...names, heart_rate: 62, sentiment: 0.9 });
  clock.advance(5);
  const stressed = { ...names, timestamp: clock.at(), heart_rate: 140, tone: 'hostile', sentiment: -1, sample_id: 'a' };
  await ingest(stressed);
  const observe = async () => ({
    states: await Promise.all(
      ['session_id=s', 'subject_id=p'].map(async (it) => (await request(`/v1/state?${it}`)).body),
    ),
    sessions: (await request('/v1/sessions')).body,
    outbox: await store.run((knex) => knex('outbox').select()),
    stream: await createPositionReader(store.read(accountId)).streamSession('s', 0, 10),
    subject: await store.run((knex) => knex('subjects').select()),
  });
  const before = await observe();
  const [, old] = await exportRows(service, 'session_id=s');
  const replaced = await ingest({ ...stressed, heart_rate: 61, tone: 'calm', sentiment: 0.9 });
  expect(replaced.body.stress_score).toBe(before.states[0].stress_score);
  const after = await observe();
  expect({ ...after, stream: undefined }).toEqual({ ...before, stream: undefined });
  const shown = ({ stream }: typeof before) =>
    stream.readings.map(({ position, computed: { score, timestampMs }, stateChange }) => [
      position,
      score,
      timestampMs,
      stateChange,
    ]);
  expect(shown(after)).toEqual(shown(before));
  const [, newest] = await historyOf(service);
  expect(newest).toMatchObject({ timestamp: stressed.timestamp, heart_rate: 61 });
  expect(newest.stress_score).toBeLessThan(before.states[0].stress_score);
  const learned = await exportRows(service, `session_id=s&cursor=${old?.cursor}`);
  expect(learned).toMatchObject([
    { reading: { heart_rate: 61, sample_id: 'a' }, computed: { previous_state: expect.anything() } },
  ]);
});

test('exports of the account, a session and a person return a replacement after their cursor, and once from the start', async ({
  ownService: service,
}) => {
  const lines = [30, 29, 28].map((minute) => past(service, minute, { heart_rate: 100 + minute }));
  await send(service, ...lines);
  for (const [index, whose] of ['', 'session_id=s', 'subject_id=p'].entries()) {
    const cursor = (await exportRows(service, whose)).at(-1)?.cursor;
    const corrected = { ...lines[0], heart_rate: 60 + index };
    expect(await send(service, corrected)).toEqual(['replaced']);
    const { session_id: _, subject_id: __, ...shown } = corrected;
    expect(await exportRows(service, `${whose}&cursor=${cursor}`)).toMatchObject([{ reading: shown }]);
    const rates = (await exportRows(service, whose)).map(({ reading }) => reading.heart_rate);
    expect(rates).toEqual([129, 128, corrected.heart_rate]);
  }
});

test('a session token replaces no reading, and its resend is answered', async ({ service }) => {
  const { read, post, clock, url } = service;
  await read({ session_id: 's', heart_rate: 80 });
  clock.advance(1);
  const { body } = await post('/v1/tokens', { session_id: 's', scopes: ['ingest', 'read'] });
  const first = { session_id: 's', timestamp: clock.at(), heart_rate: 90, sample_id: 'a', sample_revision: 1 };
  const ask = (reading: object) =>
    fetch(`${url}/v1/ingest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${body.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(reading),
    });
  const statuses = [];
  for (const reading of [first, first, { ...first, sample_revision: 0 }, { ...first, heart_rate: 60 }])
    statuses.push((await ask(reading)).status);
  expect(statuses).toEqual([200, 200, 200, 401]);
  expect((await historyOf(service)).map((it: { heart_rate: number }) => it.heart_rate)).toEqual([80, 90]);
});

test('a reading whose hour is stored as a summary is not replaced', async ({ ownService: service }) => {
  const { store, clock } = service;
  const timestampMs = Math.floor((clock.nowMs - 4 * 3_600_000) / 3_600_000) * 3_600_000 + 3_500_000;
  const line = { ...past(service, 1, { heart_rate: 80 }), timestamp: new Date(timestampMs).toISOString() };
  const early = { ...line, timestamp: new Date(timestampMs - 3_000_000).toISOString(), sample_id: 'early' };
  await send(service, line, early);
  // A retention that the operator extends afterwards: the hour is stored, and its last minutes are still there.
  const times = { ...readConfig({}).retention, readingsMs: clock.nowMs - timestampMs - 400_000 };
  await purgeExpired(store, clock.nowMs, times);
  const before = await exportRows(service, 'session_id=s');
  expect(before.map(({ reading }) => reading['sample_id'])).toEqual(['minute-1']);
  expect(await send(service, { ...line, heart_rate: 120 }, line)).toEqual(['sample_too_old', 'unchanged']);
  expect(await exportRows(service, 'session_id=s')).toEqual(before);
});

test('a purge deletes a replaced reading and all bodies of its sample at the age of its timestamp', async ({
  ownService: service,
}) => {
  const { store, clock, database } = service;
  await send(service, past(service, 600, { heart_rate: 80 }), past(service, 600, { heart_rate: 81 }));
  await service.ingest({ session_id: 's', heart_rate: 70, sample_id: 'live' });
  clock.advance(60);
  await service.ingest({ session_id: 's', timestamp: clock.at(-60), heart_rate: 75, sample_id: 'live' });
  const knex = openKnex(database.url);
  const count = async () =>
    Promise.all(['session_readings', 'late_readings'].map(async (it) => (await knex(it).select()).length));
  expect(await count()).toEqual([2, 5]);
  const purgeAt = (hours: number) => purgeExpired(store, clock.nowMs + hours * 3_600_000);
  await purgeAt(retention.earlier_hours - 7);
  expect(await count()).toEqual([1, 2]);
  await purgeAt(retention.earlier_hours + 3);
  expect(await count()).toEqual([0, 0]);
});

test('an erasure deletes all bodies of a sample, and the sample starts anew', async ({ ownService: service }) => {
  const lines = [80, 81].map((heart_rate) => past(service, 20, { heart_rate }));
  await send(service, ...lines);
  expect((await service.request('/v1/subjects/p', { method: 'DELETE' })).status).toBe(200);
  const knex = openKnex(service.database.url);
  for (const table of ['session_readings', 'late_readings']) expect(await knex(table).select()).toEqual([]);
  expect(await send(service, lines[0] as object)).toEqual(['stored']);
  expect(await historyOf(service)).toMatchObject([{ heart_rate: 80 }]);
});

test('a summary of a person follows a replacement', async ({ service }) => {
  const line = past(service, 20, { heart_rate: 80 });
  const from = new Date(service.clock.nowMs - 7_200_000).toISOString();
  const rates = async () =>
    (await service.request(`/v1/subjects/p/summary?from=${from}`)).body.rows.map(
      (it: { heart_rate?: { mean: number } }) => it.heart_rate?.mean,
    );
  await send(service, line);
  expect(await rates()).toContain(80);
  await send(service, { ...line, heart_rate: 95 });
  expect(await rates()).toContain(95);
  expect(await rates()).not.toContain(80);
});

test('a service that shares the database detects the sample', async ({ ownService: service }) => {
  const other = await startTestService({ database: service.database, clock: service.clock });
  const line = past(service, 20, { heart_rate: 80 });
  await send(service, line);
  const { request } = client(other.url, service.key, service.clock);
  const body = JSON.stringify([{ ...line, heart_rate: 85 }, line]);
  const headers = { 'Content-Type': 'application/json' };
  const { body: result } = await request('/v1/ingest/batch', { method: 'POST', headers, body });
  expect(result.results.map((it: { sample: string }) => it.sample)).toEqual(['replaced', 'unchanged']);
  expect(await historyOf(service)).toMatchObject([{ heart_rate: 85 }]);
});
