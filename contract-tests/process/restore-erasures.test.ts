import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/database.js';
import { runHere } from '../../testkit/command-line.js';
import { databaseKind } from '../../testkit/databases.js';
import { runMain } from '../../testkit/process.js';
import { migratedDatabase, temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { startProcessWithKey, startWithKey } from './started.js';
import type { TestService } from '../../testkit/service.js';

const isSqlite = databaseKind === 'sqlite';
/** Position of `user_version` in the header of a SQLite file, in bytes. */
const userVersionAt = 60;
const backupName = isSqlite ? 'copy.db' : 'copy.sql';

/** Only an embedded database starts with tables: a restore replaces the tables of a MySQL database, so no test reuses it. */
const openEmpty = isSqlite ? migratedDatabase : temporaryDatabase;

async function started(start: typeof startWithKey | typeof startProcessWithKey = startWithKey) {
  const database = await openEmpty();
  const env = { DATABASE_URL: database.url };
  const { service, key, ...client } = await start(env);
  const read = (session_id: string, subject_id?: string) =>
    client.read({ session_id, ...(subject_id !== undefined && { subject_id }), heart_rate: 70 });
  const erase = async (subjectId: string) =>
    expect((await client.request(`/v1/subjects/${subjectId}`, { method: 'DELETE' })).status).toBe(200);
  const file = join(await temporaryFolder(), backupName);
  const backUp = async (to = file) => {
    const { code, stderr } = await runHere(['backup', to], env);
    expect(code, stderr).toBe(0);
  };
  const restore = () => runHere(['restore', file, '--replace'], env);
  const restart = () => startWithKey(env, key);
  return { database, env, service, read, erase, file, backUp, restore, restart };
}

/** Deletes the database, as a broken disk does. The record beside an embedded database stays. */
async function lose(url: string): Promise<void> {
  if (isSqlite) {
    const file = url.slice('sqlite:'.length);
    for (const ending of ['', '-wal', '-shm']) await rm(file + ending, { force: true });
    return;
  }
  const knex = openDatabase({ kind: 'mysql', url }, 'administration');
  const [rows] = await knex.raw(
    'select table_name as name from information_schema.tables where table_schema = database()',
  );
  for (const { name } of rows) await knex.schema.dropTable(name);
  await knex.destroy();
}

/** Returns the status of reading a person, and of a session. */
async function look({ request }: Pick<TestService, 'request'>, subject: string, session: string) {
  const [person, state] = [await request(`/v1/subjects/${subject}`), await request(`/v1/state?session_id=${session}`)];
  return [person.status, state.status];
}

test('a restore brings back nobody who was erased since, also in a session that got its subject later', async () => {
  const { service, read, erase, backUp, restore, restart } = await started();
  await read('s1', 'anna');
  await read('s2', 'bob');
  await read('s3');
  await read('s4');
  await backUp();
  await read('s3', 'anna');
  await erase('anna');
  await service.stop();
  const { code, stdout, stderr } = await restore();
  expect(code, stderr).toBe(0);
  // The person, and the session that had no subject.
  expect(stdout).toContain('Erased again who was erased since: 2 people.');
  const after = await restart();
  expect(await look(after, 'anna', 's1')).toEqual([404, 404]);
  expect(await look(after, 'bob', 's2')).toEqual([200, 200]);
  expect(await look(after, 'anna', 's3')).toEqual([404, 404]);
  expect(await look(after, 'bob', 's4')).toEqual([200, 200]);
});

test('a restore erases again after the loss of the database, from the records outside of it', async () => {
  const { database, env, service, read, erase, file, backUp, restart } = await started(startProcessWithKey);
  await read('s1', 'anna');
  await read('s2', 'bob');
  await backUp();
  await erase('anna');
  // On MySQL, only backups write the record.
  if (!isSqlite) await backUp(join(dirname(file), 'later.sql'));
  await service.stop('SIGKILL');
  await lose(database.url);
  const { stdout } = await runMain(['restore', file, '--replace'], env);
  expect(stdout).toContain('Erased again who was erased since: 1 person.');
  const after = await restart();
  expect(await look(after, 'anna', 's1')).toEqual([404, 404]);
  expect(await look(after, 'bob', 's2')).toEqual([200, 200]);
});

test('the record in the folder of backups suffices, and contains no id of a person', async () => {
  const { database, service, read, erase, file, backUp, restore, restart } = await started();
  await read('s1', 'anna');
  await backUp();
  await erase('anna');
  await backUp(join(dirname(file), `later-${backupName}`));
  await service.stop();
  await lose(database.url);
  if (isSqlite) await rm(`${database.url.slice('sqlite:'.length)}.erased`);
  const record = join(dirname(file), 'state-service.erased');
  expect(await readFile(record, 'utf8')).not.toMatch(/anna|s1/);
  await appendFile(record, '17000 half a li');
  const { stdout, stderr } = await restore();
  expect(stderr).toContain('1 lines of');
  expect(stdout).toContain('Erased again who was erased since: 1 person.');
  // The restored file is complete without a log: its header contains the last write, which ends the removal of erased bytes.
  if (isSqlite) expect((await readFile(database.url.slice('sqlite:'.length))).readUInt32BE(userVersionAt)).toBe(0);
  expect(await look(await restart(), 'anna', 's1')).toEqual([404, 404]);
});

test('a person who came back after an erasure and before the backup stays', async () => {
  const { service, read, erase, backUp, restore, restart } = await started();
  await read('s1', 'anna');
  await erase('anna');
  await read('s1', 'anna');
  await backUp();
  await service.stop();
  const { stdout, stderr } = await restore();
  expect(stdout, stderr).toContain('No person was erased since.');
  expect(await look(await restart(), 'anna', 's1')).toEqual([200, 200]);
});

test('an erasure is applied with an earlier secrets key, and without the key of the backup only --unverified continues', async () => {
  const database = await openEmpty();
  const [old, next] = ['o'.repeat(40), 'n'.repeat(40)];
  const env = { DATABASE_URL: database.url, SECRETS_KEY: old };
  const file = await backUpBeforeErasure(env);
  const wrong = await runHere(['restore', file, '--replace'], { ...env, SECRETS_KEY: next });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('add the earlier key to SECRETS_KEY') });
  const lost = await runHere(['restore', file, '--replace', '--unverified'], { ...env, SECRETS_KEY: next });
  expect(lost).toMatchObject({ code: 0, stdout: expect.stringMatching(/^warning: 2 erased ids cannot be found/m) });
  const restored = await runHere(['restore', file, '--replace'], { ...env, SECRETS_KEY: `${next},${old}` });
  expect(restored.stdout).toContain('Erased again who was erased since: 1 person.');
});

test('backup --every creates no database, and restore without an erasure writes no record', async () => {
  const { service, read, file, env, backUp } = await started();
  await read('s1', 'anna');
  await backUp();
  await service.stop();
  expect(await readdir(dirname(file))).not.toContain('state-service.erased');
  const none = { ...env, DATABASE_URL: `sqlite:${join(dirname(file), 'absent/state.db')}` };
  for (const flags of [['--every', '1h'], []]) {
    const { code, stderr } = await runHere(['backup', '--to', dirname(file), ...flags], none);
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no database at')]);
  }
  expect(await readdir(dirname(file))).not.toContain('absent');
});

/** Backs up a database with one person, and then erases the person. Returns the backup. */
async function backUpBeforeErasure(env: Record<string, string>): Promise<string> {
  const { service, read, request } = await startWithKey(env);
  await read({ session_id: 's1', subject_id: 'anna', heart_rate: 70 });
  const file = join(await temporaryFolder(), backupName);
  expect((await runHere(['backup', file], env)).code).toBe(0);
  await request('/v1/subjects/anna', { method: 'DELETE' });
  await service.stop();
  return file;
}
