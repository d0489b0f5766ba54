import { expect, test } from 'vitest';
import { grantOf } from '../../testkit/grants.js';
import type { Schema } from '../contract/contract.js';
import { type PostedBody, readPostedBody } from './posted-body.js';

const nowMs = Date.UTC(2026, 10, 20, 9, 0, 30);
const nowSeconds = nowMs / 1000;
const samples = 1_000;
const hourMs = 3_600_000;
const hubs: readonly string[] = ['open_wearables', 'terra', 'junction'];

/** Reads a body three times. Returns the least CPU time, and the least share of it that passed without a pause. */
async function measureCpu(source: Schema<'Source'>, body: unknown) {
  const subjectId = hubs.includes(source) ? undefined : 'p';
  const ofPerson = subjectId === undefined ? {} : { subjectId };
  const sender = { source, timeZone: 'Europe/Vienna' };
  const posted: PostedBody = {
    ...{ bytes: Buffer.from(JSON.stringify(body)), nowMs, digestKeys: ['key'] },
    caller: grantOf('a', { kind: 'source', sender, ...ofPerson }),
    ...{ maxTimestampAgeMs: 300_000, maxBackfillAgeMs: 192 * hourMs },
  };
  const runs: { readonly cpu: number; readonly share: number }[] = [];
  for (const _ of ['warm', 'again', 'and again']) {
    const slices: number[] = [];
    let begun = process.cpuUsage();
    const endSlice = async () => {
      const { user, system } = process.cpuUsage(begun);
      slices.push(user + system);
      begun = process.cpuUsage();
    };
    await readPostedBody(posted, endSlice).catch(() => undefined);
    await endSlice();
    const cpu = slices.reduce((sum, it) => sum + it, 0);
    runs.push({ cpu, share: Math.max(...slices) / cpu });
  }
  return { cpu: Math.min(...runs.map((it) => it.cpu)), share: Math.min(...runs.map((it) => it.share)) };
}

function list<T>(count: number, create: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => create(index));
}

function timed(index: number) {
  return { timestamp: new Date(nowMs - 1_000 * (index % 290)).toISOString(), value: 70, bpm: 70 };
}

/** Bodies of which all samples share a value. */
const shared: ReadonlyArray<readonly [string, Schema<'Source'>, (value: unknown) => unknown]> = [
  ['device of beats', 'generic', (device) => ({ device, rr: list(samples, () => 800) })],
  [
    'unit of a metric',
    'health_auto_export',
    (units) => ({ data: { metrics: [{ name: 'heart_rate', units, data: list(samples, () => ({})) }] } }),
  ],
  [
    'type of a series',
    'open_wearables',
    (series_type) => ({ type: 'a.b', data: { user_id: 'p', series_type, samples: list(samples, () => ({})) } }),
  ],
  [
    'provider of a series',
    'open_wearables',
    (provider) => ({
      ...{ type: 'a.b', data: { user_id: 'p', series_type: 'heart_rate', provider, samples: list(samples, timed) } },
    }),
  ],
  [
    'provider of a day',
    'terra',
    (provider) => ({
      ...{ type: 'daily', user: { reference_id: 'p', provider } },
      data: [{ heart_rate_data: { detailed: { hr_samples: list(samples, timed) } } }],
    }),
  ],
  [
    'source of a series',
    'junction',
    (slug) => ({
      ...{ event_type: 'daily.data.heartrate.created', client_user_id: 'p' },
      data: { source: { slug }, data: list(samples, timed) },
    }),
  ],
];

test.each(shared)('the %s costs the same whatever it is: a long text or a long list', async (_, source, create) => {
  const { cpu } = await measureCpu(source, create('watch'));
  for (const value of ['\ufdfa'.repeat(5_000), list(20_000, () => 0)])
    expect((await measureCpu(source, create(value))).cpu).toBeLessThan(5 * cpu);
});

/** Bodies of about 250 kB. */
const bodies: ReadonlyArray<readonly [string, Schema<'Source'>, unknown]> = [
  ['live readings', 'generic', list(8_000, (index) => ({ time: nowMs - 30 * index, hr: 70 }))],
  ['empty objects', 'generic', list(80_000, (index) => (index === 0 ? { hr: 70 } : {}))],
  ['empty workouts', 'health_auto_export', { data: { workouts: list(80_000, () => ({})) } }],
  [
    'samples of one day',
    'terra',
    {
      ...{ type: 'daily', user: { reference_id: 'p' } },
      data: [{ heart_rate_data: { detailed: { hr_samples: list(4_000, timed) } } }],
    },
  ],
  ['people', 'terra', list(4_000, (index) => ({ type: 'daily', user: { reference_id: `p${index}` }, data: [] }))],
];

test.each(bodies)('a body of many %s is read in parts, between which other work runs', async (_, source, body) => {
  // Without pauses, it is 1. On a busy machine, a garbage collection made it 0.30.
  expect((await measureCpu(source, body)).share).toBeLessThan(0.5);
});

test('a zone and a workout cost once, however often a body names them', async () => {
  const zoned = (zone: string) => list(2_000, () => ({ time: `2026-11-20 08:00 ${zone}`, hr: 70 }));
  const { cpu } = await measureCpu('generic', zoned('+01:00'));
  expect((await measureCpu('generic', zoned('No/Zone'))).cpu).toBeLessThan(4 * cpu);
  const workouts = (start_time: number) => ({
    exercise: list(3_000, (index) => ({ type: '56', start_time: start_time - index, end_time: nowSeconds - 10_000 })),
  });
  const short = await measureCpu('health_connect', workouts(nowSeconds - 10_060));
  expect((await measureCpu('health_connect', workouts(nowSeconds - 90_000))).cpu).toBeLessThan(4 * short.cpu);
});
