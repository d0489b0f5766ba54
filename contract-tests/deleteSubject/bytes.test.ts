import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { eraseSubject } from '../../src/retention/erase.js';
import { stateHold } from '../../packages/score/model.js';
import { createSqliteFiles } from '../../src/store/sqlite-files.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import type { TestDatabase } from '../../testkit/databases.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { erasing } from '../../testkit/stored.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';
import { register } from '../../testkit/webhooks.js';

const turn = { user_message: 'my exam is tomorrow and I cannot sleep', ai_response: 'What worries you most?' };
const sessionsPerSubject = 12;
const readingsPerSession = 30;

/** A database with interleaved rows, events and deliveries of two subjects: its files, account and clock. */
type Filled = Pick<TestService, 'key' | 'accountId' | 'clock'> & { readonly files: ReadonlyMap<string, Buffer> };

async function fillTwoPeople(): Promise<Filled> {
  const database = await temporaryDatabase('sqlite');
  const service = await startTestService({ database });
  await register(service, 'https://8.8.8.8/');
  for (const session_id of ['talk-of-person-anna-0', 'talk-of-person-bert-1'])
    await service.post(
      '/webhooks/register',
      { url: 'https://8.8.4.4/', events: ['state_change'], session_id },
      { 'Idempotency-Key': session_id },
    );
  for (let reading = 0; reading < readingsPerSession; reading += 1) {
    const signals =
      reading % 4 < 2 ? ({ heart_rate: 60, tone: 'calm' } as const) : ({ heart_rate: 140, tone: 'hostile' } as const);
    const all = Array.from({ length: 2 * sessionsPerSubject }, (_, index) => {
      const person = index % 2 === 0 ? 'person-anna' : 'person-bert';
      return service.read({ session_id: `talk-of-${person}-${index}`, subject_id: person, ...signals, ...turn });
    });
    await Promise.all(all);
    // After this pause, no state is held.
    service.clock.advance(stateHold.silence_seconds + 1);
    if (reading === readingsPerSession / 2) await expandEvents(service.store, service.clock.now);
  }
  await service.close();
  const folder = folderOf(database);
  const files = new Map<string, Buffer>();
  for (const name of await readdir(folder)) files.set(name, await readFile(join(folder, name)));
  return { ...service, files };
}

const folderOf = ({ url }: TestDatabase) => dirname(url.replace('sqlite:', ''));
let filled: Promise<Filled> | undefined;

/** Starts a service on a copy of the filled database, because filling it takes seconds. */
async function startFilled(): Promise<{ service: TestService; folder: string }> {
  const { files, key, accountId, clock } = await (filled ??= fillTwoPeople());
  const database = await temporaryDatabase('sqlite');
  const folder = folderOf(database);
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes, { mode: 0o600 });
  const service = await startTestService({ database, clock });
  return { service: { ...service, ...client(service.url, key, clock), key, accountId }, folder };
}

/** Counts the occurrences of a text in the bytes of each database file. */
async function occurrences(folder: string, text: string): Promise<Record<string, number>> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith('.key'));
  const counts = names.map(async (name) => {
    const bytes = await readFile(join(folder, name), 'latin1');
    return [name, bytes.split(text).length - 1] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Returns the work that an erasure left in the file header. 0: nothing. 1: the rewrite of the pages. */
async function pendingWork(knex: Knex): Promise<number> {
  const [{ user_version: state }] = await knex.raw('pragma user_version');
  return state;
}

test('after an erasure, the database file and its write-ahead log contain no byte of the subject', async () => {
  const { service, folder } = await startFilled();
  const knex = openKnex(service.database.url);
  for (const table of ['outbox', 'deliveries']) {
    const sessions = await knex(table).where('session_id', 'like', '%anna%').pluck('session_id');
    expect(sessions.length, `rows of ${table}`).toBeGreaterThan(sessionsPerSubject);
  }
  expect(total(await occurrences(folder, 'person-anna'))).toBeGreaterThan(100);
  expect((await service.request('/v1/subjects/person-anna', { method: 'DELETE' })).status).toBe(200);
  expect(total(await occurrences(folder, 'person-anna'))).toBe(0);
  expect(total(await occurrences(folder, 'person-bert'))).toBeGreaterThan(100);
});

test('a write-ahead log that another process reads during the erasure is emptied by the next retention run', async () => {
  const { service, folder } = await startFilled();
  const knex = openKnex(service.database.url);
  await knex.raw('begin');
  await knex('sessions').first();
  expect(await eraseSubject(erasing(service), service.accountId, 'person-anna')).toMatchObject({
    sessions: sessionsPerSubject,
  });
  expect(total(await occurrences(folder, 'person-anna'))).toBeGreaterThan(0);
  await knex.raw('rollback');
  await service.store.sqliteFiles.tidy();
  expect(total(await occurrences(folder, 'person-anna'))).toBe(0);
});

test('a second erasure shortly after the first empties the log at once and rewrites the pages after the pause', async () => {
  const { service, folder } = await startFilled();
  const knex = openKnex(service.database.url);
  const sqliteFiles = createSqliteFiles(knex, 3_000);
  const store = { ...service.store, sqliteFiles };
  await eraseSubject(erasing(service, store), service.accountId, 'person-anna');
  await eraseSubject(erasing(service, store), service.accountId, 'person-bert');
  const { 'state.db-wal': inLog } = await occurrences(folder, 'person-bert');
  expect(inLog).toBe(0);
  expect(await pendingWork(knex)).toBe(1);
  await until('the end of the rewrite', async () => (await pendingWork(knex)) === 0);
  expect(total(await occurrences(folder, 'person-bert'))).toBe(0);
});

test('a second erasure within ten seconds is completed by the next process', async () => {
  const { service, folder } = await startFilled();
  await eraseSubject(erasing(service), service.accountId, 'person-anna');
  await eraseSubject(erasing(service), service.accountId, 'person-bert');
  const knex = openKnex(service.database.url);
  expect(await pendingWork(knex)).toBe(1);
  await createSqliteFiles(knex).tidy();
  expect(await pendingWork(knex)).toBe(0);
  expect(total(await occurrences(folder, 'person-bert'))).toBe(0);
});
