import type { Knex } from 'knex';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/store/database.js';
import { insertRows } from '../../../src/store/rows.js';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { startProgress } from '../../../packages/tools/terminal/progress.js';
import { createRequest } from '../../check/shared/client.js';
import { startBenchedService } from './service.js';

const template = 'template';
const positionsPerMs = 1_000;
const rowsAtOnce = 500;
/** Readings that the service computes. All others are copies of them. */
const templateReadings = 1_000;
/** Time between two readings of a session, ms. */
const spacingMs = 100;

export interface FilledReadings {
  readonly readings: number;
  /** Position after which one tenth of the readings follow. */
  readonly cursorOfLastTenth: number;
}

export interface FillOptions {
  readonly readings: number;
  readonly sessions: number;
  /** Age of the newest reading, ms. Default: 0. */
  readonly ageMs?: number;
}

/**
 * Fills an account with readings of many sessions at the same time, as the service stores them: rows are in the order of
 * their positions. The readings are copies of readings that the service computed.
 */
export async function fillReadings(
  url: string,
  key: string,
  { readings, sessions, ageMs = 0 }: FillOptions,
): Promise<FilledReadings> {
  const progress = startProgress(process.stderr, Math.ceil(readings / sessions / 10), 'parts of the readings');
  await sendTemplate(url, key);
  const knex = openDatabase(readConfig({ DATABASE_URL: url }).database, 'administration');
  try {
    const startMs = Date.now() - ageMs - (readings / sessions) * spacingMs;
    await addSessions(knex, sessions, startMs);
    const { incarnation } = await knex('sessions').where({ session_id: template }).first();
    await rank(knex, incarnation);
    const rounds = Math.ceil(readings / sessions / templateReadings);
    for (let round = 0; round < rounds; round += 1) {
      const left = readings / sessions - round * templateReadings;
      await copyReadings(knex, {
        incarnation,
        sessions,
        startMs,
        round,
        count: Math.min(left, templateReadings),
        onProgress: progress.advance,
      });
    }
    await knex('session_readings').where({ incarnation }).delete();
    await knex('sessions').where({ session_id: template }).delete();
    const { count, last } =
      (await knex('session_readings').count({ count: '*' }).max({ last: 'position' }).first()) ?? {};
    await knex('stream_positions').update({ position: last });
    return { readings: Number(count), cursorOfLastTenth: Number(last) - 2 * Math.floor(Number(count) / 10) };
  } finally {
    progress.stop();
    await knex.destroy();
  }
}

async function sendTemplate(databaseUrl: string, key: string): Promise<void> {
  const random = seededRandom(6);
  const service = await startBenchedService(databaseUrl);
  const request = createRequest(service.url, key);
  const startMs = Date.now() - templateReadings * spacingMs;
  for (let number = 0; number < templateReadings; number += 1) {
    const timestamp = new Date(startMs + number * spacingMs).toISOString();
    const signals = draw(scenes[number % 3] as Scene, random);
    await request('/v1/ingest', { session_id: template, subject_id: 'person', timestamp, ...signals });
  }
  await service.stop();
}

async function addSessions(knex: Knex, sessions: number, startMs: number): Promise<void> {
  const row = await knex('sessions').where({ session_id: template }).first();
  const rows = Array.from({ length: sessions }, (_, number) => ({
    ...row,
    session_id: `session-${number}`,
    subject_id: `person-${number}`,
    incarnation: number.toString(16).padStart(12, '0'),
    touched_at_ms: Date.now(),
    // Numbers the sessions.
    started_at_ms: Math.floor(startMs) + number,
  }));
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await insertRows(knex, 'sessions', rows.slice(at, at + rowsAtOnce));
}

/** Numbers the readings of the template: their positions become 0, 1, 2, … */
async function rank(knex: Knex, incarnation: string): Promise<void> {
  const ofTemplate = () => knex('session_readings').where({ incarnation });
  const positions: number[] = await ofTemplate().orderBy('position').pluck('position');
  for (const [index, position] of positions.entries())
    await ofTemplate().where({ position }).update({ position: index });
}

interface Copied {
  /** Incarnation of the template. */
  readonly incarnation: string;
  readonly sessions: number;
  readonly startMs: number;
  readonly round: number;
  /** Readings per session. */
  readonly count: number;
  readonly onProgress: () => void;
}

/** Copies the readings of the template to all sessions, ten ranks at a time. */
async function copyReadings(
  knex: Knex,
  { incarnation, sessions, startMs, round, count, onProgress }: Copied,
): Promise<void> {
  const ranksAtOnce = 10;
  for (let from = 0; from < count; from += ranksAtOnce) {
    await knex.raw(
      `insert into session_readings
         (account, incarnation, timestamp_ms, digest, stress_score, confidence, model_version, previous_score, signals,
          response, position, state_change)
       select t.account, s.incarnation, ? + (t.position + ?) * ?, t.digest, t.stress_score, t.confidence,
         t.model_version, t.previous_score, t.signals, t.response,
         ? + 2 * ((t.position + ?) * ? + s.started_at_ms - ?) as place, t.state_change
       from session_readings t join sessions s
       where t.incarnation = ? and t.position >= ? and t.position < ? and s.session_id <> ?
       order by place`,
      [
        ...[Math.floor(startMs), round * templateReadings, spacingMs],
        ...[Math.floor(startMs) * positionsPerMs, round * templateReadings, sessions, Math.floor(startMs)],
        ...[incarnation, from, Math.min(from + ranksAtOnce, count), template],
      ],
    );
    onProgress();
  }
}
