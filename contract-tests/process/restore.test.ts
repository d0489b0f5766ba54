import { createHash } from 'node:crypto';
import { appendFile, chown, copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { runMain } from '../../testkit/process.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { startProcessWithKey, startWithKey } from './started.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';
import { runSql } from './backups.js';

/** The last statement on a file that is copied alone. */
const withoutLog = 'pragma journal_mode = delete';

test('a restore replaces a database only with --replace, never one in use, and keeps the replaced one under another name', async () => {
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url };
  const { service, key, read, request } = await startProcessWithKey(env);
  const file = join(await temporaryFolder(), 'copy.db');
  expect((await runHere(['backup', file], env)).code).toBe(0);
  await read({ session_id: 'later', heart_rate: 70 });
  expect((await runHere(['restore', file], env)).stderr).toContain('exists already: pass --replace');
  const inUse = await runHere(['restore', file, '--replace'], env);
  expect(inUse).toMatchObject({ code: 1 });
  expect(inUse.stderr).toContain('stop the service');
  expect((await request('/v1/state?session_id=later')).status).toBe(200);
  await service.stop();
  const replaced = await runMain(['restore', file, '--replace'], env);
  expect(replaced.stdout).toContain('integrity checked, checksum verified)');
  const kept = /Kept the earlier \S+ as (\S+state\.db\.replaced-\d+-\w+)\.$/m.exec(replaced.stdout)?.[1] ?? '';
  const after = await startWithKey(env, key);
  expect((await after.request('/v1/state?session_id=later')).status).toBe(404);
  const earlier = await startWithKey({ DATABASE_URL: `sqlite:${kept}` }, key);
  expect((await earlier.request('/v1/state?session_id=later')).status).toBe(200);
});

test('only the owner can read a backup, its checksum and its key, no partial file remains, and what root restores belongs to the owner of the folder', async () => {
  const isRoot = process.getuid?.() === 0;
  const nobody = 65_534;
  const [data, backups] = [await temporaryFolder(), await temporaryFolder()];
  if (isRoot) await chown(data, nobody, nobody);
  const env = { DATABASE_URL: `sqlite:${join(data, 'state.db')}` };
  const { service } = await startWithKey(env);
  await service.stop();
  expect((await runHere(['backup', join(backups, 'copy.db')], env)).stdout).toContain('Copied the secrets key to');
  expect((await readdir(backups)).sort()).toEqual(['copy.db', 'copy.db.checksum', 'copy.db.key']);
  for (const name of await readdir(backups)) expect((await stat(join(backups, name))).mode & 0o777).toBe(0o600);
  expect((await runHere(['restore', join(backups, 'copy.db'), '--replace'], env)).code).toBe(0);
  const owner = isRoot ? { uid: nobody, gid: nobody } : {};
  for (const name of ['state.db', 'state.db.key']) expect(await stat(join(data, name))).toMatchObject(owner);
});

test('restoring a damaged, foreign or newer copy fails and does not change the database', async () => {
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url };
  const folder = await temporaryFolder();
  const good = join(folder, 'good.db');
  await runHere(['backup', good], env);
  const bytes = await readFile(good);
  const [text = '', cut = '', newer = ''] = ['text.db', 'cut.db', 'newer.db'].map((name) => join(folder, name));
  await writeFile(text, 'no database');
  await writeFile(cut, bytes.subarray(0, bytes.length / 2));
  await copyFile(good, newer);
  await runSql(newer, "insert into schema_migrations values ('of-next-year', 1, 1)", withoutLog);
  const live = join(folder, 'live.db');
  await copyFile(good, live);
  await writeFile(`${live}-wal`, '');
  for (const [file, reason] of [
    [text, 'not a database of this service'],
    [cut, 'use another backup'],
    [newer, 'newer.db: a newer version changed the schema (migration of-next-year)'],
    [join(folder, 'absent.db'), 'absent.db does not exist or is not a file'],
  ] as const) {
    const ended = await runHere(['restore', file, '--replace', '--unverified'], env);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  }
  expect((await runHere(['restore', live, '--replace'], env)).stderr).toContain('is a database, not a backup');
  expect(await readdir(dirname(database.url.slice('sqlite:'.length)))).toEqual(['state.db']);
  expect((await runHere(['backup', join(folder, 'again.db')], env)).code).toBe(0);
  expect((await runHere(['backup', good], env)).stderr).toContain('exists already: choose another name');
  expect(
    (await runHere(['backup', join(folder, 'none.db')], { DATABASE_URL: 'sqlite:absent/state.db' })).stderr,
  ).toMatch(/there is no database at \/\S+\/absent\/state\.db: set DATABASE_URL/);
});

/** Stores a NULL in a column that does not allow it. SQLite copies it without an error. */
async function damage(file: string): Promise<void> {
  const column = 'breaks_earlier smallint';
  const replace = (from: string, to: string) =>
    runSql(file, 'pragma writable_schema = on', `update sqlite_master set sql = replace(sql, '${from}', '${to}')`);
  await replace(`${column} not null`, column);
  await runSql(file, 'update schema_migrations set breaks_earlier = null');
  await replace(column, `${column} not null`);
}

test('a damaged database is not backed up, and a restore keeps it under another name, without a log beside the restored one', async () => {
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url };
  const [file, folder] = [database.url.slice('sqlite:'.length), await temporaryFolder()];
  const good = join(folder, 'good.db');
  expect((await runHere(['backup', good], env)).code).toBe(0);
  await damage(file);
  const ended = await runHere(['backup', join(folder, 'bad.db')], env);
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('it is damaged (NULL value in ') });
  expect((await readdir(folder)).filter((name) => name.startsWith('bad'))).toEqual([]);
  await writeFile(file, 'no database');
  await writeFile(`${file}-wal`, 'its log');
  expect((await runHere(['restore', good, '--replace'], env)).code).toBe(0);
  const names = await readdir(dirname(file));
  expect(names).not.toContain('state.db-wal');
  const kept = names.find((name) => name.startsWith('state.db.replaced-')) ?? '';
  expect(await readFile(join(dirname(file), kept), 'utf8')).toBe('no database');
});

