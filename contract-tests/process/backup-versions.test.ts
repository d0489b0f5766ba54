import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeChecksum } from '../../src/cli/backups/checksum.js';
import { runHere } from '../../testkit/command-line.js';
import { databaseKind, settingsFor } from '../../testkit/databases.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import released from '../store/schema-1.0.0.json' with { type: 'json' };
import { runSql } from './backups.js';

const isSqlite = databaseKind === 'sqlite';
const secretsKey = 'k'.repeat(40);

/** Creates an empty database, and functions that run commands on it. */
async function openDatabaseOfTest() {
  const { url } = await temporaryDatabase();
  const env = { ...settingsFor(url), SECRETS_KEY: secretsKey };
  const file = join(await temporaryFolder(), isSqlite ? 'copy.db' : 'copy.sql');
  const run = (...args: readonly string[]) => runHere(args, env);
  const succeed = async (...args: readonly string[]) =>
    expect(await run(...args)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
  const readAccounts = async () => (await run('keys', 'list')).stdout;
  return { url, file, run, succeed, readAccounts };
}

/** Runs a statement on the content of a backup, and writes its checksum again. */
async function change(file: string, sql: string): Promise<void> {
  await (isSqlite ? runSql(file, sql, 'pragma journal_mode = delete') : appendFile(file, `${sql};\n`));
  await rm(`${file}.checksum`);
  await writeChecksum(file, file, { secretsKey, counts: new Map() });
}

const insert = 'INSERT INTO `schema_migrations` VALUES';

test('a backup is refused before the database changes if a newer version has broken its schema, and accepted if it only added to it', async () => {
  const { url, file, run, succeed, readAccounts } = await openDatabaseOfTest();
  await succeed('migrate');
  await runSql(url, `${insert} ('of-next-year',1,0)`);
  await succeed('backup', file);
  await succeed('backup', '--verify', file);
  await succeed('restore', '--replace', file);
  await run('keys', 'create', '--account', 'later');
  const before = await readAccounts();
  await change(file, `${insert} ('of-later-years',1,1)`);
  for (const args of [
    ['backup', '--verify'],
    ['restore', '--replace'],
    ['restore', '--replace', '--unverified'],
  ]) {
    const { code, stderr } = await run(...args, file);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: \S+copy\.\w+: a newer version changed the schema \(migration of-later-years\), and version \S+ cannot use it: run the newer version, or restore a backup from before its start\n$/,
    );
  }
  expect(before).toContain('later');
  expect(await readAccounts()).toBe(before);
});

test('a database or a backup of a build from before 1.0.0 is refused, and the database stays as it is', async () => {
  const { url, file, run } = await openDatabaseOfTest();
  const ledger =
    'create table schema_migrations (name varchar(64) not null primary key, applied_at_ms bigint not null)';
  await runSql(url, ledger, "insert into schema_migrations values ('initial-accounts', 5)");
  const reason =
    /a build from before 1\.0\.0 created this database, and no release can use it: set DATABASE_URL to an /;
  expect(await run('backup', file)).toMatchObject({ code: 1, stderr: expect.stringMatching(reason) });
  expect(await readdir(join(file, '..'))).toEqual([]);

  const other = await openDatabaseOfTest();
  await other.succeed('migrate');
  await other.succeed('backup', file);
  await other.run('keys', 'create', '--account', 'later');
  const before = await other.readAccounts();
  if (!isSqlite)
    await writeFile(file, (await readFile(file, 'utf8')).replace(/\('initial',\d+,0\)/, "('initial-accounts',5)"));
  await change(file, isSqlite ? "update schema_migrations set name = 'initial-accounts' where name = 'initial'" : '');
  for (const args of [
    ['backup', '--verify'],
    ['restore', '--replace'],
  ])
    expect(await other.run(...args, file)).toMatchObject({ code: 1, stderr: expect.stringMatching(reason) });
  expect(await other.readAccounts()).toBe(before);
});

test('a backup of a database of 1.0.0, written before its upgrade, is verified and restored', async () => {
  const { url, file, succeed } = await openDatabaseOfTest();
  const ledger = `${insert} ('initial',1,0)`;
  await runSql(url, ...released[databaseKind], ledger);
  await succeed('backup', file);
  await succeed('backup', '--verify', file);
  await succeed('restore', file, '--replace');
  await succeed('migrate');
});
