import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { type DatabaseKind, settingsFor } from '../../../testkit/databases.js';
import { readUsage, startProgram } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { createRequest, type Request } from '../../check/shared/client.js';
import { timed, watchMemory } from '../../check/shared/timing.js';
import { withCrowd } from './crowd.js';
import { titleOf } from './databases.js';
import type { Generator } from './generator.js';
import { subjectName } from './requests.js';
import { middle } from './rounds.js';
import { startBenchedService, startOptions } from './service.js';

const dayMs = 86_400_000;
const days = 90;
/** A person with one session per day has this many readings, one every 30 s, at two million readings of 200 people. */
const readingsPerSession = 111;
const readingMs = 30_000;
/** Longer than the readings are old, so that none expires. */
const retention = { RETENTION_READINGS_HOURS: '2400', RETENTION_IDLE_SESSIONS_HOURS: '2400' };
/** Sizes of the databases, as shares of the readings. */
const shares = [0.1, 1];
const growthMax = 1.2;

export interface PeopleOptions {
  readonly readings: number;
  readonly people: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** A figure of one database. Those of `grown` grow with the readings of a person or of the database. */
type Figures = ReadonlyArray<readonly [title: string, value: number, grown?: 'grown']>;

/**
 * Prints what requests, commands and a start cost with the readings of people over 90 days, and with a tenth of them. Sets
 * the exit code to 1 if a figure grows whose output does not.
 */
export async function measurePeople(kind: DatabaseKind, generator: Generator, options: PeopleOptions): Promise<void> {
  const measured: Figures[] = [];
  for (const share of shares)
    measured.push(await measureOne(kind, generator, { ...options, readings: options.readings * share }));
  const [small, large] = measured as [Figures, Figures];
  const rows = small.map(([title, before, grown], index) => {
    const after = large[index]?.[1] ?? Number.NaN;
    const isMet = grown !== undefined || after / before <= growthMax;
    if (!isMet) process.exitCode = 1;
    const verdict = grown ? 'its output grows' : isMet ? `≤ ${growthMax}, met` : `≤ ${growthMax}, not met`;
    return [title, ...[before, after, after / before].map((it) => it.toPrecision(3)), verdict];
  });
  const titles = shares.map((share) => `${Math.round(options.readings * share)} readings`);
  console.log(`── ${titleOf(kind)}: ${options.people} people, ${days} days\n`);
  console.log(`${textTable([{ title: 'figure' }, ...figureColumns(...titles, 'ratio', '')], [rows])}\n`);
}

/** Gives each person a session at equal distances over the days. */
function measureOne(kind: DatabaseKind, generator: Generator, options: PeopleOptions): Promise<Figures> {
  const { readings, people, seconds, warmUp: warmUpSeconds } = options;
  const sessions = Math.max(people, Math.ceil(readings / readingsPerSession));
  const endsMs = { first: days * dayMs, last: dayMs / 24 };
  const size = { sessions, readingsPerSession, subjects: people, endsMs, readingMs };
  return withCrowd(kind, size, async ({ url, key, knex }) => {
    const beganAt = performance.now();
    const service = await startBenchedService(url, retention, { nodeArgs: startOptions });
    const ready = [performance.now() - beganAt, readUsage(service.pid)] as const;
    try {
      const ingest = await generator.measure([service], { key, load: 'plain', seconds, warmUpSeconds });
      const request = createRequest(service.url, key);
      const erase = () => request(`/v1/subjects/${subjectName(1)}`, undefined, 'DELETE');
      return [
        ['start, s', ready[0] / 1000],
        ['start, CPU s', ready[1].cpuMs / 1000],
        ['start, MB', ready[1].residentMb],
        ['reading of 64 connections, p50 ms', ingest.p50Ms],
        ['reading, CPU µs of the service', ingest.cpuMicros],
        ...(await timeReads(knex, request, people)),
        ...(await timeExport(knex, service, key)),
        ...(await timeBackup(url)),
        ['erasure of a person, ms', await timed(erase), 'grown'],
      ];
    } finally {
      await service.stop();
    }
  });
}

/** Times the reads of each of up to 50 people, one after another. */
async function timeReads(knex: Knex, request: Request, people: number): Promise<Figures> {
  const names = Array.from({ length: Math.min(50, people) }, (_, index) => subjectName(index));
  const since = new Date(Date.now() - days * dayMs).toISOString();
  const newest = new Map<string, number>();
  for (const name of names) {
    const [row] = await knex('sessions').where({ subject_id: name }).max({ atMs: 'touched_at_ms' });
    newest.set(name, Number(row?.['atMs']));
    // The service keeps the session of the newest reading, which the filled database does not have.
    const timestamp = new Date().toISOString();
    await request('/v1/ingest', { session_id: `now-${name}`, subject_id: name, timestamp, heart_rate: 70 });
  }
  const time = async (pathOf: (name: string) => string) => {
    const spent = [];
    for (const name of names) spent.push(await timed(() => request(pathOf(name))));
    return middle(spent);
  };
  const history = (name: string) =>
    `/v1/history?subject_id=${name}&minutes=60&until=${new Date(newest.get(name) ?? 0).toISOString()}`;
  const summary = (name: string) => `/v1/subjects/${name}/summary?interval=day&from=${since}`;
  return [
    ['state of a person, p50 ms', await time((name) => `/v1/state?subject_id=${name}`)],
    ['history of an hour, p50 ms', await time(history)],
    ['first summary of 90 days, p50 ms', await time(summary), 'grown'],
    ['next summary of 90 days, p50 ms', await time(summary), 'grown'],
  ];
}

async function timeExport(knex: Knex, { url, pid }: { url: string; pid: number }, key: string): Promise<Figures> {
  const [row] = await knex('session_readings').count({ count: '*' });
  const [ms, megabytes] = await watchMemory(pid, () =>
    timed(async () => {
      const response = await fetch(`${url}/v1/export`, { headers: { 'X-Service-Key': key } });
      await response.body?.pipeTo(new WritableStream());
    }),
  );
  return [
    ['export, s', ms / 1000, 'grown'],
    ['export, µs per reading', (1000 * ms) / Number(row?.['count'])],
    ['export, MB of the service', megabytes],
  ];
}

async function timeBackup(url: string): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'growth-backup-'));
  const file = join(folder, 'backup');
  const backup = startProgram({ args: ['dist/main.js', 'backup', file], env: settingsFor(url) });
  const [ms, megabytes] = await watchMemory(backup.pid, () =>
    timed(async () => {
      const { code, stderr } = await backup.ended;
      if (code !== 0) throw new Error(`the backup ended with ${code}: ${stderr}`);
    }),
  );
  const { size } = await stat(file);
  await rm(folder, { recursive: true });
  return [
    ['backup, s', ms / 1000, 'grown'],
    ['backup, MB of the command', megabytes],
    ['backup, MB of the file', size / 1e6, 'grown'],
  ];
}
