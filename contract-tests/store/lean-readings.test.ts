import type { Knex } from 'knex';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import type { Submission } from '../../src/contract.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { openDatabase } from '../../src/store/database.js';
import { migrate } from '../../src/store/migrate.js';
import { toComputed, toPoint } from '../../src/store/reading-row.js';
import { batchResults } from '../support/batch.js';
import { createTestDatabase, databaseKind } from '../support/databases.js';
import { client, Clock, startTestService, type TestService } from '../support/service.js';
import { everythingStored } from '../support/stored.js';

const day = 24 * 60 * 60;
const turn = { user_message: 'My exam is tomorrow', ai_response: 'How do you feel about it?' };

/** Replaces the tables of readings with the table of the earlier version, with the same readings. */
async function restoreEarlierSchema(knex: Knex): Promise<void> {
  const accounts = await knex('accounts');
  const sessions = await knex('sessions');
  const earlier = (await knex('session_readings')).map((row) => {
    const computed = toComputed(row, toPoint(row));
    return {
      account_id: accounts.find((it) => it.account_id.slice(4, 16) === row.account).account_id,
      session_id: sessions.find((it) => it.incarnation === row.incarnation).session_id,
      incarnation: row.incarnation,
      timestamp_ms: row.timestamp_ms,
      digest: row.digest.padEnd(32, '0'),
      stress_score: row.stress_score,
      confidence: row.confidence,
      model_version: row.model_version,
      signals: row.signals,
      response: JSON.stringify({ v: 1, ...computed, model: undefined }),
      position: row.position,
      state_change: row.state_change,
    };
  });
  for (const table of ['session_readings', 'late_readings']) await knex.schema.dropTable(table);
  await knex.raw(`drop index sessions_by_incarnation${databaseKind === 'mysql' ? ' on sessions' : ''}`);
  await knex('schema_migrations').whereIn('name', ['lean-readings', 'move-readings']).delete();
  await knex.batchInsert('readings', earlier, 100);
}

/** Sends readings of two sessions: 600 of one minute, with a turn, and four of the past. Returns the last one. */
async function sendReadings(service: TestService): Promise<Submission> {
  const { clock, read } = service;
  const lines = Array.from({ length: 600 }, (_, index) => ({
    session_id: 'long',
    subject_id: 'anna',
    timestamp: clock.at(index / 10 - 60),
    heart_rate: 60 + 60 * Math.floor(index / 300),
    ...(index % 100 === 0 && turn),
  }));
  await batchResults(service, lines);
  const past = [3600, 3500, 200, 100].map((seconds) => {
    return { session_id: 'past', timestamp: clock.at(-seconds), heart_rate: 70, backfill: seconds > 300 };
  });
  await batchResults(service, past);
  const last = { session_id: 'past', timestamp: clock.at(), heart_rate: 71.5, tone: 'tense' } as const;
  await read(last);
  return last;
}

/** Returns the responses that show stored readings. */
async function readAll({ request }: Pick<TestService, 'request'>) {
  const paths = ['export', 'history?session_id=long&minutes=60', 'history?session_id=past&minutes=60', 'sessions'];
  return Promise.all(paths.map(async (path) => (await request(`/v1/${path}`)).body));
}

test('readings of the earlier table are moved in steps, also after an interruption, and stay the same', async () => {
  const [database, clock] = [await createTestDatabase(), new Clock()];
  onTestFinished(() => database.drop());
  const before = await startTestService({ database, clock });
  const last = await sendReadings(before);
  const [shown, response] = [await readAll(before), await before.read(last)];
  await before.close();
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(() => knex.destroy());
  await restoreEarlierSchema(knex);
  const interrupt = () => {
    throw new Error('killed');
  };
  await expect(migrate(knex, interrupt)).rejects.toThrow('killed');
  const countIn = async (table: string) => (await knex(table)).length;
  expect([await countIn('readings'), await countIn('session_readings')]).toEqual([105, 500]);

  const restarted = await startTestService({ database, clock });
  const after = { ...restarted, ...client(restarted.url, before.key, clock) };
  expect([await countIn('readings'), await countIn('session_readings')]).toEqual([0, 605]);
  expect(await countIn('late_readings')).toBe(4);
  expect(await readAll(after)).toEqual(shown);
  expect(await after.read(last)).toEqual(response);
  expect(await countIn('session_readings')).toBe(605);
  expect((await after.request('/v1/subjects/anna', { method: 'DELETE' })).body).toMatchObject({ sessions_removed: 1 });
  expect(await countIn('session_readings')).toBe(5);
  await restarted.close();
  await knex.destroy();
  expect(await everythingStored(database)).not.toContain('anna');
});

test('a reading that arrives late is found by a resend and deleted 24 hours after its timestamp', async () => {
  const service = await startTestService({});
  const { read, store, clock } = service;
  const { retention } = readConfig({ RETENTION_SUMMARY_DAYS: '0' });
  const [prompt, late] = [0, -250].map((seconds) => ({ timestamp: clock.at(seconds), heart_rate: 70 }));
  const first = await read(prompt ?? {});
  const response = await read(late ?? {});
  clock.advance(40);
  expect(await read(late ?? {})).toEqual(response);
  expect(await read(prompt ?? {})).toEqual(first);
  clock.advance(day - 40 - 250);
  expect(await purgeExpired(store, clock.nowMs, retention)).toBe(0);
  clock.advance(0.001);
  expect(await purgeExpired(store, clock.nowMs, retention)).toBe(1);
  clock.advance(250);
  expect(await purgeExpired(store, clock.nowMs, retention)).toBe(1);
});

test('two sessions of an account never share an incarnation', async () => {
  const { read, database } = await startTestService({});
  await read({ session_id: 'a', heart_rate: 70 });
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(() => knex.destroy());
  const row = await knex('sessions').first();
  await expect(knex('sessions').insert({ ...row, session_id: 'b' })).rejects.toThrow(/unique|duplicate/i);
});
