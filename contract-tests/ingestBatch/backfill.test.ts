import { retention } from '../../generated/spec.js';
import type { Submission } from '../../src/contract/contract.js';
import { findSessionsWithEvents } from '../../src/store/outbox.js';
import { createPositionReader } from '../../src/store/readings-by-position.js';
import { findPoints } from '../../src/store/history-points.js';
import { createSessionReader } from '../../src/store/sessions.js';
import { findStreamHeads } from '../../src/store/stream-positions.js';
import { batchResults } from '../../testkit/batch.js';
import { setUp } from '../../testkit/consents.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';

const retentionSeconds = retention.earlier_hours * 3600;

/** A backfilled line, this many seconds ago. */
const past = ({ clock }: TestService, seconds: number, values: object) => ({
  session_id: 's1',
  timestamp: clock.at(-seconds),
  backfill: true,
  ...values,
});

async function sessionsWithEvents(store: TestService['store']): Promise<string[]> {
  return (await store.run((knex) => findSessionsWithEvents(knex, 100))).map(({ sessionId }) => sessionId);
}

test('a backfilled reading is in the history and changes neither the state nor the stream', async ({ service }) => {
  const { read, request, store, accountId } = service;
  await read({ heart_rate: 60, sentiment: 0.9 });
  const before = await request('/v1/state?session_id=s1');
  const [head] = await store.run((knex) => findStreamHeads(knex, [accountId]));
  const lines = [past(service, 900, { heart_rate: 140, tone: 'hostile' }), past(service, 60, { heart_rate: 150 })];
  const results = await batchResults(service, lines);
  expect(results.map(({ state }) => state?.timestamp)).toEqual(lines.map(({ timestamp }) => timestamp));
  expect((await request('/v1/state?session_id=s1')).body).toEqual(before.body);
  expect(await createPositionReader(store.read(accountId)).changedAfter(head?.position ?? 0)).toEqual([]);
  expect(await createPositionReader(store.read(accountId)).streamSession('s1', 0, 10)).toMatchObject({
    readings: [{}],
  });
  const { datapoints } = (await request('/v1/history?session_id=s1&minutes=60')).body;
  expect(datapoints.map((it: { heart_rate: number }) => it.heart_rate)).toEqual([140, 150, 60]);
});

test('a backfilled reading causes no webhook', async ({ service }) => {
  const { post, read, store, clock } = service;
  await post('/webhooks/register', { url: 'https://8.8.8.8/', events: ['state_change'] });
  await read({ session_id: 'hooked', heart_rate: 60, sentiment: 0.9 });
  const stressed = { tone: 'hostile', expression: 'tense', sentiment: -1, heart_rate: 140 } as const;
  await batchResults(service, [{ session_id: 'hooked', timestamp: clock.at(), backfill: true, ...stressed }]);
  expect(await sessionsWithEvents(store)).not.toContain('hooked');
  clock.advance(1);
  await read({ session_id: 'hooked', ...stressed });
  expect(await sessionsWithEvents(store)).toContain('hooked');
});

test('a session with only backfilled readings has their scores and their last state', async ({ service }) => {
  const { clock, read, request } = service;
  const values: ReadonlyArray<Partial<Submission>> = [
    { heart_rate: 62 },
    { heart_rate: 110, tone: 'tense' },
    { heart_rate: 118, sentiment: -0.9 },
  ];
  const live = [];
  for (const [index, it] of values.entries())
    live.push(await read({ session_id: 'live', timestamp: clock.at(10 * index - 60), ...it }));
  const lines = values.map((it, index) => past(service, 60 - 10 * index, { session_id: 'offline', ...it }));
  const results = await batchResults(service, lines);
  // The confidence of a live reading falls with its age, that of a past one is of its own time.
  const confidence = expect.any(Number);
  expect(results.map(({ state }) => ({ ...state, session_id: 'live', confidence }))).toEqual(
    live.map((it) => ({ ...it, confidence })),
  );
  const of = async (id: string) => (await request(`/v1/history?session_id=${id}`)).body.datapoints;
  expect(await of('offline')).toEqual(await of('live'));
  const stored = await request('/v1/state?session_id=offline');
  expect(stored.body).toMatchObject({ ...results[2]?.state, confidence });
  const { body } = await request('/v1/sessions');
  expect(body.sessions.map((it: { session_id: string }) => it.session_id)).toContain('offline');
});

test('the first reading after backfilled ones starts the state and has no previous score', async ({ service }) => {
  const { request, read, post, store } = service;
  await post('/webhooks/register', { url: 'https://8.8.4.4/', events: ['state_change'], session_id: 'begun' });
  await batchResults(service, [past(service, 30, { session_id: 'begun', heart_rate: 150, tone: 'hostile' })]);
  const first = await read({ session_id: 'begun', heart_rate: 60 });
  expect(first.adaptation_effectiveness).toBeUndefined();
  expect((await request('/v1/state?session_id=begun')).body).toMatchObject(first);
  expect(await sessionsWithEvents(store)).not.toContain('begun');
  // Later backfilled readings continue after the earlier ones.
  const [result] = await batchResults(service, [past(service, 20, { session_id: 'begun', heart_rate: 150 })]);
  expect(result?.state?.adaptation_effectiveness).toBeDefined();
  expect((await request('/v1/state?session_id=begun')).body).toMatchObject(first);
});

