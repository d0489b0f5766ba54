import { history as settings } from '../../generated/spec.js';
import type { Schema } from '../../src/contract/contract.js';
import { postBatch } from '../../testkit/batch.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const anna = { subject_id: 'anna' };

const readHistory = ({ get }: Pick<TestService, 'get'>, query = ''): Promise<Schema<'History'>> =>
  get(`/v1/history?subject_id=anna${query}`);

test('the history of a person has the readings of all sessions by time, each with its session', async ({ service }) => {
  for (let index = 0; index < 9; index += 1) {
    await service.read({ ...anna, session_id: `s${index % 3}`, heart_rate: 70 + index });
    await service.read({ session_id: 'nobody', heart_rate: 90 });
    await service.read({ session_id: 'stranger', subject_id: 'ben', heart_rate: 90 });
    service.clock.advance(1);
  }
  const { session_id, subject_id, minutes, datapoints, summary } = await readHistory(service);
  expect({ session_id, subject_id, minutes }).toEqual({ session_id: undefined, subject_id: 'anna', minutes: 5 });
  expect(datapoints.map((it) => it.session_id)).toEqual(Array.from({ length: 9 }, (_, index) => `s${index % 3}`));
  expect(datapoints.map((it) => it.heart_rate)).toEqual(Array.from({ length: 9 }, (_, index) => 70 + index));
  const scores = datapoints.map((it) => it.stress_score);
  expect(summary).toMatchObject({ min: Math.min(...scores), max: Math.max(...scores) });
  for (const session of ['s0', 's1', 's2']) {
    const { body } = await service.request(`/v1/history?session_id=${session}`);
    const ofSession = datapoints.filter((it) => it.session_id === session);
    expect(ofSession).toEqual(body.datapoints.map((it: object) => ({ ...it, session_id: session })));
  }
});

test('the window is the same as that of a session, with late and backfilled readings', async ({ service }) => {
  const { clock } = service;
  await service.read({ ...anna, session_id: 'a', heart_rate: 70 });
  await service.read({ ...anna, session_id: 'b', heart_rate: 71, timestamp: clock.at(-200) });
  await service.read({ ...anna, session_id: 'c', heart_rate: 72, timestamp: clock.at(-3_000), backfill: true });
  await service.read({ ...anna, session_id: 'c', heart_rate: 73, timestamp: clock.at(-3_600), backfill: true });
  const rates = async (query: string) => (await readHistory(service, query)).datapoints.map((it) => it.heart_rate);
  expect(await rates('&minutes=3')).toEqual([70]);
  expect(await rates('')).toEqual([71, 70]);
  // The window does not contain its start.
  expect(await rates('&minutes=60')).toEqual([72, 71, 70]);
  expect(await rates(`&minutes=60&until=${clock.at(-200)}`)).toEqual([73, 72, 71]);
  expect(await rates(`&minutes=60&until=${clock.at(-201)}`)).toEqual([73, 72]);
});

test('a reading that was ahead of the clock is in the window until the window ends', async ({ service }) => {
  await service.read({ ...anna, session_id: 'a', heart_rate: 70, timestamp: service.clock.at(60) });
  service.clock.advance(60 + 299);
  expect((await readHistory(service)).datapoints).toMatchObject([{ session_id: 'a' }]);
  service.clock.advance(1);
  expect((await readHistory(service)).datapoints).toEqual([]);
});

test('a known person without readings in the window has no datapoints, and an unknown person gets a 404', async () => {
  const service = await startTestService();
  await service.read({ ...anna, session_id: 'a', heart_rate: 70 });
  service.clock.advance(600);
  expect(await readHistory(service)).toMatchObject({ datapoints: [], trend: 'stable', summary: { transitions: 0 } });
  const unknown = await service.request('/v1/history?subject_id=unknown');
  expect(unknown).toMatchObject({ status: 404, body: { code: 'subject_not_found' } });
  const other = await startTestService();
  expect((await other.request('/v1/history?subject_id=anna')).body).toMatchObject({ code: 'subject_not_found' });
});

test('a window with more readings than the maximum returns the newest ones of all sessions', async ({ service }) => {
  const count = settings.datapoints_max + 10;
  const readings = Array.from({ length: count }, (_, index) => ({
    ...{ ...anna, session_id: `s${index % 5}`, heart_rate: 70, backfill: true },
    timestamp: service.clock.at(-(index + 1) / 10),
  }));
  for (let from = 0; from < count; from += 1_000) await postBatch(service, readings.slice(from, from + 1_000));
  const { datapoints } = await readHistory(service, '&minutes=60');
  expect(datapoints).toHaveLength(settings.datapoints_max);
  expect(datapoints[0]?.timestamp).toBe(service.clock.at(-settings.datapoints_max / 10));
  expect(datapoints.at(-1)?.timestamp).toBe(service.clock.at(-0.1));
});

test('after an erasure, the history of a person starts again', async ({ service }) => {
  for (const session_id of ['a', 'b']) await service.read({ ...anna, session_id, heart_rate: 70 });
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  expect((await service.request('/v1/history?subject_id=anna')).status).toBe(404);
  await service.read({ ...anna, session_id: 'a', heart_rate: 71 });
  expect((await readHistory(service)).datapoints).toMatchObject([{ session_id: 'a', heart_rate: 71 }]);
});
