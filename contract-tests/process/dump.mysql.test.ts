import { appendFile, chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import mysql from 'mysql2/promise';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { atEndOfFile } from '../../testkit/at-end-of-file.js';
import { runHere } from '../../testkit/command-line.js';
import { mysqlServerUrl, settingsFor } from '../../testkit/databases.js';
import { runMain } from '../../testkit/process.js';
import { freePorts } from '../../testkit/program.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';

const password = "pässwort' $HOME";
let unused: number;

beforeAll(async () => {
  [unused] = (await freePorts(1)) as [number];
});

/** Returns the URL of a migrated database for an account with a password. */
async function withPassword(): Promise<{ url: URL; user: string }> {
  const { url } = await temporaryDatabase('mysql');
  const name = new URL(url).pathname.slice(1);
  const user = `backup_${name.slice(-12)}`;
  const run = async (sql: string, values: string[] = []) => {
    const connection = await mysql.createConnection({ uri: mysqlServerUrl });
    await connection.query(sql, values).finally(() => connection.end());
  };
  // A fresh server may have an anonymous user of 'localhost', which would be preferred to a user of '%'.
  const users = [`'${user}'@'%'`, `'${user}'@'localhost'`];
  for (const grantee of users) await run(`create user ${grantee} identified by ?`, [password]);
  atEndOfFile(() => run(`drop user ${users.join(', ')}`));
  // The rights that the guide grants. The right to lock tables is not one of them.
  await run(`grant select, insert, update, delete, create, alter, drop, index on \`${name}\`.* to ${users.join(', ')}`);
  const account = new URL(url);
  account.username = user;
  account.password = encodeURIComponent(password);
  await runHere(['migrate'], settingsFor(account.href));
  return { url: account, user };
}

/** Returns a folder with programs that write their arguments to a file before they run. */
async function recordPrograms(): Promise<{ path: string; args: () => Promise<string> }> {
  const folder = await temporaryFolder();
  for (const name of ['mariadb-dump', 'mariadb']) {
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" >> ${folder}/args\nexec /usr/bin/${name} "$@"\n`;
    await writeFile(join(folder, name), script);
    await chmod(join(folder, name), 0o755);
  }
  return { path: `${folder}:${process.env['PATH']}`, args: () => readFile(join(folder, 'args'), 'utf8') };
}

test('the password is in no argument of a program, option files are ignored, and files have mode 600', async () => {
  const { url, user } = await withPassword();
  const { path, args } = await recordPrograms();
  const home = await temporaryFolder();
  await writeFile(join(home, '.my.cnf'), '[client]\npassword=wrong\nhost=192.0.2.1\n');
  const env = { ...settingsFor(url.href), PATH: path, HOME: home };
  const file = join(await temporaryFolder(), 'dump.sql');
  expect(await runMain(['backup', file], env)).toMatchObject({ code: 0, stderr: '' });
  expect(await runMain(['restore', file, '--replace'], env)).toMatchObject({ code: 0, stderr: '' });
  expect(await args()).toContain(`--user=${user}`);
  expect(await args()).not.toMatch(/p.{1,6}sswort|HOME/);
  for (const name of await readdir(dirname(file)))
    expect((await stat(join(dirname(file), name))).mode & 0o777).toBe(0o600);
});

test('the dump is from the first usable host of DATABASE_URL', async () => {
  const { url } = await withPassword();
  const { path, args } = await recordPrograms();
  const hosts = url.href.replace(url.host, `127.0.0.1:${unused},${url.host}`);
  const file = join(await temporaryFolder(), 'dump.sql');
  expect(await runMain(['backup', file], { ...settingsFor(hosts), PATH: path })).toMatchObject({ code: 0 });
  expect(await args()).toContain(`--port=${url.port || 3306}`);
  expect(await readFile(file, 'utf8')).toContain('CREATE TABLE `webhooks`');
  const none = url.href.replace(url.host, `127.0.0.1:${unused},localhost:${unused}`);
  const failed = await runMain(['backup', `${file}.2`], { ...settingsFor(none), PATH: path });
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('no database host is usable') });
});

