import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { expect, test } from 'vitest';
import { writeChecksum } from '../../src/cli/backups/checksum.js';
import { runHere } from '../../testkit/command-line.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { databaseKind, mysqlServerUrl, settingsFor } from '../../testkit/databases.js';
import { startWithKey } from './started.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';

const isSqlite = databaseKind === 'sqlite';
const secretsKey = 'k'.repeat(40);
const user_message = 'Ich habe Angst vor der Prüfung — 試験が怖い 😀 \\ \' "';

/** Returns a backup of a database with 20 readings. */
async function backedUp() {
  const { url } = await migratedDatabase();
  const env = { ...settingsFor(url), SECRETS_KEY: secretsKey };
  const { service, read } = await startWithKey(env);
  for (let index = 0; index < 20; index += 1)
    await read({ session_id: `s${index}`, subject_id: `person-${index}`, heart_rate: 70, user_message });
  const file = join(await temporaryFolder(), isSqlite ? 'copy.db' : 'copy.sql');
  expect(await runHere(['backup', file], env)).toMatchObject({ code: 0 });
  await service.stop();
  return { file, verify: () => runHere(['backup', '--verify', file], env) };
}

async function listTemporary(): Promise<unknown[]> {
  const connection = await mysql.createConnection({ uri: mysqlServerUrl });
  const [rows] = await connection.query("show databases like '%\\_verify\\_%'").finally(() => connection.end());
  return rows as unknown[];
}

test('--verify restores a backup into a temporary database, prints its rows and deletes it, and fails for a damaged backup and for other rows', async () => {
  const { file, verify } = await backedUp();
  const { code, stdout, stderr } = await verify();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^session_readings 20$/m);
  expect(stdout).toMatch(/checksum verified, restored into a temporary database, \d+ rows in \d+ tables/);
  await expectDamagesFound(file, verify);
  await expectDifferencesFound(file, verify);
  if (!isSqlite) expect(await listTemporary()).toEqual([]);
});

type Verify = Awaited<ReturnType<typeof backedUp>>['verify'];

/** `--verify` fails for a truncated or changed backup, and without the checksum. */
async function expectDamagesFound(file: string, verify: Verify): Promise<void> {
  const intact = await readFile(file);
  await truncate(file, intact.length - 100);
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('it is damaged') });
  const changed = Buffer.from(intact);
  changed[intact.length >> 1] = (changed[intact.length >> 1] ?? 0) ^ 1;
  await writeFile(file, changed);
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('it is damaged') });
  await writeFile(file, intact);
  expect((await verify()).code).toBe(0);
  expect(await runHere(['backup', '--verify', `${file}.checksum`], { DATABASE_URL: 'sqlite:x' })).toMatchObject({
    code: 1,
  });
}

/** `--verify` fails if the restored tables differ from the backup. */
async function expectDifferencesFound(file: string, verify: Verify): Promise<void> {
  if (isSqlite) {
    const checksum = await readFile(`${file}.checksum`, 'utf8');
    await writeFile(`${file}.checksum`, checksum.replace('rows session_readings 20', 'rows session_readings 21'));
    expect(await verify()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has 20 rows in session_readings instead of 21'),
    });
    return;
  }
  const sign = async () => {
    await rm(`${file}.checksum`);
    await writeChecksum(file, file, { secretsKey, counts: new Map() });
  };
  await appendFile(file, 'delete from session_readings limit 1;\n');
  await sign();
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('differs from a dump') });
  await appendFile(file, 'insert into nowhere values (1);\n');
  await sign();
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('nowhere') });
}
