import { setTimeout as sleep } from 'node:timers/promises';
import { eraseSubject } from '../../src/retention/erase.js';
import { batchResults, exportRows } from '../../testkit/batch.js';
import { allow, setUp } from '../../testkit/consents.js';
import { interruptBefore } from '../../testkit/interrupt.js';
import { connectPhone, type Phone } from '../../testkit/phone.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { erasing } from '../../testkit/stored.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

/** A reading of ten minutes ago, with its sample. */
const past = ({ clock }: Pick<TestService, 'clock'>, values: object) => ({
  ...{ session_id: 's', subject_id: 'p', timestamp: clock.at(-600), backfill: true },
  ...{ sample_id: 'a', ...values },
});

const send = async (service: Parameters<typeof batchResults>[0], ...lines: object[]) =>
  (await batchResults(service, lines)).map(({ sample, error }) => sample ?? error?.code);

const ratesOf = async ({ request }: Pick<TestService, 'request'>, query = 'session_id=s&minutes=60') =>
  (await request(`/v1/history?${query}`)).body.datapoints.map((it: { heart_rate: number }) => it.heart_rate);

test('a replacement is counted and recorded as a write of its person, and a resend or an older revision is not', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  const first = past(service, { heart_rate: 80, sample_revision: 1 });
  const writes = async () =>
    (await service.request('/v1/subjects/p/accesses')).body.accesses.filter(
      ({ action }: { action: string }) => action === 'write',
    );
  const isCounted = async (count: number) => {
    const text = await (await fetch(service.metricsUrl ?? '')).text();
    return text.includes(`state_service_readings_replaced_total ${count}\n`);
  };
  expect(await send(service, first, first, { ...first, sample_revision: 0 })).toEqual([
    ...['stored', 'unchanged', 'unchanged'],
  ]);
  expect(await isCounted(0)).toBe(true);
  expect(await send(service, { ...first, heart_rate: 90 })).toEqual(['replaced']);
  await until('the replacement is recorded', async () => (await writes()).length > 0);
  expect(await isCounted(1)).toBe(true);
  expect(await writes()).toMatchObject([{ operation: 'ingestBatch', scope: 'subject', credential: 'key' }]);
});

/** Returns the stored readings of the person of a phone. */
const exported = async ({ operator, subjectId }: Phone) =>
  (await exportRows(operator, `subject_id=${subjectId}`)).map(({ reading }) => reading);

test('a source key replaces what a source key of its person stored, and not what a service key stored or replaced', async ({
  service,
}) => {
  const phone = await connectPhone(service, 'generic');
  const minute = Math.floor(service.clock.nowMs / 60_000) * 60_000 - 1_200_000;
  const post = async (...rates: number[]) => {
    const samples = rates.map((heart_rate, index) => ({ time: minute + index * 1000, heart_rate }));
    const { stored, unchanged, replaced } = (await phone.post(samples)).body;
    return { stored, unchanged, replaced };
  };
  expect(await post(60)).toEqual({ stored: 1, unchanged: 0, replaced: 0 });
  expect(await post(60, 70)).toEqual({ stored: 0, unchanged: 0, replaced: 1 });
  const [reading] = await exported(phone);
  const operator = { ...phone.operator, url: service.url, key: phone.serviceKey };
  expect(await send(operator, { ...reading, subject_id: phone.subjectId, heart_rate: 99 })).toEqual(['replaced']);
  expect(await post(60, 70, 80)).toEqual({ stored: 0, unchanged: 1, replaced: 0 });
  expect((await exported(phone)).map((it) => it.heart_rate)).toEqual([99]);
});

