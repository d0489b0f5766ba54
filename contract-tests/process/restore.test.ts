import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/store/database.js';
import { temporaryFolder } from '../commands/temporary-folder.js';
import { createTestDatabase } from '../support/databases.js';
import { runMain } from '../support/process.js';
import { startWithKey } from './started.js';

test('only the owner can read a backup and its key, and no partial file remains', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const { service } = await startWithKey({ DATABASE_URL: database.url });
  const folder = await temporaryFolder();
  const { stdout } = await runMain(['backup', join(folder, 'copy.db')], { DATABASE_URL: database.url });
  expect(stdout).toContain('Copied the secrets key to');
  expect((await readdir(folder)).sort()).toEqual(['copy.db', 'copy.db.key']);
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  await service.end('SIGTERM');
});

test('a restore replaces an existing database only with --replace, never while a process uses it, and keeps it renamed', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const env = { DATABASE_URL: database.url };
  const { service, key, send } = await startWithKey(env);
  const file = join(await temporaryFolder(), 'copy.db');
  expect((await runMain(['backup', file], env)).code).toBe(0);
  await send('/v1/ingest', { session_id: 'later', timestamp: new Date().toISOString(), heart_rate: 70 });
  expect((await runMain(['restore', file], env)).stderr).toContain('exists already: pass --replace');
  const inUse = await runMain(['restore', file, '--replace'], env);
  expect(inUse).toMatchObject({ code: 1 });
  expect(inUse.stderr).toContain('stop the service');
  expect((await send('/v1/state?session_id=later')).status).toBe(200);
  await service.end('SIGTERM');
  const replaced = await runMain(['restore', file, '--replace'], env);
  const kept = /Kept the earlier \S+ as (\S+state\.db\.replaced-\d+)\.$/m.exec(replaced.stdout)?.[1] ?? '';
  const after = await startWithKey(env, key);
  expect((await after.send('/v1/state?session_id=later')).status).toBe(404);
  const earlier = await startWithKey({ DATABASE_URL: `sqlite:${kept}` }, key);
  expect((await earlier.send('/v1/state?session_id=later')).status).toBe(200);
});

test('restoring a damaged, foreign or newer copy fails and does not change the database', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const env = { DATABASE_URL: database.url };
  await runMain(['migrate'], env);
  const folder = await temporaryFolder();
  const good = join(folder, 'good.db');
  await runMain(['backup', good], env);
  const bytes = await readFile(good);
  const [text, cut, newer] = ['text.db', 'cut.db', 'newer.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(text, 'no database');
  await writeFile(cut, bytes.subarray(0, bytes.length / 2));
  await copyFile(good, newer);
  const knex = openDatabase({ kind: 'sqlite', file: newer });
  await knex('schema_migrations').insert({ name: 'of-next-year', applied_at_ms: 0 });
  await knex.raw('pragma journal_mode = delete');
  await knex.destroy();
  const live = join(folder, 'live.db');
  await copyFile(good, live);
  await writeFile(`${live}-wal`, '');
  for (const [file, reason] of [
    [text, 'not a database of this service'],
    [cut, 'use another backup'],
    [newer, 'a newer version wrote it (migration of-next-year)'],
    [live, 'is a database and no backup'],
    [join(folder, 'absent.db'), 'there is no backup at'],
  ] as const) {
    const ended = await runMain(['restore', file, '--replace'], env);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  }
  expect((await runMain(['backup', join(folder, 'again.db')], env)).code).toBe(0);
  expect((await runMain(['backup', good], env)).stderr).toContain('exists already: choose another name');
  expect(
    (await runMain(['backup', join(folder, 'none.db')], { DATABASE_URL: 'sqlite:absent/state.db' })).stderr,
  ).toContain('there is no database at absent/state.db');
});
