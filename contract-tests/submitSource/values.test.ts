import { readFileSync } from 'node:fs';
import type { Schema } from '../../src/contract/contract.js';
import { exportRows } from '../../testkit/batch.js';
import { connectHub, connectPhone } from '../../testkit/phone.js';
import { Clock, root, shareTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const cases = new URL('packages/recordings/tests/field-cases/', root);
const readCase = (name: string): unknown => JSON.parse(readFileSync(new URL(name, cases), 'utf8'));

const clock = new Clock();
clock.nowMs = Date.UTC(2026, 10, 21, 10);
const start = shareTestService({ clock, env: { RETENTION_READINGS_HOURS: '87600' } });

/** Counts the values of a body without the code of the service. */
function countLeaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, it) => sum + countLeaves(it), 0);
}

function sum(values: Schema<'SourceValues'>): number {
  return Object.values(values).reduce((total, it) => total + it, 0);
}

const minutes = (from: number, ...rates: number[]) =>
  rates.map(
    (rate, at) => `${String(from + Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')} ${rate}`,
  );
const ten = minutes(9, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79);
const run = Array.from({ length: 30 }, (_, at) => 118 + (at % 9));

test.each<[string, Schema<'Source'>, Partial<Schema<'SourceKeyRequest'>>, string[], Partial<Schema<'SourceValues'>>]>([
  ['generic-recorded_at.json', 'generic', {}, ten, { used: 10, context: 20, unknown_field: 0 }],
  ['generic-ts.json', 'generic', {}, ten, { used: 10, context: 10 }],
  ['hae-run-ja.json', 'health_auto_export', {}, minutes(8, ...run), { used: 30, refused: 0 }],
  ['hae-zh-date.json', 'health_auto_export', {}, ['01:00 64', '08:51 65'], { used: 2, unknown_field: 0 }],
  ['shortcuts-en.json', 'apple_shortcuts', { time_zone: 'Europe/Berlin' }, minutes(8, 72, 73), { used: 2, context: 3 }],
  ['hae-apart-1-metrics.json', 'health_auto_export', {}, minutes(8, ...run), { used: 0, merged: 120 }],
  ['hae.json', 'health_auto_export', {}, ['08:00 66'], { used: 1 }],
  ['hc-webhook.json', 'health_connect', {}, ['09:00 70'], { used: 1 }],
])('%s is stored as it is right, and each value is accounted for', async (name, source, options, expected, values) => {
  const service = await start();
  const phone = await connectPhone(service, source, options);
  const body = readCase(name);
  const { body: answer } = await phone.post(body);
  expect(sum(answer.values)).toBe(countLeaves(body));
  expect(answer.values).toMatchObject(values);
  const stored = await exportRows(phone.operator, `subject_id=${phone.subjectId}`);
  expect(stored.map(({ reading }) => `${reading.timestamp.slice(11, 16)} ${reading.heart_rate}`)).toEqual(expected);
  expect(stored.every(({ reading }) => reading.backfill)).toBe(true);
  const isRun = name === 'hae-run-ja.json';
  expect(stored.every(({ reading }) => (reading.activity_level !== undefined) === isRun)).toBe(true);
});

test('terra-body.json: the heart rates of an event of the type body', async () => {
  const service = await start();
  const hub = await connectHub(service, 'terra');
  await hub.operator.post('/v1/source-keys', { subject_id: 'PERSON', source: 'generic' });
  const body = readCase('terra-body.json');
  const { body: answer } = await hub.post(body);
  expect(answer).toMatchObject({ stored: 4, values: { used: 4, unknown_field: 0 } });
  expect(sum(answer.values)).toBe(countLeaves(body));
});