test('a replacement after a withdrawal of consent is rejected, or loses the signals of the withdrawn category', async () => {
  const service = await setUp(await startTestService(), { consent: 'enforce' });
  await allow(service, 'p', ['cardiovascular', 'vocal']);
  const first = past(service, { heart_rate: 80, tone: 'calm' });
  expect(await send(service, first)).toEqual(['stored']);
  service.clock.advance(1);
  await allow(service, 'p', ['cardiovascular']);
  expect(await send(service, { ...first, heart_rate: 90, tone: 'hostile' })).toEqual(['replaced']);
  service.clock.advance(1);
  await allow(service, 'p', []);
  expect(await send(service, { ...first, heart_rate: 170 }, first)).toEqual(['consent_required', 'unchanged']);
  const { body } = await service.request('/v1/export?session_id=s');
  const { reading } = JSON.parse(String(body));
  expect([reading.heart_rate, reading.tone]).toEqual([90, undefined]);
});

test('a replacement during an erasure waits for its end, and is the first reading of a new session', async () => {
  const service = await startTestService({});
  const { store, accountId, database } = service;
  const [first, second] = [80, 81].map((heart_rate) => past(service, { heart_rate }));
  await send(service, first as object);
  let late: Promise<unknown> | undefined;
  const interrupted = interruptBefore(store, 'sessions', async () => {
    late ??= send(service, second as object);
    // Long enough for the reading to be stored if it did not wait for the lock.
    await Promise.race([late, sleep(300)]);
  });
  expect(await eraseSubject(erasing(service, interrupted), accountId, 'p')).toMatchObject({ sessions: 1 });
  expect(await late).toEqual(['stored']);
  expect(await ratesOf(service)).toEqual([81]);
  expect(await openKnex(database.url)('late_readings').whereNotNull('row_position')).toHaveLength(1);
});

test('a replaced reading keeps its place in the lists by newest and by score, and its points show its content', async () => {
  const service = await startTestService();
  const live = {
    session_id: 's',
    timestamp: service.clock.at(),
    heart_rate: 150,
    tone: 'hostile',
    sample_id: 'a',
  } as const;
  await service.read({ session_id: 's', timestamp: service.clock.at(-30), heart_rate: 62 });
  await service.read(live);
  service.clock.advance(1);
  await service.read({ session_id: 'other', heart_rate: 70 });
  const page = async (sort: string) =>
    (await service.request(`/v1/sessions?sort=${sort}&points=20`)).body.sessions.map(
      ({ points, ...it }: { points: object[] }) => ({ ...it, count: points.length }),
    );
  const before = [await page('started'), await page('score')];
  service.clock.advance(60);
  await service.read({ ...live, heart_rate: 55, tone: 'calm' });
  service.clock.advance(-60);
  expect([await page('started'), await page('score')]).toEqual(before);
  const { body } = await service.request('/v1/sessions?sort=score&points=20');
  const scores = body.sessions.find((it: { session_id: string }) => it.session_id === 's').points;
  const history = (await service.request('/v1/history?session_id=s&minutes=60')).body.datapoints;
  expect(scores.map((it: { stress_score: number }) => it.stress_score)).toEqual(
    history.map((it: { stress_score: number }) => it.stress_score),
  );
});

test('a replaced reading is in a history until its own timestamp leaves it, whether it was live or backfilled', async () => {
  const service = await startTestService();
  const { clock } = service;
  const live = { session_id: 's', timestamp: clock.at(), heart_rate: 80, sample_id: 'live' };
  await service.read(live);
  await send(service, past(service, { heart_rate: 70 }));
  clock.advance(280);
  const old = { ...past(service, { heart_rate: 71 }), timestamp: clock.at(-880) };
  expect(await send(service, old, { ...live, heart_rate: 81 })).toEqual(['replaced', 'replaced']);
  const { request } = client(service.url, service.key, clock);
  const rates = (minutes: number) => ratesOf({ request }, `session_id=s&minutes=${minutes}`);
  expect([await rates(4), await rates(5), await rates(14), await rates(15)]).toEqual([[], [81], [81], [71, 81]]);
  clock.advance(20);
  expect([await rates(5), await rates(15)]).toEqual([[], [81]]);
});
