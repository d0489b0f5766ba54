import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { sources as settings } from '../../generated/spec.js';
import { decide, setUp } from '../../testkit/consents.js';
import { connectPhone, metric, toLocal } from '../../testkit/phone.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const hourMs = 3_600_000;

test('HC Webhook: records of Health Connect become minutes with RMSSD, steps and the sport', async ({ service }) => {
  const phone = await connectPhone(service, 'health_connect');
  const atMs = Math.floor(service.clock.nowMs / hourMs) * hourMs - hourMs;
  const at = (seconds: number) => new Date(atMs + seconds * 1000).toISOString();
  const { body } = await phone.post({
    timestamp: at(0),
    heart_rate: [{ bpm: 130, time: at(5) }],
    heart_rate_variability: [{ rmssd_millis: 38.2, time: at(65) }],
    steps: [{ count: 220, start_time: at(0), end_time: at(120) }],
    exercise: [{ type: '56', start_time: at(0), end_time: at(60) }],
    sleep: [{}],
  });
  expect(body).toEqual(expect.objectContaining({ stored: 2, unchanged: 0, replaced: 0, skipped: { not_read: 1 } }));
});

test('Apple Shortcuts: texts with local times are read in the zone of the key, and skipped without one', async ({
  service,
}) => {
  const local = toLocal(service.clock.nowMs - 10_000, 0).slice(0, 19);
  const body = { type: 'Heart Rate', dates: [local, local], values: ['74'] };
  const [zoned, unknown] = [
    await connectPhone(service, 'apple_shortcuts', { time_zone: 'Etc/UTC' }),
    await connectPhone(service, 'apple_shortcuts'),
  ];
  expect((await zoned.post(body)).body).toMatchObject({ stored: 1, skipped: { invalid: 1 } });
  expect((await unknown.post(body)).body).toMatchObject({ stored: 0, skipped: { invalid: 2 } });
});

test('other apps: flat objects, texts for numbers, and no time for a value of now', async ({ service }) => {
  const phone = await connectPhone(service, 'generic');
  expect((await phone.post({ heartRate: 72 })).body.stored).toBe(1);
  expect((await phone.post([])).body).toEqual(
    expect.objectContaining({ stored: 0, unchanged: 0, replaced: 0, skipped: {} }),
  );
  const time = Math.floor(service.clock.nowMs / 1000) - 30;
  const body = [{ time, bpm: '71', source: 'Garmin' }, { time: time - 10, bpm: 'unavailable' }, 7];
  expect((await phone.post(body)).body).toMatchObject({ stored: 1, skipped: { invalid: 1, not_read: 1 } });
  // A reading has at most 64 intervals.
  const beats = { time: time - 5, rr: Array.from({ length: 65 }, () => 800) };
  expect((await phone.post(beats)).body).toMatchObject({ stored: 1, skipped: {} });
  const { body: rows } = await phone.operator.request(`/v1/export?subject_id=${phone.subjectId}`);
  expect(/"rr_intervals_ms":\[(.+?)\]/.exec(String(rows))?.[1]?.split(',')).toHaveLength(64);
});

