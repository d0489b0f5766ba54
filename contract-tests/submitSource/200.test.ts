import { isDeepStrictEqual } from 'node:util';
import { setUp } from '../../testkit/consents.js';
import { connectPhone, metric, toLocal } from '../../testkit/phone.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';
import { exportRows } from '../../testkit/batch.js';

const minuteMs = 60_000;

function floorMinute(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs;
}

test('the first post of a phone is a live state of its person', async ({ service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const nowMs = service.clock.nowMs;
  const body = { data: { metrics: [metric('heart_rate', 'count/min', [[nowMs - 20_000, 72]])] } };
  expect((await phone.post(body)).body).toEqual(
    expect.objectContaining({ stored: 1, unchanged: 0, replaced: 0, skipped: {} }),
  );
  const { status, body: state } = await phone.operator.request(`/v1/state?subject_id=${phone.subjectId}`);
  expect([status, state.signals_received]).toEqual([200, ['cardiovascular']]);
});

test('Health Auto Export: live samples are readings of their own, older ones a reading per minute and kind', async ({
  service,
}) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const nowMs = service.clock.nowMs;
  const minute = floorMinute(nowMs - 3_600_000);
  const metrics = [
    metric('heart_rate', 'count/min', [
      [nowMs - 10_000, 70],
      [nowMs - 5_000, 71],
      [minute, 60],
      [minute + 20_000, 62],
    ]),
    metric('heart_rate_variability', 'ms', [[minute + 4_000, 41.7]]),
    metric('sleep_analysis', 'hr', [[minute, 7]]),
    metric('step_count', 'count', [[minute + 5_000, 30]]),
  ];
  const workouts = [{ name: 'Running', start: toLocal(minute), end: toLocal(minute + 5 * minuteMs) }];
  const { body } = await phone.post({ data: { metrics, workouts, ecg: [{}] } });
  expect(body).toEqual(expect.objectContaining({ stored: 4, unchanged: 0, replaced: 0, skipped: { not_read: 2 } }));
  const rows = await exported(phone);
  expect(
    rows
      .filter(({ timestamp }) => String(timestamp) > new Date(nowMs - 60_000).toISOString())
      .map((it) => it.heart_rate),
  ).toEqual([70, 71]);
  const history = rows.filter((it) => it.timestamp === new Date(minute).toISOString());
  expect(
    history.map(({ heart_rate, sdnn, activity_level, steps_last_minute, source_device }) => ({
      ...{ heart_rate, sdnn, activity_level, steps_last_minute, source_device },
    })),
  ).toEqual([
    { heart_rate: 61, activity_level: 'vigorous', steps_last_minute: 30, source_device: 'Apple Watch' },
    { sdnn: 41.7, activity_level: 'vigorous', source_device: 'Apple Watch' },
  ]);
});

test('a resend changes nothing, and a minute with more samples replaces the earlier one', async ({ service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const minute = floorMinute(service.clock.nowMs - 3_600_000);
  const post = (...samples: Array<[number, number]>) =>
    phone.post({ data: { metrics: [metric('heart_rate', 'count/min', samples)] } });
  expect((await post([minute, 60])).body).toMatchObject({ stored: 1 });
  expect((await post([minute, 60])).body).toMatchObject({ stored: 0, unchanged: 1 });
  expect((await post([minute, 60], [minute + 30_000, 70])).body).toMatchObject({ stored: 0, replaced: 1 });
  expect((await post([minute, 60])).body).toMatchObject({ stored: 0, unchanged: 1, replaced: 0 });
  expect((await exported(phone)).map((it) => it.heart_rate)).toEqual([65]);
});

test('the list of source keys says what the newest post contained, and which retention its samples require', async ({
  service,
}) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const list = async () => (await phone.operator.request(`/v1/source-keys?subject_id=${phone.subjectId}`)).body;
  const post = (hours: readonly number[], device: string) => {
    const samples = hours.map((it) => [service.clock.nowMs - it * 3_600_000, 72] as const);
    return phone.post({ data: { metrics: [metric('heart_rate', 'count/min', samples, device)], ecg: [{}] } });
  };
  expect(await list()).toEqual({ source_keys: [expect.not.objectContaining({ last_post: expect.anything() })] });
  for (const [hours, device, expected] of [
    [[30, 2], 'Watch A', { usable: true, skipped: ['not_read', 'too_old'], readings_hours: 49 }],
    [[100], 'Watch A', { usable: false, skipped: ['not_read', 'too_old'], readings_hours: 121 }],
    [[100_000], 'Watch A', { usable: false, skipped: ['not_read', 'too_old'] }],
    [[2], 'Watch A', { usable: true, skipped: ['not_read'] }],
    [[3, 0], 'Watch B', { usable: true, skipped: ['not_read'] }],
  ] as const) {
    await post(hours, device);
    const isListed = async () => isDeepStrictEqual((await list()).source_keys[0].last_post, { device, ...expected });
    await until(`the post of hours ${hours.join()}`, isListed);
  }
});

test('a post stores what its account keeps for longer than the deployment', async ({ service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  await setUp({ ...service, accountId: phone.accountId }, { keep_readings_hours: 720 });
  const samples = [700, 740].map((hours) => [service.clock.nowMs - hours * 3_600_000, 72] as const);
  const { body } = await phone.post({ data: { metrics: [metric('heart_rate', 'count/min', samples)] } });
  expect(body).toMatchObject({ stored: 1, skipped: { too_old: 1 } });
});

test('a minute with live readings of a device is not stored again as history', async ({ ownService: service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const at = service.clock.nowMs - 10_000;
  const body = { data: { metrics: [metric('heart_rate', 'count/min', [[at, 70]])] } };
  expect((await phone.post(body)).body).toMatchObject({ stored: 1 });
  service.clock.advance(600);
  expect((await phone.post(body)).body).toMatchObject({ stored: 0, unchanged: 1 });
});

test('a minute across the edge between live and history loses no sample, in whatever order its parts are sent', async ({
  ownService: service,
}) => {
  const minute = floorMinute(service.clock.nowMs) + 2 * minuteMs;
  service.clock.nowMs = minute + 330_000;
  for (const parts of [
    [[5, 15, 40, 50]],
    [
      [40, 50],
      [5, 15, 40, 50],
    ],
    [
      [15, 40],
      [5, 50],
    ],
  ]) {
    const phone = await connectPhone(service, 'health_auto_export');
    const post = (seconds: readonly number[]) => {
      const samples = seconds.map((it) => [minute + it * 1000, 60 + it] as const);
      return phone.post({ data: { metrics: [metric('heart_rate', 'count/min', samples)] } });
    };
    for (const part of parts) await post(part);
    const rates = (await exported(phone)).map((it) => Number(it.heart_rate)).sort((a, b) => a - b);
    expect([parts, rates]).toEqual([parts, [65, 75, 100, 110]]);
    expect((await post([5, 15, 40, 50])).body).toMatchObject({ stored: 0, unchanged: 4 });
  }
});

const exported = async ({ operator, subjectId }: Awaited<ReturnType<typeof connectPhone>>) =>
  (await exportRows(operator, `subject_id=${subjectId}`)).map(({ reading }) => reading);