test('without the programs, with another database, or with tables in the way, an error names the fix', async () => {
  const { url } = await withPassword();
  const env = settingsFor(url.href);
  const file = join(await temporaryFolder(), 'dump.sql');
  const missing = await runMain(['backup', file], { ...env, PATH: await temporaryFolder() });
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('install the client programs') });
  const empty = await temporaryDatabase('mysql');
  const foreign = await runHere(['backup', file], settingsFor(empty.url));
  expect(foreign).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not contain the schema of this service'),
  });
  expect(await readdir(dirname(file))).toEqual([]);
  expect(await runHere(['backup', file], env)).toMatchObject({ code: 0 });
  const used = await runHere(['restore', file], env);
  expect(used).toMatchObject({ code: 1, stderr: expect.stringContaining('pass --replace, which deletes all of them') });
  expect(await runHere(['restore', file], settingsFor(empty.url))).toMatchObject({ code: 0 });
  const verified = await runHere(['backup', '--verify', file], env);
  expect(verified).toMatchObject({ code: 1, stderr: expect.stringContaining('must be allowed to create') });
});

test('a backup of SQLite is rejected with the name of its engine, and changes no table', async () => {
  const embedded = await temporaryDatabase('sqlite');
  const file = join(await temporaryFolder(), 'copy.db');
  await runHere(['migrate'], settingsFor(embedded.url));
  await runHere(['backup', file], settingsFor(embedded.url));
  const { url } = await temporaryDatabase('mysql');
  await runHere(['migrate'], settingsFor(url));
  const restored = await runHere(['restore', file, '--replace', '--unverified'], settingsFor(url));
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('it is a backup of SQLite') });
  expect(await runHere(['restore', file], settingsFor(url))).toMatchObject({
    stderr: expect.stringContaining('contains tables already'),
  });
});

test('a damaged dump is rejected before the tables that it would replace are deleted', async () => {
  const { url } = await withPassword();
  const env = settingsFor(url.href);
  const file = join(await temporaryFolder(), 'dump.sql');
  expect(await runHere(['backup', file], env)).toMatchObject({ code: 0 });
  const connection = await mysql.createConnection({ uri: url.href });
  onTestFinished(() => connection.end());
  await connection.query('insert into erased_ids (account_id, digest, erased_at_ms) values (?, ?, ?)', [
    'acc_1',
    '0'.repeat(32),
    Date.now(),
  ]);
  await appendFile(file, '\n');
  const restored = await runHere(['restore', file, '--replace'], env);
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('it is damaged') });
  const [rows] = await connection.query('select account_id from erased_ids');
  expect(rows).toEqual([{ account_id: 'acc_1' }]);
});

test('a dump that fails in the middle leaves no file', async () => {
  const { url } = await withPassword();
  const folder = await temporaryFolder();
  const script = `#!/bin/sh\ncase "$*" in *--version) exec /usr/bin/mariadb-dump --version;; esac\necho half; echo "Lost connection" >&2; exit 3\n`;
  await writeFile(join(folder, 'mariadb-dump'), script);
  await chmod(join(folder, 'mariadb-dump'), 0o755);
  const target = await temporaryFolder();
  const failed = await runMain(['backup', '--to', target], {
    ...settingsFor(url.href),
    PATH: `${folder}:${process.env['PATH']}`,
  });
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('mariadb-dump failed: Lost connection') });
  expect(await readdir(target)).toEqual([]);
});

test('a load that fails in the middle keeps the erasures for the next restore', async () => {
  const { url } = await withPassword();
  const env = settingsFor(url.href);
  const folder = await temporaryFolder();
  const file = join(folder, 'dump.sql');
  expect(await runHere(['backup', file], env)).toMatchObject({ code: 0 });
  const connection = await mysql.createConnection({ uri: url.href });
  await connection.query('insert into erased_ids (account_id, digest, erased_at_ms) values (?, ?, ?)', [
    'acc_1',
    '0'.repeat(32),
    Date.now(),
  ]);
  await connection.end();
  const programs = await temporaryFolder();
  await writeFile(join(programs, 'mariadb'), `#!/bin/sh\n[ "$1" = --version ] && echo MariaDB && exit\nexit 1\n`);
  await chmod(join(programs, 'mariadb'), 0o755);
  const failed = await runMain(['restore', file, '--replace'], { ...env, PATH: `${programs}:${process.env['PATH']}` });
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('mariadb failed') });
  expect(await readFile(join(folder, 'state-service.erased'), 'utf8')).toMatch(/acc_1 0{32}\n$/);
  expect(await runHere(['restore', file, '--replace'], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Erased again who was erased since: 0 people.'),
  });
  await rm(file);
});