test('restores at the same time keep every replaced database', async () => {
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url };
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = join(await temporaryFolder(), 'copy.db');
  expect((await runHere(['backup', file], env)).code).toBe(0);
  for (let count = 0; count < 2; count += 1) expect((await runHere(['restore', file, '--replace'], env)).code).toBe(0);
  const names = await readdir(dirname(database.url.slice('sqlite:'.length)));
  expect(names.filter((name) => /^state\.db\.replaced-19700101000000-\w+$/.test(name))).toHaveLength(2);
});

/** Creates a backup of a database with data and a key. Returns a function that restores a copy of it. */
async function backedUp(key: Record<string, string> = {}) {
  const [from, folder] = [await migratedDatabase(), await temporaryFolder()];
  const { service, read } = await startWithKey({ DATABASE_URL: from.url, ...key });
  await read({ session_id: 's1', heart_rate: 70 });
  const file = join(folder, 'copy.db');
  expect((await runHere(['backup', file], { DATABASE_URL: from.url, ...key })).code).toBe(0);
  await service.stop();
  const target = join(folder, 'target/state.db');
  const restore = (...args: string[]) =>
    runHere(['restore', file, ...args], { DATABASE_URL: `sqlite:${target}`, ...key });
  return { file, target, restore };
}

test('a damaged backup is rejected, and a backup without its checksum requires --unverified', async () => {
  const { file, target, restore } = await backedUp();
  const intact = await readFile(file);
  const damages: ReadonlyArray<() => Promise<unknown>> = [
    ...[100, 5_000, intact.length >> 1, intact.length - 1].map((at) => {
      const bytes = Buffer.from(intact);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return () => writeFile(file, bytes);
    }),
    () => appendFile(file, Buffer.alloc(4096)),
    () => truncate(file, intact.length - 4096),
  ];
  for (const damage of damages) {
    await writeFile(file, intact);
    await damage();
    const ended = await restore();
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('it is damaged, so use another backup');
    expect(await readdir(dirname(target))).toEqual([]);
  }
  await writeFile(file, intact);
  await rm(`${file}.checksum`);
  const refused = await restore();
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(
    'copy.db.checksum is missing: copy it together with the backup, or pass --unverified',
  );
  expect((await restore('--unverified')).stdout).toContain('checksum skipped');
});

const added = {
  'trigger spy': 'create trigger spy after insert on session_readings begin delete from api_keys; end',
  'table more': 'create table more (a)',
  'view spied': 'create view spied as select * from api_keys',
  'index more': 'create index more on session_readings (digest)',
  'table api_keys': 'alter table api_keys add column more',
};

const byNewer = "insert into schema_migrations values ('of-next-year', 1, 0)";
const changedByNewer = {
  'trigger spy': added['trigger spy'],
  'view spied': added['view spied'],
  'table api_keys': 'alter table api_keys rename column key_hash to more',
  'table accounts':
    "pragma writable_schema = on; update sqlite_master set sql = substr(sql, 1, length(sql) - 1) || ' on conflict replace)' where name = 'accounts'",
  'index accounts_by_name': 'drop index accounts_by_name; create index accounts_by_name on accounts (account_id)',
};

test('a backup with an added trigger, table, view, index or column is rejected, also with a new checksum, and one of a newer version may have further tables, indexes and columns only', async () => {
  const { file, restore } = await backedUp({ SECRETS_KEY: 'k'.repeat(40) });
  const [intact, checksum] = [await readFile(file), await readFile(`${file}.checksum`, 'utf8')];
  for (const [object, sql] of Object.entries(added)) {
    await writeFile(file, intact);
    await runSql(file, sql, withoutLog);
    expect((await restore('--unverified')).stderr).toContain(`this service did not create ${object}`);
  }
  const sum = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  await writeFile(`${file}.checksum`, `sha256 ${sum}\n`);
  expect((await restore()).stderr).toContain('was written without a secrets key, so anybody may have written it');
  await writeFile(`${file}.checksum`, checksum.replace(/^sha256 .*/, `sha256 ${sum}`));
  expect((await restore()).stderr).toContain('was written with a different secrets key, or changed');

  const change = async (...statements: readonly string[]) => {
    await writeFile(file, intact);
    await runSql(file, byNewer, ...statements, withoutLog);
    return restore('--unverified', '--replace');
  };
  for (const [object, statements] of Object.entries(changedByNewer)) {
    const { code, stderr } = await change(...statements.split(/; (?!end)/));
    expect([object, code]).toEqual([object, 1]);
    expect(stderr).toContain(`this service did not create ${object}`);
  }
  expect((await change('drop table feedback')).stderr).toContain('it is damaged (no table feedback)');
  expect((await change('create virtual table more using fts5(a)')).stderr).toContain('did not create table more');
  const additions = [
    added['table more'],
    'create unique index further on more (a)',
    added['table api_keys'],
    'drop index feedback_by_age',
  ];
  expect(await change(...additions)).toMatchObject({ code: 0, stderr: '' });
});

test('backup warns of an object that restore refuses', async () => {
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url };
  await runSql(database.url, 'create index readings_by_score on session_readings (stress_score)');
  const { code, stderr } = await runHere(['backup', join(await temporaryFolder(), 'copy.db')], env);
  expect(code).toBe(0);
  expect(stderr).toContain('warning: the service did not create index readings_by_score, and restore refuses it');
});