test('a sample from before the retention or of a worse device is skipped with its reason', async ({ service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  // Both are in the same interval, whenever the test runs.
  const atMs = Math.floor(service.clock.nowMs / 60_000) * 60_000 - 30_000;
  const metrics = [
    metric('heart_rate', 'count/min', [
      [atMs - 40 * 24 * hourMs, 60],
      [atMs + 2_000, 70],
    ]),
    metric('heart_rate', 'count/min', [[atMs + 1_000, 80]], 'iPhone'),
  ];
  const { body } = await phone.post({ data: { metrics } });
  expect(body).toMatchObject({ stored: 1, skipped: { too_old: 1, other_device: 1 } });
});

test('a sample that the person does not allow is skipped as no_consent, and later ones too', async ({ service }) => {
  const phone = await connectPhone(service, 'generic');
  await setUp({ ...service, ...phone }, { consent: 'enforce' });
  const consents = { ...service, ...phone.operator };
  await until('the consent', async () => (await decide(consents, phone.subjectId)).status === 200);
  const at = (seconds: number) => ({ time: service.clock.at(-seconds), heart_rate: 70 });
  expect((await phone.post([at(20), at(3_600)])).body).toMatchObject({ stored: 2 });
  await decide(consents, phone.subjectId, { categories: [] });
  const { body } = await phone.post([at(10), at(7_200)]);
  expect(body).toEqual(expect.objectContaining({ stored: 0, unchanged: 0, replaced: 0, skipped: { no_consent: 2 } }));
});

test('a mood of a moment is a report of the person and changes no score, the mood of a day is not read', async ({
  service,
}) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const nowMs = service.clock.nowMs;
  const state = () => phone.operator.request(`/v1/state?subject_id=${phone.subjectId}`).then((it) => it.body);
  const mood = (ms: number, kind: string, valence: unknown) => ({
    ...{ id: 'x', start: toLocal(ms), end: toLocal(ms), kind, valence, valenceClassification: 2, labels: ['Anxious'] },
  });
  const unpleasant = { data: { stateOfMind: [mood(nowMs - 9_000, 'momentary_emotion', -0.6)] } };
  expect((await phone.post(unpleasant)).body).toMatchObject({ stored: 0, skipped: { unknown_person: 1 } });
  const metrics = [metric('heart_rate', 'count/min', [[nowMs - 20_000, 70]])];
  await phone.post({ data: { metrics } });
  const before = await state();
  const others = [mood(nowMs, 'daily_mood', 0), mood(nowMs, 'momentaryEmotion', 3), mood(0, 'momentaryEmotion', 0)];
  const body = { data: { stateOfMind: [...unpleasant.data.stateOfMind, ...others] } };
  for (const _ of ['once', 'again'])
    expect((await phone.post(body)).body).toMatchObject({
      stored: 0,
      reports: 1,
      skipped: { not_read: 1, too_old: 1 },
    });
  const { body: list } = await phone.operator.request(`/v1/feedback?subject_id=${phone.subjectId}`);
  const timestamp = new Date(Math.floor((nowMs - 9_000) / 1000) * 1000).toISOString();
  expect(list.feedback).toEqual([expect.objectContaining({ timestamp, stress: 8 })]);
  expect(await state()).toEqual(before);
});