test.each([undefined, 6, 720])(
  'a backfilled reading may be as old as the retention of readings, and no older: of the deployment, or %s hours of the account',
  async (hours) => {
    const service = await setUp(await startTestService(), { keep_readings_hours: hours });
    const kept = hours === undefined ? retentionSeconds : hours * 3600;
    const results = await batchResults(service, [
      past(service, kept, { heart_rate: 80 }),
      past(service, kept + 1, { heart_rate: 80 }),
      past(service, 301, { heart_rate: 80, backfill: false }),
      past(service, -61, { heart_rate: 80 }),
    ]);
    expect(results.map(({ status, error }) => [error?.code ?? status, error?.max_age_seconds])).toEqual([
      [200, undefined],
      ['timestamp_too_old', kept],
      ['timestamp_too_old', 300],
      ['timestamp_in_future', undefined],
    ]);
    const fact = (seconds: number) =>
      service.request('/v1/facts/f', {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          subject_id: 'p',
          kind: 'rest',
          start: service.clock.at(-seconds - 60),
          end: service.clock.at(-seconds),
        }),
      });
    expect([(await fact(kept)).status, (await fact(kept + 1)).body.max_age_seconds]).toEqual([200, kept]);
  },
);

test('a single reading can be backfilled', async ({ service }) => {
  const { status, body } = await service.post('/v1/ingest', past(service, 3600, { heart_rate: 80 }));
  expect([status, body.timestamp]).toEqual([200, service.clock.at(-3600)]);
});

test('a reading that is sent again as backfill is not stored twice', async ({ service }) => {
  const { clock, read, request } = service;
  const reading = { session_id: 'twice', timestamp: clock.at(), heart_rate: 84 };
  const original = await read(reading);
  clock.advance(400);
  await read({ session_id: 'twice', heart_rate: 90 });
  const lines = [
    { ...reading, backfill: true },
    { ...reading, backfill: true },
  ];
  const results = await batchResults(service, lines);
  expect(results.map(({ state }) => state)).toEqual([original, original]);
  expect((await request('/v1/history?session_id=twice&minutes=60')).body.datapoints).toHaveLength(2);
});

test('backfilled readings update the baseline of the subject', async ({ service }) => {
  const { clock, read } = service;
  const score = async (session_id: string, subject_id: string) =>
    (await read({ session_id, subject_id, heart_rate: 84 })).stress_score;
  // This person rests at 84 bpm.
  const lines = Array.from({ length: 120 }, (_, index) =>
    past(service, 7200 - 30 * index, { session_id: 'rest', subject_id: 'rested', heart_rate: 84 }),
  );
  await batchResults(service, lines);
  const [rested, unknown] = [await score('a', 'rested'), await score('b', 'unknown')];
  expect(rested).toBeLessThan(unknown);
  // Readings older than the newest reading of the person count too.
  await score('c', 'late');
  await batchResults(
    service,
    lines.map((line) => ({ ...line, session_id: 'late', subject_id: 'late' })),
  );
  clock.advance(1);
  expect(await score('d', 'late')).toBeLessThan(unknown);
});

test('the text of a backfilled reading is not analyzed', async ({ service }) => {
  const turn = { user_message: 'My exam is tomorrow', ai_response: 'How do you feel about it?' };
  const [result] = await batchResults(service, [
    past(service, 600, { session_id: 'told', subject_id: 'told', heart_rate: 120, ...turn }),
  ]);
  expect(result?.state?.topics_detected).toEqual([]);
  expect((await service.request('/v1/triggers?subject_id=told')).body.triggers).toEqual({});
});

test('an erasure also deletes backfilled readings', async ({ service }) => {
  const { request, store, accountId } = service;
  await batchResults(service, [past(service, 600, { session_id: 'gone', subject_id: 'gone', heart_rate: 90 })]);
  const found = await createSessionReader(store.read(accountId)).find('gone');
  expect((await request('/v1/subjects/gone', { method: 'DELETE' })).body).toMatchObject({ sessions_removed: 1 });
  expect((await request('/v1/history?session_id=gone')).status).toBe(404);
  const window = { afterMs: 0, nowMs: Date.now() };
  expect(await findPoints(store.read(accountId), [found?.incarnation ?? ''], window)).toEqual([]);
  const knex = openKnex(service.database.url);
  for (const table of ['session_readings', 'late_readings'])
    expect(await knex(table).where({ incarnation: found?.incarnation })).toEqual([]);
});
