import type { Schema, StateReading } from '../../src/contract/contract.js';
import { batchResults } from '../../testkit/batch.js';
import { listAt } from '../../testkit/lists.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

type Entry = Schema<'SessionSummary'>;

const { page, pages } = listAt<Schema<'SessionList'>>('/v1/sessions');

const tones = ['calm', 'neutral', 'tense', 'hostile'] as const;

/** Sends a reading of each session. Their scores differ. Every third session belongs to subject "anna". */
async function fill(service: TestService, count: number): Promise<StateReading[]> {
  const lines = Array.from({ length: count }, (_, index) => ({
    session_id: `s-${index}`,
    timestamp: service.clock.at(-index / 10),
    heart_rate: 50 + ((index * 37) % 100),
    tone: tones[index % 4],
    ...(index % 3 === 0 && { subject_id: 'anna' }),
  }));
  return (await batchResults(service, lines)).map((it) => it.state as StateReading);
}

const idsOf = (sessions: readonly Entry[]) => sessions.map(({ session_id }) => session_id);
const isDescending = (numbers: readonly number[]) => numbers.every((it, index) => it <= (numbers[index - 1] ?? it));

test('the filter selects sessions by state, and the counts cover all sessions', async ({ service }) => {
  const readings = await fill(service, 48);
  const of = (...states: string[]) => readings.filter((it) => states.includes(it.state)).map((it) => it.session_id);
  const all = await page(service, { state: 'stressed,acute_stress' });
  expect(of('stressed', 'acute_stress').length).toBeGreaterThan(2);
  expect(all.account_id).toBe(service.accountId);
  expect(idsOf(all.sessions).sort()).toEqual(of('stressed', 'acute_stress').sort());
  expect(all.as_of).toBe(service.clock.at());
  for (const [state, count] of Object.entries(all.states ?? {})) {
    expect([state, count]).toEqual([state, of(state).length]);
    expect((await page(service, { state })).sessions).toHaveLength(count);
  }
  const annas = readings.filter((_, index) => index % 3 === 0 && readings[index]?.state === 'calm');
  const mine = await page(service, { state: 'calm', subject_id: 'anna' });
  expect(idsOf(mine.sessions).sort()).toEqual(annas.map((it) => it.session_id).sort());
  expect(mine.states?.calm).toBe(annas.length);
});

test('a session ends when its newest reading is 300 seconds old, and sorts after all others by score', async () => {
  const service = await startTestService();
  const { timestamp } = await service.read({ session_id: 'old', heart_rate: 180, tone: 'hostile' });
  service.clock.advance(200);
  await service.read({ session_id: 'new', heart_rate: 60, tone: 'calm' });
  service.clock.advance(99.999);
  expect(idsOf((await page(service, { sort: 'score' })).sessions)).toEqual(['old', 'new']);
  service.clock.advance(0.001);
  const { sessions, states } = await page(service, { sort: 'score' });
  expect(idsOf(sessions)).toEqual(['new', 'old']);
  expect(sessions[1]).toMatchObject({ timestamp, valid_until: service.clock.at() });
  expect(states).toMatchObject({ acute_stress: 0, ended: 1 });
  expect(idsOf((await page(service, { state: 'ended' })).sessions)).toEqual(['old']);
  await service.read({ session_id: 'old', heart_rate: 60, tone: 'calm' });
  expect((await page(service, { sort: 'activity' })).states?.ended).toBe(0);
});

test.each([
  ['score', ({ stress_score }: Entry) => stress_score],
  ['activity', ({ timestamp }: Entry) => Date.parse(timestamp)],
  ['started', ({ started_at }: Entry) => Date.parse(started_at)],
])('the pages sorted by %s contain every session once, as of the first page', async (sort, keyOf) => {
  const service = await startTestService();
  await fill(service, 123);
  const query = { sort, points: '3', ...(sort === 'started' && { state: 'calm,relaxed,focused,stressed' }) };
  const first = await page(service, query);
  const before = await pages(service, query, first.next_cursor);
  const sessions = [first, ...before].flatMap((it) => it.sessions);
  expect(new Set(idsOf(sessions)).size).toBe(sessions.length);
  if (sort !== 'started') expect(sessions).toHaveLength(123);
  expect(isDescending(sessions.map(keyOf))).toBe(true);
  // New sessions, changed scores, a late reading and an ended session change no later page.
  service.clock.advance(10);
  await service.read({ session_id: 'another', heart_rate: 200, tone: 'hostile' });
  for (const session_id of idsOf(sessions).filter((_, index) => index % 5 === 0))
    await service.read({ session_id, heart_rate: 200, tone: 'hostile' });
  await service.read({ session_id: 's-1', timestamp: service.clock.at(-60), heart_rate: 55 });
  service.clock.advance(600);
  expect(await pages(service, query, first.next_cursor)).toEqual(before);
});