const at = '2026-11-20T09:00:00Z';
test.each<[string, Schema<'Source'>, unknown, object]>([
  ['a time of no known name', 'generic', { hr: 70, when: at }, { stored: 1, notes: ['time: the field when'] }],
  ['a time of a known name in an object', 'generic', { hr: 70, meta: { last_changed: at } }, { stored: 1 }],
  ['milliseconds', 'generic', { hr: 70, measured_at: Date.parse(at) }, { stored: 1, values: { used: 1, context: 1 } }],
  [
    'two values that may be the time',
    'generic',
    { hr: 70, one: at, two: '2026-11-20T10:00:00Z' },
    { stored: 0, notes: ['several fields may be the time: one, two'], values: { refused: 1, unknown_field: 2 } },
  ],
  [
    'a time that is not readable is not now',
    'generic',
    { hr: 70, startTime: 'this morning' },
    { stored: 0, notes: ['the field startTime is not a time that is read'], values: { refused: 1, context: 1 } },
  ],
  ['a text beside a name of a change', 'generic', { hr: 70, last_updated: '2 minutes ago' }, { stored: 0 }],
  ['a time in a list', 'generic', { hr: 70, recorded: [at] }, { stored: 1, values: { used: 1, context: 1 } }],
  [
    'a time of day without a date',
    'generic',
    { hr: 70, time: '09:00' },
    { stored: 0, values: { refused: 1, context: 1 } },
  ],
  [
    'confidence 0',
    'generic',
    [
      { hr: 180, confidence: 0, time: at },
      { hr: 70, confidence: 90, time: at },
    ],
    { stored: 1, values: { placeholder: 1, used: 1, context: 4 } },
  ],
  [
    'one value per day',
    'health_auto_export',
    {
      data: {
        metrics: [
          {
            name: 'heart_rate',
            units: 'bpm',
            data: [18, 19].map((day) => ({ date: `2026-11-${day} 00:00:00 +0100`, Avg: 60 })),
          },
        ],
      },
    },
    { stored: 0, values: { day_summary: 2, context: 4 } },
  ],
  [
    'the year, the day, the month',
    'generic',
    ['2026-05-11 09:00Z', '2026-20-11 09:00Z'].map((time) => ({ hr: 70, time })),
    { stored: 2, values: { used: 2, context: 2 } },
  ],
  [
    'beats, and names in two forms',
    'generic',
    { heartRate: 72, rr_intervals: [800, 810, 805], recordedAt: at, steps: 20, spo2: 97 },
    { stored: 1, values: { used: 5, context: 1, unknown_field: 1 } },
  ],
  ['a value of now', 'generic', { heartRate: 72, battery: 88 }, { stored: 1, values: { used: 1, unknown_field: 1 } }],
  [
    'another unit',
    'apple_shortcuts',
    { type: 'heart rate', dates: [at], values: ['72 kg'] },
    { values: { refused: 1, context: 2 } },
  ],
])('a body with %s is accounted for', async (_, source, body, expected) => {
  const service = await start();
  const phone = await connectPhone(service, source);
  const { body: answer } = await phone.post(body);
  expect(answer).toMatchObject(expected);
  expect(sum(answer.values)).toBe(countLeaves(body));
});

test('values of readings that are not stored are refused: of another device, and of a person who does not allow it', async () => {
  const service = await start();
  const phone = await connectPhone(service, 'generic');
  const nowMs = service.clock.nowMs;
  const body = [
    { hr: 70, time: new Date(nowMs - 10_000).toISOString(), device: 'Polar H10' },
    { hr: 80, time: new Date(nowMs - 9_000).toISOString(), device: 'Watch' },
    { steps: 9, time: new Date(nowMs - 9_000).toISOString(), device: 'Watch' },
    { hr: [1, 2], time: new Date(nowMs - 8_000).toISOString(), device: 'Watch' },
  ];
  const { body: answer } = await phone.post(body);
  expect(answer).toMatchObject({
    stored: 1,
    skipped: { other_device: 1 },
    values: { used: 2, refused: 1, context: 8 },
  });
  expect(sum(answer.values)).toBe(countLeaves(body));
});

const night = ['2026-11-20T22:00:00Z', '2026-11-21T06:00:00Z'] as const;
test.each<[string, Schema<'Source'>, object]>([
  [
    'Health Auto Export',
    'health_auto_export',
    {
      data: {
        metrics: [
          { name: 'sleep_analysis', units: 'hr', data: [{ sleepStart: night[0], sleepEnd: night[1], deep: 1 }] },
        ],
      },
    },
  ],
  [
    'HC Webhook',
    'health_connect',
    { timestamp: night[1], sleep: [{ session_end_time: night[1], duration_seconds: 28_800 }] },
  ],
])('a night of %s is a fact of sleep', async (_, source, body) => {
  const service = await start();
  const phone = await connectPhone(service, source);
  const { body: answer } = await phone.post(body);
  expect(sum(answer.values)).toBe(countLeaves(body));
  const { body: list } = await phone.operator.request(`/v1/facts?subject_id=${phone.subjectId}`);
  expect(list.facts).toEqual([
    expect.objectContaining({
      kind: 'sleep',
      start: night[0].replace('Z', '.000Z'),
      end: night[1].replace('Z', '.000Z'),
    }),
  ]);
});
