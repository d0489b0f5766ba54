import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { withProgress } from '../../../packages/tools/terminal/progress.js';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { createKeyOf } from '../../../testkit/program.js';
import { createRequest } from '../../check/shared/client.js';
import { insertMany, type StoredRow, withDatabase, withKnex, withStore } from './databases.js';
import { fillStore, subjectsAtOnce } from './fill.js';
import { crowdName, liveCount, liveName, longName, subjectName } from './requests.js';
import { withBenchedServices } from './service.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Age range of the sessions' newest readings, ms. By default, no session expires during the run. */
const crowdEndsMs = { first: 21 * hourMs, last: 1.5 * hourMs };
/** How long services keep the readings of a crowd, and the age of expired ones, ms. */
const keptHours = 24;
const expiredMs = (keptHours + 2) * hourMs;
export const crowdRetention = { RETENTION_READINGS_HOURS: String(keptHours) };
/** Time between two readings of a session, ms. It corresponds to the limit of 120 readings per minute. */
const spacingMs = 500;
const sessionsAtOnce = 500;
const templateName = 'template';
const seed = 6;

export interface CrowdOptions {
  readonly sessions: number;
  readonly readingsPerSession: number;
  readonly subjects: number;
  readonly endsMs?: typeof crowdEndsMs;
  /** Time between two readings of a session, ms. */
  readonly readingMs?: number;
}

/** Sessions of the only account. They are inserted in bulk as copies of a session that the service wrote. */
export interface Crowd extends CrowdOptions {
  readonly url: string;
  readonly key: string;
  readonly knex: Knex;
  /** Replaces the histories with histories that end now: five minutes for some sessions, one hour for one session. */
  replaceHistories(): Promise<void>;
  /** Adds at least this many expired readings. */
  addExpired(readings: number): Promise<void>;
  countExpired(): Promise<number>;
  removeExpired(): Promise<void>;
}

type Template = Readonly<{
  account_id: string;
  incarnation: string;
  version: string;
  account: string;
  /** Positions of its first and its last reading. */
  positions: readonly [number, number];
  timestamp_ms: number;
  body: string;
}>;
/** Columns of a session that differ from the template's columns. */
interface SessionColumns {
  readonly session_id: string;
  readonly subject_id: string | null;
  /** Also the time of its start. */
  readonly touched_at_ms: number;
}

const copied = ['digest', 'stress_score', 'confidence', 'model_version', 'previous_score', 'signals', 'response'];
const copiedColumns = copied.map((name) => `t.${name}`).join(', ');

/** Runs the work on a new database with sessions of subjects, who have topics. Drops the database afterwards. */
export function withCrowd<T>(
  kind: DatabaseKind,
  options: CrowdOptions,
  work: (crowd: Crowd) => Promise<T>,
): Promise<T> {
  return withDatabase(kind, (url) =>
    withKnex(url, async (knex) => {
      const key = await createKeyOf(url, 'crowd');
      const total = Math.ceil(options.sessions / sessionsAtOnce) + Math.ceil(options.subjects / subjectsAtOnce);
      const crowd = await withProgress(total, 'batches of sessions and subjects', async ({ advance }) => {
        const filled = await fill(knex, url, key, options, advance);
        await withStore(url, (store) => fillStore(store, options.subjects, advance));
        return filled;
      });
      return work({ ...options, ...crowd, url, key, knex });
    }),
  );
}

/** Sends the readings of the template to the service, and stores its copies. */
async function fill(knex: Knex, url: string, key: string, options: CrowdOptions, onBatch: () => void) {
  await sendTemplate(url, key, options.readingsPerSession);
  const session = await knex('sessions').where({ session_id: templateName }).first();
  const { incarnation } = session;
  const readings: StoredRow[] = await knex('session_readings').where({ incarnation }).orderBy('timestamp_ms');
  const [first, last] = [readings[0], readings.at(-1)] as [StoredRow, StoredRow];
  const { account, timestamp_ms } = last as Pick<Template, 'account' | 'timestamp_ms'>;
  const positions = [Number(first['position']), Number(last['position'])] as const;
  const template: Template = { ...session, account, positions, timestamp_ms };
  const { endsMs: range = crowdEndsMs, readingMs = spacingMs } = options;
  const stepMs = (range.first - range.last) / options.sessions;
  const startMs = Date.now() - range.first;
  const copyTo = (from: number, to: number, shiftMs: number) =>
    copyReadings(knex, template, [from, to], shiftMs, readingMs / spacingMs);
  for (let from = 0; from < options.sessions; from += sessionsAtOnce, onBatch()) {
    const to = Math.min(options.sessions, from + sessionsAtOnce);
    await addSessions(knex, template, to - from, (index) => ({
      session_id: crowdName(from + index),
      subject_id: subjectName((from + index) % options.subjects),
      touched_at_ms: Math.round(startMs + (from + index) * stepMs),
    }));
    await copyTo(from, to, 0);
  }
  const expired = () => knex('session_readings').where('timestamp_ms', '<', Date.now() - keptHours * hourMs);
  return {
    replaceHistories: () => replaceHistories(knex, template, readings),
    async addExpired(count: number) {
      await copyTo(0, Math.ceil(count / options.readingsPerSession), -expiredMs);
      // The purge does not look for readings that are older than those that it has deleted.
      await knex('stream_positions').update({ purged_to_ms: 0 });
    },
    async countExpired() {
      const [row] = await expired().count({ count: '*' });
      return Number(row?.['count']);
    },
    removeExpired: async () => void (await expired().delete()),
  };
}

