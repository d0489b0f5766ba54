import type { Knex } from 'knex';
import { insertRows } from '../../../src/store/insert-rows.js';
import { createRequest } from '../../check/webhooks/client.js';
import { draw, type Scene, scenes, seededRandom } from '../../../src/terminal/scenes.js';
import { crowdName, liveCount, liveName, longName, subjectName } from './requests.js';
import { startBenchedService } from './service.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Age range of the sessions' newest readings, ms. No session expires during the run. */
const crowdEndsMs = { first: 21 * hourMs, last: 1.5 * hourMs };
/** Age of expired readings, ms. Longer than the retention period. */
const expiredMs = 26 * hourMs;
/** Time between two readings of a session, ms. It corresponds to the limit of 120 readings per minute. */
const spacingMs = 500;
const rowsAtOnce = 500;
const templateName = 'template';
const seed = 6;

export interface CrowdOptions {
  readonly sessions: number;
  readonly readingsPerSession: number;
  readonly subjects: number;
}

/** Sessions of the only account. They are inserted in bulk as copies of a session that the service wrote. */
export interface Crowd {
  /** Adds the sessions numbered `from` to `to` - 1, with their readings. */
  add(from: number, to: number): Promise<void>;
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
  timestamp_ms: number;
  body: string;
}>;
/** Columns of a session that differ from the template's columns. */
interface SessionColumns {
  readonly session_id: string;
  readonly subject_id: string | null;
  readonly touched_at_ms: number;
  readonly started_at_ms: number;
}
type ReadingRow = Parameters<typeof insertRows>[2][number];

/** Creates the template by sending its readings to the service. */
export async function startCrowd(knex: Knex, databaseUrl: string, key: string, options: CrowdOptions): Promise<Crowd> {
  await sendTemplate(databaseUrl, key, options.readingsPerSession);
  const readings: ReadingRow[] = await knex('readings').where({ session_id: templateName }).orderBy('timestamp_ms');
  const { timestamp_ms } = readings.at(-1) as { timestamp_ms: number };
  const template: Template = { ...(await knex('sessions').where({ session_id: templateName }).first()), timestamp_ms };
  const nowMs = Date.now();
  const stepMs = (crowdEndsMs.first - crowdEndsMs.last) / options.sessions;
  const copyTo = (from: number, to: number, shiftMs: number) => copyReadings(knex, template, [from, to], shiftMs);
  const expired = () => knex('readings').where('timestamp_ms', '<', Date.now() - 24 * hourMs);
  return {
    async add(from, to) {
      const endsMs = (number: number) => Math.round(nowMs - crowdEndsMs.first + number * stepMs);
      await addSessions(knex, template, from, to, (number) => ({
        session_id: crowdName(number),
        subject_id: subjectName(number % options.subjects),
        touched_at_ms: endsMs(number),
        started_at_ms: endsMs(number),
      }));
      await copyTo(from, to, 0);
    },
    replaceHistories: () => replaceHistories(knex, template, readings),
    addExpired: (count) => copyTo(0, Math.ceil(count / options.readingsPerSession), -expiredMs),
    async countExpired() {
      const [row] = await expired().count({ count: '*' });
      return Number(row?.['count']);
    },
    async removeExpired() {
      await expired().delete();
    },
  };
}

async function sendTemplate(databaseUrl: string, key: string, readings: number): Promise<void> {
  const random = seededRandom(seed);
  const service = await startBenchedService(databaseUrl);
  const request = createRequest(service.url, key);
  try {
    const startMs = Date.now() - readings * spacingMs;
    for (let number = 0; number < readings; number += 1) {
      const timestamp = new Date(startMs + number * spacingMs).toISOString();
      await request('/v1/ingest', { session_id: templateName, timestamp, ...draw(scenes[2] as Scene, random) });
    }
  } finally {
    await service.close();
  }
}

async function addSessions(
  knex: Knex,
  { account_id, incarnation, version, body }: Template,
  from: number,
  to: number,
  describe: (number: number) => SessionColumns,
): Promise<void> {
  const rows = Array.from({ length: to - from }, (_, index) => ({
    account_id,
    incarnation,
    version,
    body,
    ...describe(from + index),
  }));
  const conflict = { key: ['account_id', 'session_id'], merged: ['touched_at_ms'] };
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await insertRows(knex, 'sessions', rows.slice(at, at + rowsAtOnce), conflict);
}

/** Copies the template's readings to each session. The last reading gets the session's newest timestamp. */
async function copyReadings(
  knex: Knex,
  { account_id, timestamp_ms }: Template,
  [from, to]: readonly [number, number],
  shiftMs: number,
): Promise<void> {
  await knex.raw(
    `insert into readings
       (account_id, session_id, incarnation, timestamp_ms, digest, stress_score, confidence, signals, response,
        position)
     select s.account_id, s.session_id, s.incarnation, s.touched_at_ms + t.timestamp_ms + ?, t.digest, t.stress_score,
       t.confidence, t.signals, t.response, t.position
     from sessions s join readings t on t.account_id = s.account_id and t.session_id = ?
     where s.account_id = ? and s.session_id between ? and ?`,
    [shiftMs - timestamp_ms, templateName, account_id, crowdName(from), crowdName(to - 1)],
  );
}

async function replaceHistories(knex: Knex, template: Template, readings: readonly ReadingRow[]): Promise<void> {
  const nowMs = Date.now();
  const lengths = [
    ...Array.from({ length: liveCount }, (_, number) => [liveName(number), 5] as const),
    [longName, 60] as const,
  ];
  for (const [session_id, minutes] of lengths) {
    await knex('readings').where({ account_id: template.account_id, session_id }).delete();
    await addSessions(knex, template, 0, 1, () => ({
      session_id,
      subject_id: null,
      touched_at_ms: nowMs,
      started_at_ms: nowMs,
    }));
    const count = (minutes * minuteMs) / spacingMs;
    const rows = Array.from({ length: count }, (_, index) => ({
      ...(readings[index % readings.length] as ReadingRow),
      session_id,
      timestamp_ms: nowMs - (count - 1 - index) * spacingMs,
    }));
    for (let at = 0; at < rows.length; at += rowsAtOnce)
      await insertRows(knex, 'readings', rows.slice(at, at + rowsAtOnce));
  }
}
