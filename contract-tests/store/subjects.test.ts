import { makeAccount } from '../../testkit/calls.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';

test('a subject whose reading was rejected is not stored', async ({ ownService: { ingest, read, database } }) => {
  await read({ subject_id: 'anna', heart_rate: 70 });
  expect((await ingest({ subject_id: 'bert', heart_rate: 71 })).status).toBe(422);
  const knex = openKnex(database.url);
  expect(await knex('subjects').pluck('subject_id')).toEqual(['anna']);
});

test("a subject's baseline is used in later sessions and mentioned in the reason", async () => {
  const { read, clock } = await startTestService({});
  for (let reading = 0; reading < 12; reading++) {
    await read({ session_id: 'monday', subject_id: 'anna', heart_rate: 55 });
    clock.advance(60);
  }
  clock.advance(24 * 60 * 60);
  const known = await read({ session_id: 'tuesday', subject_id: 'anna', heart_rate: 75 });
  const stranger = await read({ session_id: 'other', subject_id: 'bert', heart_rate: 75 });
  expect(known.stress_score).toBeGreaterThan(stranger.stress_score);
  expect(known.confidence).toBeGreaterThan(stranger.confidence);
  expect(known.action_reason).toMatch(/above this person's typical heart rate/);
  expect(stranger.action_reason).toMatch(/a typical resting heart rate/);
});

test('a session without a subject has its own baseline and passes it to the subject when it is bound', async () => {
  const { read, clock } = await startTestService({});
  for (let reading = 0; reading < 12; reading++) {
    await read({ heart_rate: 55 });
    clock.advance(60);
  }
  const alone = await read({ heart_rate: 75 });
  expect(alone.action_reason).toMatch(/above this person's typical heart rate/);
  clock.advance(60);
  await read({ heart_rate: 55, subject_id: 'anna' });
  clock.advance(60);
  const elsewhere = await read({ session_id: 'next', subject_id: 'anna', heart_rate: 75 });
  expect(elsewhere.action_reason).toMatch(/above this person's typical heart rate/);
});

test('subjects with the same name in two accounts are separate', async ({ ownService: one }) => {
  const { key } = await makeAccount(one, 'other', 'solo');
  for (let reading = 0; reading < 12; reading++) {
    await one.read({ subject_id: 'anna', heart_rate: 55 });
    one.clock.advance(60);
  }
  const foreign = await one.post(
    '/v1/ingest',
    { session_id: 's1', subject_id: 'anna', timestamp: one.clock.at(), heart_rate: 75 },
    { 'X-Service-Key': key },
  );
  expect(foreign.body.action_reason).toMatch(/a typical resting heart rate/);
});
