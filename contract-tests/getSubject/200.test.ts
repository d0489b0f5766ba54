import { purgeExpired } from '../../src/retention/purge.js';
import { stressModel as model } from '../../packages/score/model.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { postBatch } from '../../testkit/batch.js';

const subject_id = 'anna';
const profileOf = ({ get }: TestService, id = subject_id) => get(`/v1/subjects/${encodeURIComponent(id)}`);

/** Sends a reading per minute with the same signals. */
async function live(service: TestService, minutes: number, signals: object): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await service.read({ subject_id, ...signals });
    service.clock.advance(60);
  }
}

test('a profile has the baseline of every measured signal, and the number and start of the sessions', async () => {
  const service = await startTestService();
  const startedAt = service.clock.at();
  await live(service, 20, { session_id: 'monday', heart_rate: 54.6, sdnn: 52, rmssd: 40 });
  service.clock.advance(24 * 60 * 60);
  const lastStartedAt = service.clock.at();
  await live(service, 1, { session_id: 'tuesday', heart_rate: 54.6, sdnn: 52 });
  const profile = await profileOf(service);
  expect(profile).toMatchObject({
    subject_id,
    sessions: 2,
    first_session_started_at: startedAt,
    last_session_started_at: lastStartedAt,
    baseline: {
      heart_rate: { latest: { timestamp: lastStartedAt, bpm: 54.6, learned: true } },
      sdnn: { own_mean_ms: 52, latest: { timestamp: lastStartedAt, ms: 52, learned: true } },
      rmssd: { own_mean_ms: 40, latest: { ms: 40, learned: true } },
    },
  });
  const { heart_rate, sdnn, rmssd } = profile.baseline;
  expect(heart_rate.histogram).toEqual([{ from_bpm: 54, seconds: heart_rate.learned_seconds }]);
  for (const { own_share } of [heart_rate, sdnn, rmssd]) expect(own_share).toBeGreaterThan(0.95);
  expect(heart_rate.resting_bpm).toBeLessThan(56);
  expect(sdnn.typical_ms).toBeCloseTo(52, 0);
});

test('a reading is compared with the typical heart rate of the profile', async ({ service }) => {
  await live(service, 20, { heart_rate: 58 });
  const { typical_bpm } = (await profileOf(service)).baseline.heart_rate;
  const { action_reason } = await service.read({ session_id: 'next', subject_id, heart_rate: 88 });
  expect(action_reason).toContain(`Heart rate ${Math.round(88 - typical_bpm)} bpm above this person's typical`);
});

test('a state shows the progress of the baseline, which is 1 exactly at the required learned time', async () => {
  const service = await startTestService();
  const reading = () => service.read({ session_id: 'progress', subject_id, heart_rate: 60 });
  expect((await reading()).baseline).toEqual({ status: 'learning', progress: 0, own_share: 0 });
  const perReading = model.baseline.reading_seconds_max;
  const needed = model.baseline.typical_weight_seconds / perReading;
  for (let sent = 1; sent < needed; sent += 1) {
    service.clock.advance(perReading);
    expect((await reading()).baseline?.status).toBe('learning');
  }
  service.clock.advance(perReading);
  expect((await reading()).baseline).toEqual({ status: 'known', progress: 1, own_share: expect.any(Number) });
});

test('a person with one reading has about the resting heart rate of the population', async ({ service }) => {
  await service.read({ subject_id, heart_rate: 50 });
  service.clock.advance(1);
  const { heart_rate, ...others } = (await profileOf(service)).baseline;
  expect(others).toEqual({});
  expect(heart_rate.own_share).toBeLessThan(0.05);
  expect(heart_rate.resting_bpm).toBeCloseTo(model.heart_rate.population_resting_bpm, 0);
  expect(heart_rate.histogram).toMatchObject([{ from_bpm: 50 }]);
});

test('a heart rate that movement explains is stored but not learned', async ({ service }) => {
  await live(service, 10, { heart_rate: 60 });
  await live(service, 2, { heart_rate: 150, activity_level: 'vigorous' });
  const { latest, histogram } = (await profileOf(service)).baseline.heart_rate;
  expect(latest.bpm).toBeGreaterThan(100);
  expect(latest.learned).toBe(false);
  expect(histogram).toMatchObject([{ from_bpm: 60 }]);
});

test('a person without a measured heart has an empty baseline', async ({ service }) => {
  await live(service, 1, { tone: 'tense' });
  expect(await profileOf(service)).toMatchObject({ sessions: 1, baseline: {} });
});

test('the baseline remains after the sessions expire', async ({ service }) => {
  await live(service, 20, { heart_rate: 58 });
  service.clock.advance(2 * 24 * 60 * 60);
  await purgeExpired(service.store, service.clock.nowMs);
  const profile = await profileOf(service);
  expect(Object.keys(profile).sort()).toEqual(['baseline', 'sessions', 'subject_id']);
  expect(profile.sessions).toBe(0);
  expect(profile.baseline.heart_rate.own_share).toBeGreaterThan(0.95);
});

test('a backfilled reading is part of the baseline', async ({ service }) => {
  const past = { session_id: 'past', subject_id, timestamp: service.clock.at(-3600), heart_rate: 62, backfill: true };
  const sent = await postBatch(service, [past]);
  expect(sent.body).toMatchObject({ accepted: 1 });
  const { sessions, baseline } = await profileOf(service);
  expect([sessions, baseline.heart_rate.latest]).toEqual([1, { timestamp: past.timestamp, bpm: 62, learned: true }]);
});

test('a subject whose name requires encoding in a path is found', async ({ service }) => {
  const id = 'a/b?c#d%20e:f';
  await service.read({ subject_id: id, heart_rate: 95 });
  expect(await profileOf(service, id)).toMatchObject({ subject_id: id, sessions: 1 });
});
