import type { Schema } from '../../src/contract/contract.js';
import { listAt } from '../../testkit/lists.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const { page, pages } = listAt<Schema<'SessionList'>>('/v1/sessions');

/** Returns the sessions of all pages in order. Calls `between` after each page. */
async function walk(service: TestService, filter: Record<string, string> = {}, between = async () => {}) {
  const all = (await pages(service, filter, '', between)).map(({ sessions }) => sessions);
  for (const it of all.slice(0, -1)) expect(it).toHaveLength(50);
  return all.flat().map(({ session_id }) => session_id);
}

/** Starts sessions, several of them in the same millisecond. Every third session belongs to subject "anna". */
async function fill(service: TestService, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `s-${index}`);
  for (const [index, session_id] of ids.entries()) {
    if (index % 4 === 0) service.clock.advance(0.001);
    await service.read({ session_id, heart_rate: 70, ...(index % 3 === 0 && { subject_id: 'anna' }) });
  }
  return ids;
}

test('an entry has the latest state, score, confidence and timestamp of its session, and its subject', async () => {
  const service = await startTestService();
  const startedAt = service.clock.at();
  await service.read({ session_id: 'one', heart_rate: 70 });
  service.clock.advance(2);
  const sent = { session_id: 'one', subject_id: 'anna', heart_rate: 120, tone: 'hostile' } as const;
  const { state, state_since, stress_score, confidence, timestamp, model_version } = await service.read(sent);
  expect(await page(service)).toEqual({
    sessions: [
      {
        ...{ session_id: 'one', subject_id: 'anna', started_at: startedAt },
        ...{ timestamp, state, state_since, stress_score, confidence, model_version, cause: 'vocal_up' },
        ...{ valid_until: service.clock.at(300) },
      },
    ],
    next_cursor: null,
  });
});

test('an entry has the cause of its state, also in a snapshot, and none of an unknown state', async ({ service }) => {
  await service.read({ session_id: 'Tense,voice', tone: 'calm' });
  await service.read({ session_id: 'unknown', sentiment: 0 });
  await service.read({ session_id: 'resting', heart_rate: 64, subject_id: 'anna' });
  await service.read({ session_id: 'angry', tone: 'hostile', urgency: 'high' });
  for (const sort of ['started', 'score']) {
    const { sessions } = await page(service, { sort });
    const causes = sessions.map(({ session_id, cause }) => [session_id, cause]);
    expect(Object.fromEntries(causes)).toEqual({
      ...{ 'Tense,voice': 'vocal_down', unknown: undefined, resting: 'heart_usual', angry: 'vocal_up' },
    });
  }
});

test('an account without sessions has an empty list', async () => {
  expect(await page(await startTestService())).toEqual({ sessions: [], next_cursor: null });
});

test('the pages contain every session once, latest start first, while readings arrive', async ({ service }) => {
  const ids = await fill(service, 123);
  service.clock.advance(1);
  const touchOldest = async () => void (await service.read({ session_id: 's-0', heart_rate: 70 }));
  const walked = await walk(service, {}, touchOldest);
  expect([...walked].sort()).toEqual([...ids].sort());
  // Compares start times, because sessions that started in the same millisecond have no defined order.
  const startOf = (id: string) => Math.floor(Number(id.slice(2)) / 4);
  expect(walked.map(startOf)).toEqual([...ids].reverse().map(startOf));
});

test('the filter selects the sessions of a subject', async ({ service }) => {
  const ids = await fill(service, 160);
  const wanted = ids.filter((_, index) => index % 3 === 0);
  expect((await walk(service, { subject_id: 'anna' })).sort()).toEqual(wanted.sort());
  expect(await page(service, { subject_id: 'unknown' })).toEqual({ sessions: [], next_cursor: null });
});

test("another account's sessions are not listed, not even with that account's cursor", async () => {
  const [owner, stranger] = [await startTestService(), await startTestService()];
  await fill(owner, 60);
  const { next_cursor } = await page(owner);
  for (const query of [{}, { subject_id: 'anna' }, { cursor: next_cursor ?? '' }])
    expect(await page(stranger, query as Record<string, string>)).toEqual({ sessions: [], next_cursor: null });
});

test('an erased session is not listed, and its id starts a new session', async ({ service }) => {
  await service.read({ session_id: 'one', subject_id: 'anna', heart_rate: 70 });
  service.clock.advance(5);
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect((await page(service)).sessions).toEqual([]);
  const startedAt = service.clock.at();
  await service.read({ session_id: 'one', heart_rate: 70 });
  expect((await page(service)).sessions).toMatchObject([{ session_id: 'one', started_at: startedAt }]);
});
