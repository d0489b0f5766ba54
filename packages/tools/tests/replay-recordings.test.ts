import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toolsCommand } from '../commands.js';
import { formats } from '../../recordings/field-map.js';
import type { Submission } from '../../recordings/signals.js';
import { makeAccount } from '../../../testkit/calls.js';
import { startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { allow, setUp } from '../../../testkit/consents.js';
import { connectPhone } from '../../../testkit/phone.js';
import { realTime, root, startTestService } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

type TestService = Awaited<ReturnType<typeof startTestService>>;

let printed: { stdout: string; stderr: string };
beforeEach(() => {
  printed = { stdout: '', stderr: '' };
  vi.spyOn(console, 'log').mockImplementation((text) => void (printed.stdout += `${text}\n`));
  vi.spyOn(console, 'error').mockImplementation((text) => void (printed.stderr += `${text}\n`));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs `import` in this process, because a process per recipe would take seconds. */
async function replay({ url, key }: Pick<TestService, 'url' | 'key'>, args: readonly string[]): Promise<void> {
  const command = toolsCommand({ root, env: {}, jsonOption: ['--json', '', false] }).commands.find((it) =>
    it.aliases().includes('replay'),
  );
  await command?.parseAsync(['--url', url, '--key', key, ...args], { from: 'user' });
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Arguments for the samples of each format, with the shares of `relaxed` and `stressed` and the mean score. In half of the minutes
 * with sport, the rate says nothing, so they have no state.
 */
const samples = [
  ['apple-health', 'export.xml', '60 %', '40 %', '43.5'],
  ['fit', 'activity.fit', '60 %', '40 %', '44.2'],
  ['tcx', 'activity.tcx', '50 %', '·', '29.8'],
  ['gpx', 'activity.gpx', '60 %', '40 %', '43.5'],
  ['polar-json', 'training-session-2024-11-20.json', '50 %', '·', '29.8'],
  ['polar-csv', 'polar.csv --utc-offset +01:00', '50 %', '·', '29.8'],
  ['fitbit', 'heart_rate-2024-11-20.json samples/recordings/steps-2024-11-20.json', '60 %', '40 %', '43.5'],
  ['health-connect', 'health_connect_export.db', '60 %', '40 %', '43.5'],
  ['csv', 'heart-rate.csv', '60 %', '40 %', '43.5'],
] as const;

test('there is a sample of each format', () => {
  expect(samples.map(([format]) => format).sort()).toEqual(formats.filter((it) => it !== 'json').sort());
});

test.each(samples)('the sample of %s gets its states', async (format, args, relaxed, stressed, mean) => {
  const service = await startTestService({ clock: realTime() });
  await replay(service, `--file samples/recordings/${args}`.split(' '));
  expect(printed.stderr).toMatch(new RegExp(`^Read ${format}: 10 readings, 2024-11-20T09:00:55.000Z to `));
  const cells = /^all .*$/m.exec(printed.stdout)?.[0].split(/ {2,}/);
  expect(cells?.slice(0, 9)).toEqual(['all', format, '10', '·', relaxed, '·', stressed, '·', mean]);
  expect(process.exitCode).toBeUndefined();
});

test('the command of the guide prints what the guide shows', async () => {
  const guide = readFileSync(new URL('docs/recordings.md', root), 'utf8');
  const [, args = '', output] =
    /```sh\nstate-service tools import (.*samples\/.*)\n```\n\n```text\n([^]*?)```/.exec(guide) ?? [];
  const service = await startTestService({ clock: realTime() });
  await replay(service, args.split(' '));
  expect(`${printed.stderr.split('\n')[0]}\n${printed.stdout}`).toBe(output);
});

/** Returns a CSV with a reading per minute of the last half hour. */
function recentCsv(nowMs: number): string {
  const rows = Array.from(
    { length: 30 },
    (_, at) => `${new Date(nowMs - (30 - at) * 60_000).toISOString()},${60 + at}\n`,
  );
  return `timestamp,heart_rate\n${rows.join('')}`;
}

async function writeRecording(csv: string): Promise<string> {
  const file = join(await temporaryFolder(), 'recording.csv');
  await writeFile(file, csv);
  return file;
}

async function exportReadings({ url, key }: Pick<TestService, 'url' | 'key'>, subjectId: string) {
  const response = await fetch(`${url}/v1/export?subject_id=${subjectId}`, { headers: { 'X-Service-Key': key } });
  const lines = (await response.text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line).reading as Submission);
}

/** Returns the start of a minute, in epoch ms. */
function minuteAt(ms: number): number {
  return Math.floor(ms / 60_000) * 60_000;
}

test('--backfill stores each minute at its start, and a second run with the same subject changes nothing', async () => {
  const service = await startTestService({ clock: realTime() });
  const file = await writeRecording(recentCsv(Date.now()));
  for (const [run, outcome] of [
    [1, '30 stored, 0 replaced, 0 unchanged.'],
    [2, '0 stored, 0 replaced, 30 unchanged.'],
  ] as const) {
    printed.stderr = '';
    await replay(service, ['--file', file, '--backfill', '--subject', 'p1']);
    expect(printed.stderr, `run ${run}`).toContain(outcome);
    expect(process.exitCode, `run ${run}`).toBeUndefined();
  }
  const rows = readFileSync(file, 'utf8').trim().split('\n').slice(1);
  expect((await exportReadings(service, 'p1')).map((it) => [it.timestamp, it.heart_rate])).toEqual(
    rows
      .map((row) => row.split(','))
      .map(([time = '', value]) => [new Date(minuteAt(Date.parse(time))).toISOString(), Number(value)]),
  );
  expect(printed.stdout).toMatch(/^all +csv +30 /m);
});

/** Returns a CSV of samples at seconds after a time. */
function samplesCsv(fromMs: number, samples: ReadonlyArray<readonly [second: number, value: number]>): string {
  const rows = samples.map(([second, value]) => `${new Date(fromMs + second * 1000).toISOString()},${value}\n`);
  return `timestamp,heart_rate\n${rows.join('')}`;
}

test('a minute is stored once, of two exports that overlap and of a phone, with the samples of the fullest', async () => {
  const service = await startTestService({ clock: realTime() });
  const phone = await connectPhone(service, 'generic');
  const fromMs = minuteAt(Date.now() - hourMs);
  const account = { url: service.url, key: phone.serviceKey };
  const load = async (samples: ReadonlyArray<readonly [second: number, value: number]>) => {
    const file = await writeRecording(samplesCsv(fromMs, samples));
    printed.stderr = '';
    await replay(account, ['--file', file, '--backfill', '--subject', phone.subjectId]);
    return printed.stderr;
  };
  const post = (...samples: Array<readonly [second: number, value: number]>) =>
    phone.post(samples.map(([second, value]) => ({ time: fromMs + second * 1000, heart_rate: value })));
  const first = [
    [0, 60],
    [30, 62],
    [60, 70],
  ] as const;
  expect(await load(first)).toContain('2 stored, 0 replaced, 0 unchanged.');
  expect(await load([...first, [90, 80], [120, 90]])).toContain('1 stored, 1 replaced, 1 unchanged.');
  expect((await post(...first, [120, 90])).body).toMatchObject({ stored: 0, unchanged: 3, replaced: 0 });
  expect((await post([180, 65])).body).toMatchObject({ stored: 1 });
  expect(
    await load([
      [180, 65],
      [190, 67],
    ]),
  ).toContain('0 stored, 1 replaced, 0 unchanged.');
  const readings = await exportReadings(account, phone.subjectId);
  expect(readings.map((it) => it.heart_rate).sort()).toEqual([61, 66, 75, 90]);
  for (const { session_id, timestamp } of readings)
    expect(session_id).toBe(`${phone.subjectId}-import-${timestamp.slice(0, 10)}`);
});

test('a minute with live readings of a device, or of an import by 1.0.0, is not stored again', async () => {
  const service = await startTestService({ clock: realTime() });
  const phone = await connectPhone(service, 'generic');
  const account = { url: service.url, key: phone.serviceKey };
  const liveMs = minuteAt(Date.now() - 90_000);
  expect((await phone.post([{ time: liveMs + 1000, heart_rate: 70 }])).body).toMatchObject({ stored: 1 });
  const oldMs = minuteAt(Date.now() - 1800_000);
  const session_id = `${phone.subjectId}-import-${new Date(oldMs).toISOString().slice(0, 10)}`;
  const imported = { session_id, subject_id: phone.subjectId, timestamp: new Date(oldMs + 55_000).toISOString() };
  await phone.operator.post('/v1/ingest/batch', [{ ...imported, heart_rate: 61, backfill: true }]);
  const file = await writeRecording(
    samplesCsv(oldMs, [
      [0, 60],
      [60, 62],
      [(liveMs - oldMs) / 1000, 71],
    ]),
  );
  await replay(account, ['--file', file, '--backfill', '--subject', phone.subjectId]);
  expect(printed.stderr).toContain('1 stored, 0 replaced, 2 unchanged.');
  expect((await exportReadings(account, phone.subjectId)).map((it) => it.heart_rate).sort()).toEqual([61, 62, 70]);
});

test('a key that may only store readings imports them', async () => {
  const service = await startTestService({ clock: realTime() });
  const { key } = await makeAccount(service, 'importer', 'enterprise', { scopes: ['ingest'] });
  const file = await writeRecording(recentCsv(Date.now()));
  await replay({ url: service.url, key }, ['--file', file, '--backfill', '--subject', 'p1']);
  expect(printed.stderr).toContain('30 stored, 0 replaced, 0 unchanged.');
});

test('variability is a reading of its own', async () => {
  const service = await startTestService({ clock: realTime() });
  const fromMs = minuteAt(Date.now() - hourMs);
  const at = new Date(fromMs + 5000).toISOString();
  const file = await writeRecording(`timestamp,heart_rate,rmssd\n${at},70,31\n`);
  await replay(service, ['--file', file, '--backfill', '--subject', 'p1']);
  const readings = await exportReadings(service, 'p1');
  expect(readings.map(({ heart_rate, rmssd, sample_revision }) => [heart_rate, rmssd, sample_revision])).toEqual([
    [70, undefined, 1],
    [undefined, 31, 1],
  ]);
});

test.each([[['run', 'heart']], [['heart', 'run']]])(
  'a workout and a night of a file explain the heart rates of another file: %s',
  async (order) => {
    const service = await startTestService({ clock: realTime() });
    const startMs = minuteAt(Date.now() - 2 * hourMs);
    const fitbitTime = (ms: number) => new Date(ms).toISOString().replace(/^..(..)-(..)-(..)T(.{8}).*$/, '$2/$3/$1 $4');
    const run = { activityName: 'Run', startTime: fitbitTime(startMs), duration: 10 * 60_000 };
    const [startTime, endTime] = [startMs + 10 * 60_000, startMs + 20 * 60_000].map((it) => new Date(it).toISOString());
    const folder = await temporaryFolder();
    const paths: Record<string, string[]> = { run: ['exercise-0.json', 'sleep-1.json'], heart: ['heart.csv'] };
    const samples = Array.from({ length: 30 }, (_, at) => [at * 60, 130] as const);
    const sleep = [{ logId: 1, dateOfSleep: '2026-01-01', startTime, endTime }];
    await writeFile(join(folder, 'exercise-0.json'), JSON.stringify([run]));
    await writeFile(join(folder, 'sleep-1.json'), JSON.stringify(sleep));
    await writeFile(join(folder, 'heart.csv'), samplesCsv(startMs, samples));
    for (const name of order) {
      const files = (paths[name] ?? []).map((it) => join(folder, it));
      await replay(service, ['--file', ...files, '--backfill', '--subject', 'p1']);
    }
    expect(printed.stderr).toContain('2 facts stored.');
    expect(process.exitCode).toBeUndefined();
    const levels = (await exportReadings(service, 'p1')).map(({ timestamp, activity_level }) => [
      timestamp,
      activity_level,
    ]);
    expect(levels.sort().map(([, level]) => level)).toEqual([
      ...Array(10).fill('vigorous'),
      ...Array(10).fill('resting'),
      ...Array(10).fill(undefined),
    ]);
    printed.stdout = '';
    await replay(service, ['--file', ...(paths['run'] ?? []).map((it) => join(folder, it)), '--backfill', '--dry-run']);
    expect(printed.stdout).toContain(`${new Date(startMs).toISOString()} to ${startTime} exercise vigorous`);
    expect(printed.stderr).toContain('Nothing was sent. Without --dry-run: 0 readings and 2 facts.');
  },
);

test('a fact that the service rejects is reported, and the readings are stored', async () => {
  const service = await startTestService({ clock: realTime() });
  const startMs = minuteAt(Date.now() - 2 * hourMs);
  const local = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000`;
  const lasting = (hours: number) =>
    `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" startDate="${local(startMs - hours * hourMs)}" endDate="${local(startMs)}"/>`;
  const rate = `<Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" startDate="${local(startMs)}" endDate="${local(startMs)}" value="90"/>`;
  const file = join(await temporaryFolder(), 'export.xml');
  await writeFile(file, `<HealthData>${rate}${lasting(30)}${lasting(24)}</HealthData>`);
  await setUp(service, { consent: 'enforce' });
  await allow(service, 'p1', ['cardiovascular']);
  await replay(service, ['--file', file, '--backfill', '--subject', 'p1']);
  expect(printed.stderr).toContain('a workout of more than a day: 1');
  expect(printed.stderr).toContain('Rejected: 1 fact.\n  a fact: 403 ');
  expect(printed.stderr).toContain('1 stored, 0 replaced, 0 unchanged.');
  expect(process.exitCode).toBe(1);
});

test('--backfill sends a batch again that a limit rejected', async () => {
  const service = await startTestService({ clock: realTime() });
  const url = await startFaultyProxy(service.url, ['rate limited', 'rate limited']);
  await replay({ url, key: service.key }, ['--file', await writeRecording(recentCsv(Date.now())), '--backfill']);
  expect(printed.stderr).not.toContain('Rejected');
  expect(printed.stdout).toMatch(/^all +csv +30 /m);
});

test('--backfill stores days above the limits of live readings, in one session per day of UTC', async () => {
  const env = {
    LIMIT_SESSION_REQUESTS_PER_MINUTE: '1',
    LIMIT_NEW_SESSIONS_PER_MINUTE: '1',
    RETENTION_READINGS_HOURS: '192',
  };
  const service = await startTestService({ clock: realTime(), env });
  const startMs = Date.now() - 7 * dayMs;
  const rows = Array.from(
    { length: 7 * 24 },
    (_, at) => `${new Date(startMs + at * hourMs).toISOString()},${60 + (at % 24)}`,
  );
  const file = await writeRecording(`timestamp,heart_rate\n${rows.join('\n')}\n`);
  await replay(service, ['--file', file, '--backfill', '--subject', 'p1', '--hours', '192', '--utc-offset', '+05:00']);
  expect(printed.stderr).toContain('168 readings of 1 person sent.');
  expect(printed.stderr).not.toContain('waits');
  expect(printed.stderr).toContain(`Dashboard: ${service.url}/dashboard/#/subjects/p1\n`);
  expect(process.exitCode).toBeUndefined();
  const days = new Set(rows.map((row) => row.slice(0, 10)));
  const { sessions } = (await service.request('/v1/sessions?subject_id=p1')).body;
  expect(new Set(sessions.map((it: { session_id: string }) => it.session_id))).toEqual(
    new Set([...days].map((day) => `p1-import-${day}`)),
  );
});

test.each([
  [
    'a week ago',
    () => Date.now() - 7 * dayMs,
    'run `state-service accounts set ACCOUNT keep-readings 192`, or send fewer hours',
  ],
  ['years ago', () => Date.UTC(2001, 0), 'no retention is that long, so replay it without --backfill'],
])(
  '--backfill of a recording from %s fails in one line that names the setting, and stores nothing',
  async (_, begin, remedy) => {
    const service = await startTestService({ clock: realTime() });
    const oldest = new Date(begin()).toISOString();
    const file = await writeRecording(
      `timestamp,hr\n${oldest},70\n${recentCsv(begin() + hourMs)
        .split('\n')
        .slice(1)
        .join('\n')}`,
    );
    await expect(replay(service, ['--file', file, '--backfill', '--subject', 'p1', '--hours', '192'])).rejects.toThrow(
      new RegExp(`^the recording begins at ${oldest}, before the retention of the service: ${remedy}[^\n]*$`),
    );
    expect((await service.request('/v1/sessions?subject_id=p1')).body.sessions).toEqual([]);
  },
);

test.each([
  [
    'an unreadable recording',
    'time,mood\n1,2\n',
    [],
    /^cannot read --file \S+recording\.csv: format not known: no column is known/,
  ],
  [
    'a recording without signals',
    'time,steps\n2020-01-01T09:00:00Z,9\n',
    [],
    /^no heart rate, variability or beats in/,
  ],
  [
    'labels without times',
    'subject,task,label,heart_rate\np,t,l,60\n',
    ['--backfill'],
    /^--backfill requires a recording/,
  ],
  ['labels with --subject', 'subject,task,label,heart_rate\np,t,l,60\n', ['--subject', 'p'], /^--subject requires a/],
  ['a wrong --format', recentCsv(0), ['--format', 'fit'], /^cannot read --file \S+: the FIT header is invalid/],
])('%s is reported in one line', async (_, csv, args, message) => {
  const file = await writeRecording(csv);
  await expect(replay({ url: 'http://127.0.0.1:9', key: 'sk_x' }, ['--file', file, ...args])).rejects.toThrow(message);
});
