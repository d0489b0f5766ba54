import { facts } from '../../generated/spec.js';
import type { Schema } from '../../src/contract/contract.js';
import { exportRows, postBatch } from '../../testkit/batch.js';
import { allow, setUp } from '../../testkit/consents.js';
import { openPage, pageEnv } from '../../testkit/person-link.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const { disputes } = facts;
const minuteMs = 60_000;
const [start, end] = [0, 20];

/** A person with a raised heart rate for 40 minutes, live and since an hour ago, who opened a page. */
async function measure(subject_id = 'anna') {
  const service = await setUp(await startTestService({ env: pageEnv }), { consent: 'record' });
  const startMs = Math.floor(service.clock.nowMs / minuteMs) * minuteMs - 60 * minuteMs;
  const at = (minutes: number) => new Date(startMs + minutes * minuteMs).toISOString();
  const named = { session_id: 'day', subject_id };
  const lines = Array.from({ length: 40 }, (_, minute) => ({
    ...{ ...named, timestamp: at(minute), heart_rate: 125, tone: 'hostile', backfill: true },
  }));
  expect((await postBatch(service, lines)).body.results.every(({ status }) => status === 200)).toBe(true);
  const page = await openPage(service, { grants: ['read', 'dispute'] }, subject_id);
  const put = (id: string, fact: object = {}) =>
    page.write('PUT', `v1/facts/${id}`, { subject_id, kind: 'other_person', start: at(start), end: at(end), ...fact });
  const remove = (id: string) => page.write('DELETE', `v1/facts/${id}?subject_id=${subject_id}`);
  const rows = async () =>
    (await exportRows(service, `subject_id=${subject_id}`)).sort((a, b) =>
      a.reading.timestamp.localeCompare(b.reading.timestamp),
    );
  /** What is exported, without its place: readings that change are exported again. */
  const read = async () => (await rows()).map(({ cursor: _, ...row }) => row);
  return { service, at, put, remove, page, rows: read };
}

const report = ({ post }: TestService, timestamp: string, others: object = {}) =>
  post('/v1/feedback', { subject_id: 'anna', timestamp, stress: 8, ...others });

test('a disputed state is scored again, keeps what was published, and comes back', async () => {
  const { service, at, put, remove, page, rows } = await measure();
  const before = await rows();
  const history = async () =>
    (await page.read(`v1/history?minutes=60&until=${at(40)}`)).body.datapoints as Schema<'History'>['datapoints'];
  const { published } = (await report(service, at(19), { duration_seconds: 1200 })).body;
  expect(published).toMatchObject({ readings: 20 });
  const { status, body } = await put('mine');
  expect([status, body]).toEqual([200, expect.objectContaining({ source: 'person', end: at(end) })]);
  for (const [index, { stress_score, scored_before, confidence }] of (await history()).entries()) {
    const was = before[index]?.computed;
    const isDisputed = index < end;
    expect([index, confidence === 0, scored_before]).toEqual([
      index,
      isDisputed,
      isDisputed ? was?.stress_score : undefined,
    ]);
    if (!isDisputed) expect(stress_score).toBe(was?.stress_score);
  }
  expect((await rows())[3]?.computed.scored_before).toBe(before[3]?.computed.stress_score);
  // Reports of later compare with what was published.
  expect((await report(service, at(19), { duration_seconds: 1201 })).body.published).toMatchObject(published as object);
  expect((await report(service, at(5))).body.published).toMatchObject({
    stress_score: before[5]?.computed.stress_score,
    readings: 1,
  });
  // A second dispute of the same minutes changes nothing of it.
  await put('again', { kind: 'exercise' });
  expect((await rows())[3]?.computed.scored_before).toBe(before[3]?.computed.stress_score);
  expect((await remove('mine')).status).toBe(204);
  expect((await rows())[3]).toMatchObject({
    reading: { activity_level: 'vigorous' },
    computed: { scored_before: before[3]?.computed.stress_score },
  });
  expect((await remove('again')).status).toBe(204);
  expect(await rows()).toEqual(before);
  const actions = async () => {
    const { accesses } = (await service.request('/v1/subjects/anna/accesses')).body as Schema<'AccessList'>;
    const byPage = accesses.filter(({ credential }) => credential === 'link');
    return byPage.map(({ action, operation }) => `${action} ${operation}`);
  };
  await expect.poll(actions).toEqual(expect.arrayContaining(['write putFact', 'erase deleteFact']));
});