test('a body of another form, nested too deep or too large is refused, a gzip bomb too', async ({ service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  for (const body of [{ records: [] }, [], 7, { data: [] }, { data: { metrics: {} } }])
    expect((await phone.post(body)).body.errors?.[0]?.code).toBe('source_form');
  const deep = `{"data":${'['.repeat(40)}${']'.repeat(40)}}`;
  expect((await phone.post(deep)).status).toBe(422);
  const app = await connectPhone(service, 'generic');
  const nest = (levels: number) =>
    `{"heart_rate":70,"text":"\\"${'['.repeat(99)}","list":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  expect((await app.post(nest(settings.depth_max))).body).toMatchObject({ stored: 1 });
  expect((await app.post(nest(settings.depth_max + 1))).status).toBe(422);
  for (const text of ['', '{', '{"data":}']) expect((await phone.post(text)).status).toBe(400);
  expect((await phone.post('x', { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(400);
  expect((await phone.post('x', { headers: { 'Content-Encoding': 'br' } })).status).toBe(415);
  const bomb = gzipSync(Buffer.alloc(settings.max_bytes + 1, ' '));
  expect((await phone.post(bomb, { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(413);
});

test('a name that every object inherits is like any other name that is not read', async ({ service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const inherited = ['constructor', 'valueOf', 'toString', '__proto__', 'hasOwnProperty'];
  const nowMs = service.clock.nowMs;
  const metrics = ['heart_rate', ...inherited].map((name) => metric(name, 'count/min', [[nowMs - 9_000, 70]]));
  expect((await phone.post({ data: { metrics } })).body).toMatchObject({ stored: 1, skipped: { not_read: 5 } });
  const app = await connectPhone(service, 'generic');
  const entry = inherited.map((name) => `${JSON.stringify(name)}:5`).join();
  expect((await app.post(`{${entry}}`)).body.errors?.[0]?.code).toBe('source_form');
  expect((await app.post(`{"heart_rate":70,${entry}}`)).body).toMatchObject({ stored: 1, skipped: { not_read: 5 } });
});

test('a longer text than the contract allows skips its sample, and the start of a name of a device counts', async ({
  service,
}) => {
  const max = settings.text_characters_max;
  const phone = await connectPhone(service, 'generic');
  const time = (length: number) => service.clock.at(-9).padEnd(length);
  expect(
    (await phone.post([{ time: time(max), hr: '70'.padEnd(max), device: 'W'.repeat(max + 1) }])).body,
  ).toMatchObject({ stored: 1, skipped: {} });
  const { body: rows } = await phone.operator.request(`/v1/export?subject_id=${phone.subjectId}`);
  expect(String(rows)).toContain(`"source_device":"${'W'.repeat(64)}"`);
  const long = [
    { time: time(max + 1), hr: 70 },
    { time: time(max), hr: '70'.padEnd(max + 1) },
    { time: time(max), hr: 70, ['hr'.padEnd(max + 1)]: 70 },
  ];
  expect((await phone.post(long)).body).toMatchObject({ stored: 1, skipped: { invalid: 2, not_read: 1 } });
  const app = await connectPhone(service, 'health_connect');
  // Such an object has no text.
  const exercise = [{ type: 'Running'.padEnd(max + 1) }, { type: { toString: 1 } }, { type: [[]] }];
  expect((await app.post({ exercise })).body).toMatchObject({ stored: 0, skipped: { not_read: 3 } });
  // A list in a text has any length.
  const shortcut = await connectPhone(service, 'apple_shortcuts');
  const dates = Array.from({ length: 20 }, (_, index) => service.clock.at(-index - 1));
  const lines = { type: 'Heart Rate', dates: dates.join('\n'), values: dates.map(() => '70').join('\n') };
  expect((await shortcut.post(lines)).body).toMatchObject({ stored: 20, skipped: {} });
});

test('a large body is stored, zipped or not, and a second one of the person waits meanwhile', async ({ service }) => {
  const phone = await connectPhone(service, 'health_auto_export');
  const minuteMs = Math.floor((service.clock.nowMs - 12 * hourMs) / 60_000) * 60_000;
  const samples = Array.from({ length: 7_200 }, (_, index) => [minuteMs + index * 2_000, 60 + (index % 20)] as const);
  const body = { data: { metrics: [metric('heart_rate', 'count/min', samples)] } };
  expect(JSON.stringify(body).length).toBeGreaterThan(settings.large_bytes);
  const answers = await Promise.all([phone.post(body), phone.post(body, { isZipped: true })]);
  expect(answers.map(({ body: { stored, unchanged } }) => [stored, unchanged]).sort()).toEqual([
    [0, 240],
    [240, 0],
  ]);
});

test('any body gets a documented response', async ({ service }) => {
  for (const source of ['health_auto_export', 'health_connect', 'apple_shortcuts', 'generic'] as const) {
    const phone = await connectPhone(service, source);
    const names = ['data', 'metrics', 'name', 'units', 'date', 'Avg', 'workouts', 'heart_rate', 'bpm', 'time', 'dates'];
    const leaf = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('heart_rate', 'count/min', '2026-11-20 09:00:00 +0100'),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...names, 'values', 'type', 'timestamp', 'steps', 'exercise'), tie('value')),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, async (body) => {
        // `post` checks each response against the contract.
        expect([200, 422]).toContain((await phone.post(JSON.stringify(body))).status);
      }),
      { numRuns: 30 },
    );
  }
});