test('a page shows the state of a session as of the snapshot, also if its newest reading was late', async () => {
  const service = await startTestService();
  await fill(service, 50);
  const stressed = await service.read({ session_id: 'late', heart_rate: 190, tone: 'hostile' });
  await service.read({ session_id: 'late', heart_rate: 52, tone: 'calm', timestamp: service.clock.at(-120) });
  const { sessions } = await page(service, { sort: 'started', state: 'acute_stress,stressed', points: '20' });
  const { timestamp, stress_score, confidence, state } = stressed;
  const late = sessions.find((it) => it.session_id === 'late');
  expect(late).toMatchObject({ timestamp, stress_score, confidence, state });
  expect(late?.points?.map((it) => it.timestamp)).toEqual([service.clock.at(-120), timestamp]);
});

test('points are the newest readings of each session, oldest first', async ({ service }) => {
  const sent: StateReading[] = [];
  for (let index = 0; index < 25; index++) {
    service.clock.advance(5);
    sent.push(await service.read({ session_id: 'one', heart_rate: 60 + 4 * index }));
    if (index % 10 === 0) await service.read({ session_id: 'two', heart_rate: 70 });
  }
  const points = sent.map(({ timestamp, stress_score }) => ({ timestamp, stress_score }));
  for (const query of [{}, { sort: 'score' }] as Array<Record<string, string>>) {
    const { sessions } = await page(service, { ...query, points: '20' });
    expect(sessions.find((it) => it.session_id === 'one')?.points).toEqual(points.slice(-20));
    expect(sessions.find((it) => it.session_id === 'two')?.points).toHaveLength(3);
    const none = await page(service, { ...query, points: '0' });
    expect(none.sessions.map(({ points }) => points)).toEqual([undefined, undefined]);
  }
});

test('backfilled readings are no points, and a session of backfilled readings is in no snapshot', async () => {
  const service = await startTestService();
  const past = { heart_rate: 120, timestamp: service.clock.at(-3600), backfill: true };
  await service.read({ session_id: 'import', ...past });
  await service.read({ session_id: 'both', ...past });
  await service.read({ session_id: 'both', heart_rate: 70 });
  const { sessions, states } = await page(service, { sort: 'activity', points: '20' });
  expect(sessions).toMatchObject([{ session_id: 'both', points: [{ timestamp: service.clock.at() }] }]);
  expect(Object.values(states ?? {}).reduce((sum, it) => sum + it, 0)).toBe(1);
  const list = await page(service, { points: '20' });
  expect(list.sessions.find((it) => it.session_id === 'import')?.points).toEqual([]);
});

test('a later page leaves out sessions that were erased after the first page', async ({ service }) => {
  await fill(service, 123);
  const first = await page(service, { sort: 'score' });
  const before = (await pages(service, { sort: 'score' }, first.next_cursor)).flatMap((it) => it.sessions);
  service.clock.advance(5);
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  const after = (await pages(service, { sort: 'score' }, first.next_cursor)).flatMap((it) => it.sessions);
  expect(idsOf(after)).toEqual(idsOf(before.filter((it) => it.subject_id === undefined)));
});

test('a snapshot contains no session of another account, not even with that account’s cursor', async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  await fill(owner, 60);
  const { next_cursor } = await page(owner, { sort: 'score', points: '5' });
  expect(next_cursor).not.toBeNull();
  for (const query of [{}, { cursor: next_cursor ?? '' }, { subject_id: 'anna' }, { state: 'calm' }])
    expect(await page(stranger, { sort: 'score', points: '5', ...query })).toMatchObject({
      sessions: [],
      next_cursor: null,
      states: { calm: 0, ended: 0 },
    });
});

test('a session token lists no sessions', async ({ service }) => {
  await service.read({ session_id: 'one', heart_rate: 70 });
  const { body } = await service.post('/v1/tokens', { session_id: 'one', scopes: ['read'] });
  for (const query of ['', '?state=calm', '?sort=score&points=20']) {
    const headers = { Authorization: `Bearer ${body.token}` };
    expect((await fetch(`${service.url}/v1/sessions${query}`, { headers })).status).toBe(401);
  }
});

test('by score, the sessions that have ended are sorted by their last score after all others', async ({ service }) => {
  for (const [session_id, heart_rate] of Object.entries({ high: 120, low: 60, middle: 90 })) {
    await service.read({ session_id, heart_rate });
    service.clock.advance(1);
  }
  service.clock.advance(300);
  await service.read({ session_id: 'live', heart_rate: 60 });
  expect(idsOf((await page(service, { sort: 'score' })).sessions)).toEqual(['live', 'high', 'middle', 'low']);
});

test('the time since when a state holds is the same in the response, in the state and in both lists', async () => {
  const service = await startTestService();
  const acute = { heart_rate: 170, tone: 'hostile', sentiment: -0.9 } as const;
  const { state_since: since, timestamp } = await service.read(acute);
  expect(since).toBe(timestamp);
  for (let minute = 0; minute < 30; minute += 1) {
    service.clock.advance(60);
    expect((await service.read({ ...acute, timestamp: service.clock.at() })).state_since).toBe(since);
  }
  expect((await service.request('/v1/state?session_id=s1')).body.state_since).toBe(since);
  for (const sort of ['started', 'score'])
    expect((await page(service, { sort, points: '20' })).sessions.map((it) => it.state_since)).toEqual([since]);
});