test('what the person states precedes readings and other facts, which a page cannot change', async () => {
  const { service, at, put, remove, rows } = await measure();
  const send = (method: string, path: string, body?: object) =>
    service.request(path, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  const run = { subject_id: 'anna', kind: 'exercise', level: 'vigorous', start: at(0), end: at(30) };
  await send('PUT', '/v1/facts/run', run);
  await put('rest', { kind: 'rest' });
  const levels = async () => (await rows()).map(({ reading }) => reading.activity_level);
  expect([(await levels())[0], (await levels())[25]]).toEqual(['resting', 'vigorous']);
  expect((await put('run', { kind: 'rest' })).body).toEqual({ fact_id: 'run', revision: 0, ...run });
  expect((await remove('run')).body.code).toBe('fact_not_found');
  const stated = { session_id: 'day', subject_id: 'anna', timestamp: at(2), heart_rate: 99, activity_level: 'light' };
  await postBatch(service, [{ ...stated, timestamp: at(2.5), backfill: true }]);
  expect((await levels()).includes('light')).toBe(false);
  expect((await send('DELETE', '/v1/facts/rest?subject_id=anna')).status).toBe(204);
  expect((await levels()).includes('light')).toBe(true);
});

test('a dispute ends, is of the past and short, and 20 of a day are enough', async () => {
  const { service, at, put, remove } = await measure();
  const hours = (count: number, ms = 0) => ({
    start: at(0),
    end: new Date(Date.parse(at(0)) + count * 3_600_000 + ms).toISOString(),
  });
  service.clock.advance(6 * 3_600);
  expect((await put('a', hours(disputes.hours_max))).status).toBe(200);
  expect((await put('a', hours(disputes.hours_max, 1))).body.errors).toMatchObject([{ code: 'fact_end' }]);
  expect((await put('a', { end: undefined })).body.errors).toMatchObject([{ code: 'missing', pointer: '/end' }]);
  const ahead = { start: service.clock.at(-10), end: service.clock.at(120) };
  expect((await put('a', ahead)).body.code).toBe('timestamp_in_future');
  expect((await put('a', { start: '2020-01-01T00:00:00Z' })).body.code).toBe('timestamp_too_old');
  for (let count = 1; count < disputes.per_day_max; count += 1) expect((await put(`f${count}`)).status).toBe(200);
  expect((await put('more')).body.errors).toMatchObject([{ code: 'too_many_disputes' }]);
  expect((await put('a', { kind: 'rest' })).status).toBe(200);
  await remove('f1');
  expect((await put('more')).status).toBe(200);
  const other = await openPage(service, { grants: ['read', 'feedback', 'correct'] });
  const fact = { subject_id: 'anna', kind: 'rest', start: at(0), end: at(1) };
  expect((await other.write('PUT', 'v1/facts/b', fact)).body.code).toBe('grant_required');
});

test('the agreement of the account counts disputes of five people, and none of people at work', async () => {
  const { service, at } = await measure();
  const disputed = async () => (await service.request('/v1/agreement')).body.disputes;
  const dispute = async (subjectId: string) => {
    await service.read({ session_id: `of-${subjectId}`, subject_id: subjectId, heart_rate: 120 });
    const page = await openPage(service, { grants: ['dispute'] }, subjectId);
    for (const id of ['a', 'b']) {
      const fact = { subject_id: subjectId, kind: 'not_worn', start: at(0), end: at(1) };
      expect((await page.write('PUT', `v1/facts/${id}`, fact)).status).toBe(200);
    }
  };
  for (const id of ['p1', 'p2', 'p3', 'p4']) await dispute(id);
  await dispute('worker');
  await allow(service, 'worker', ['textual'], { context: 'work' });
  expect(await disputed()).toBeUndefined();
  await dispute('p5');
  expect(await disputed()).toEqual([{ kind: 'not_worn', facts: 10, people: 5 }]);
  expect((await service.request('/v1/subjects/p5/agreement')).body).not.toHaveProperty('disputes');
});