function sendTemplate(databaseUrl: string, key: string, readings: number): Promise<void> {
  const random = seededRandom(seed);
  return withBenchedServices(databaseUrl, 1, {}, async ([{ url }]) => {
    const request = createRequest(url, key);
    const startMs = Date.now() - readings * spacingMs;
    for (let number = 0; number < readings; number += 1) {
      const timestamp = new Date(startMs + number * spacingMs).toISOString();
      await request('/v1/ingest', { session_id: templateName, timestamp, ...draw(scenes[2] as Scene, random) });
    }
  });
}

function addSessions(
  knex: Knex,
  { account_id, version, body }: Template,
  count: number,
  describe: (index: number) => SessionColumns,
): Promise<void> {
  const toRow = (index: number) => {
    const own = describe(index);
    const incarnation = randomBytes(6).toString('hex');
    return { account_id, incarnation, version, body, ...own, started_at_ms: own.touched_at_ms };
  };
  return insertMany(knex, 'sessions', count, toRow, {
    key: ['account_id', 'session_id'],
    merged: ['touched_at_ms'],
  });
}

/**
 * Copies the template's readings to each session. The last reading gets the session's newest timestamp. The position of
 * a reading follows its timestamp and, among the readings of a timestamp, the number of its session. The range of positions
 * makes each database read the template by its primary key.
 */
async function copyReadings(
  knex: Knex,
  { account_id, account, positions, incarnation, timestamp_ms }: Template,
  [from, to]: readonly [number, number],
  shiftMs: number,
  scale: number,
): Promise<void> {
  await knex.raw(
    `insert into session_readings (account, position, incarnation, timestamp_ms, ${copied.join(', ')})
     select t.account, (s.touched_at_ms + ? + ${scale} * (t.timestamp_ms - ?)) * 1000 + 2 * (substr(s.session_id, 7) % 500),
       s.incarnation, s.touched_at_ms + ? + ${scale} * (t.timestamp_ms - ?), ${copiedColumns}
     from sessions s join session_readings t on t.account = ? and t.position between ? and ? and t.incarnation = ?
     where s.account_id = ? and s.session_id between ? and ?`,
    [
      ...[shiftMs, timestamp_ms, shiftMs, timestamp_ms, account, ...positions, incarnation],
      ...[account_id, crowdName(from), crowdName(to - 1)],
    ],
  );
}

async function replaceHistories(knex: Knex, template: Template, readings: readonly StoredRow[]): Promise<void> {
  const nowMs = Date.now();
  const lengths = [
    ...Array.from({ length: liveCount }, (_, number) => [liveName(number), 5] as const),
    [longName, 60] as const,
  ];
  for (const [number, [session_id, minutes]] of lengths.entries()) {
    const key = { account_id: template.account_id, session_id };
    const former = knex('sessions').where(key);
    await knex('session_readings')
      .where({ account: template.account })
      .whereIn('incarnation', former.clone().select('incarnation'))
      .delete();
    await former.delete();
    await addSessions(knex, template, 1, () => ({ session_id, subject_id: null, touched_at_ms: nowMs }));
    const { incarnation } = await knex('sessions').where(key).first();
    const count = (minutes * minuteMs) / spacingMs;
    await insertMany(knex, 'session_readings', count, (index) => {
      const timestamp_ms = nowMs - (count - 1 - index) * spacingMs;
      // The positions that the service assigns are even, and those of the template can be in the same milliseconds.
      const position = timestamp_ms * 1_000 + 2 * number + 1;
      return { ...(readings[index % readings.length] as StoredRow), incarnation, timestamp_ms, position };
    });
  }
}
