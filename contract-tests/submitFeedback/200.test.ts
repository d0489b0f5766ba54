import { randomUUID } from 'node:crypto';
import { eraseSubject } from '../../src/retention/erase.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { erasing, everythingStored } from '../../testkit/stored.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

const hour = 60 * 60;
const day = 24 * hour;

async function report(service: TestService, body: Readonly<Record<string, unknown>>) {
  const answer = await service.post('/v1/feedback', { timestamp: service.clock.at(), stress: 7, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

async function list({ request }: TestService, query = '') {
  return (await request(`/v1/feedback${query}`)).body.feedback;
}

test('a report about a moment has the score of the newest reading up to that moment', async ({ service }) => {
  const { clock, read } = service;
  await read({ heart_rate: 60, tone: 'calm', timestamp: clock.at(-20) });
  const { stress_score, state, model_version } = await read({ tone: 'hostile', timestamp: clock.at(-10) });
  await read({ tone: 'calm', sentiment: 1, timestamp: clock.at(1) });
  const stored = await report(service, { session_id: 's1', note_code: 'conflict' });
  expect(stored).toMatchObject({ session_id: 's1', stress: 7, note_code: 'conflict', timestamp: clock.at() });
  expect(stored.published).toEqual({ stress_score, state, model_version, readings: 1 });
  expect(await report(service, { session_id: 's1', timestamp: clock.at(-310) })).not.toHaveProperty('published');
});

test('a token without the scope read is not told the published score, also of a resend', async ({ service }) => {
  await service.read({ session_id: 's1', heart_rate: 90 });
  const send = async (scopes: Array<'feedback' | 'read'>) => {
    const report = { session_id: 's1', timestamp: service.clock.at(), stress: 3 };
    const answer = await service.post('/v1/feedback', report, bearer(await issueToken(service, { scopes })));
    expect(answer.status).toBe(200);
    return answer.body;
  };
  for (const _ of ['report', 'resend']) expect(await send(['feedback'])).not.toHaveProperty('published');
  expect(await send(['feedback', 'read'])).toHaveProperty('published.readings', 1);
  expect(await list(service)).toMatchObject([{ published: { readings: 1 } }]);
});

test('a score counts for 300 seconds', async ({ service }) => {
  await service.read({ heart_rate: 90 });
  service.clock.advance(299);
  expect(await report(service, { session_id: 's1' })).toHaveProperty('published');
  service.clock.advance(1);
  expect(await report(service, { session_id: 's1' })).not.toHaveProperty('published');
});

test('a report about an interval has the mean over the readings of all sessions of the person', async ({ service }) => {
  const { clock, read, post } = service;
  const scores = [];
  for (const [session_id, tone] of [
    ['a', 'calm'],
    ['b', 'hostile'],
    ['b', 'tense'],
  ] as const) {
    scores.push((await read({ session_id, subject_id: 'p', tone })).stress_score);
    clock.advance(10);
  }
  const line = { session_id: 'c', subject_id: 'p', timestamp: clock.at(-hour), tone: 'hostile', backfill: true };
  const { body } = await post('/v1/ingest', line);
  await read({ session_id: 'other', subject_id: 'q', tone: 'hostile' });
  scores.push(body.stress_score);
  const stored = await report(service, { subject_id: 'p', duration_seconds: hour + 1 });
  const mean = Math.round(scores.reduce((sum, score) => sum + score, 0) / scores.length);
  expect(stored).toMatchObject({ subject_id: 'p', published: { stress_score: mean, readings: 4 } });
  // The start is exclusive, the end inclusive.
  const last = await report(service, { subject_id: 'p', timestamp: clock.at(-10), duration_seconds: 10 });
  expect(last.published).toMatchObject({ stress_score: scores[2], readings: 1 });
});

test('an identical body returns the original response and stores nothing, also after later readings', async () => {
  const service = await startTestService();
  await service.read({ subject_id: 'p', tone: 'tense' });
  const body = { timestamp: service.clock.at(), session_id: 's1', stress: 4 };
  const first = await report(service, body);
  await service.read({ tone: 'hostile' });
  service.clock.advance(day);
  expect(await report(service, { stress: 4, session_id: 's1', timestamp: body.timestamp })).toEqual(first);
  const resends = Array.from({ length: 8 }, () => report(service, { ...body, stress: 5 }));
  expect(new Set((await Promise.all(resends)).map((it) => JSON.stringify(it))).size).toBe(1);
  expect(await list(service)).toHaveLength(2);
});

test('a report changes no score', async ({ service }) => {
  await service.read({ heart_rate: 80, subject_id: 'p' });
  const before = (await service.request('/v1/state?session_id=s1')).body;
  await report(service, { session_id: 's1', stress: 10 });
  expect((await service.request('/v1/state?session_id=s1')).body).toEqual(before);
  const next = { timestamp: service.clock.at(1), heart_rate: 80 };
  const other = await startTestService();
  await other.read({ heart_rate: 80, subject_id: 'p' });
  expect(await service.read(next)).toEqual(await other.read(next));
});

test('a report outlives its readings and its session with the score, until its own retention', async () => {
  const service = await startTestService({});
  await service.read({ subject_id: 'p', heart_rate: 90 });
  const stored = await report(service, { session_id: 's1' });
  service.clock.advance(3 * day);
  await purgeExpired(service.store, service.clock.nowMs);
  expect((await service.request('/v1/state?session_id=s1')).status).toBe(404);
  expect(await list(service, '?subject_id=p')).toEqual([{ ...stored, subject_id: 'p' }]);
  service.clock.advance(362 * day - 1);
  await purgeExpired(service.store, service.clock.nowMs);
  expect(await list(service)).toHaveLength(1);
  service.clock.advance(2);
  await purgeExpired(service.store, service.clock.nowMs);
  expect(await list(service)).toEqual([]);
});

test('an erasure deletes the reports of a person and of their sessions, also of one that was bound later', async () => {
  const service = await startTestService({});
  const [subject_id, bound, late] = [randomUUID(), randomUUID(), randomUUID()] as const;
  await service.read({ session_id: bound, subject_id, heart_rate: 70 });
  await service.read({ session_id: late, heart_rate: 70 });
  await service.read({ session_id: 'another', subject_id: 'q', heart_rate: 70 });
  for (const named of [{ subject_id }, { session_id: bound }, { session_id: late }, { session_id: 'another' }])
    await report(service, named);
  expect(await list(service, `?subject_id=${subject_id}`)).toHaveLength(2);
  service.clock.advance(1);
  await service.read({ session_id: late, subject_id, heart_rate: 70 });
  expect(await list(service, `?subject_id=${subject_id}`)).toHaveLength(3);
  expect((await service.request(`/v1/subjects/${subject_id}`, { method: 'DELETE' })).status).toBe(200);
  expect(await list(service)).toMatchObject([{ session_id: 'another', subject_id: 'q' }]);
  const stored = await everythingStored(service.database);
  for (const id of [subject_id, bound, late]) expect(stored).not.toContain(id);
});

test('an erasure also deletes a report that arrives after its first step', async ({ ownService: service }) => {
  const { store, accountId, clock } = service;
  await service.read({ subject_id: 'p', heart_rate: 70 });
  await report(service, { subject_id: 'p', stress: 1 });
  let late: unknown;
  let emptyBatches = 0;
  const run: typeof store.run = async (work) => {
    const result = await store.run(work);
    // The first step deletes hours, then feedback. Each ends with the batch that finds nothing.
    if (result === 0 && (emptyBatches += 1) === 2)
      late ??= await report(service, { subject_id: 'p', timestamp: clock.at(-1), stress: 9 });
    return result;
  };
  await eraseSubject(erasing(service, { ...store, run }), accountId, 'p');
  expect(late).toMatchObject({ stress: 9 });
  expect(await list(service)).toEqual([]);
});

test('a report of an earlier session with the same id does not belong to the person of the new session', async () => {
  const service = await startTestService({});
  await service.read({ heart_rate: 70 });
  await report(service, { session_id: 's1' });
  service.clock.advance(3 * day);
  await purgeExpired(service.store, service.clock.nowMs);
  await service.read({ heart_rate: 70 });
  service.clock.advance(1);
  await service.read({ heart_rate: 70, subject_id: 'p' });
  expect(await list(service, '?subject_id=p')).toEqual([]);
});

test('reports and erasures at the same time leave no report of the erased person', async ({ ownService: service }) => {
  for (let round = 0; round < 5; round += 1) {
    await service.read({ subject_id: 'p', heart_rate: 70, session_id: `s${round}` });
    const reports = Array.from({ length: 10 }, (_, index) =>
      service.post('/v1/feedback', { subject_id: 'p', timestamp: service.clock.at(), stress: index }),
    );
    const erasure = service.request('/v1/subjects/p', { method: 'DELETE' });
    const statuses = (await Promise.all([...reports, erasure])).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 404].includes(status))).toEqual([]);
    expect(await list(service)).toEqual([]);
  }
});
