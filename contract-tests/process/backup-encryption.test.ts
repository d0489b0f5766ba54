import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { databaseKind } from '../../testkit/databases.js';
import { migratedDatabase, temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { startWithKey } from './started.js';

const isSqlite = databaseKind === 'sqlite';

async function createKey(): Promise<{ file: string; publicKey: string }> {
  const file = join(await temporaryFolder(), 'backup.key');
  const { stdout } = await runHere(['backup', '--create-key', file], {});
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  return { file, publicKey: stdout.trim() };
}

/** Returns an encrypted backup of a database with one reading, and a function that restores it. */
async function backedUp() {
  const [from, to] = [await migratedDatabase(), await temporaryDatabase()];
  const { file: keyFile, publicKey } = await createKey();
  const { service, read, key } = await startWithKey({ DATABASE_URL: from.url });
  await read({ session_id: 'secret-session', heart_rate: 70 });
  const file = join(await temporaryFolder(), 'copy.age');
  const backup = await runHere(['backup', file, '--public-key', publicKey], { DATABASE_URL: from.url });
  expect(backup.code, backup.stderr).toBe(0);
  await service.stop();
  const restore = (...args: string[]) => runHere(['restore', file, ...args], { DATABASE_URL: to.url });
  return { file, keyFile, key, from, to, restore };
}

test('an encrypted backup and its secrets key are unreadable without the private key, and restored with it', async () => {
  const { file, keyFile, key, from, to, restore } = await backedUp();
  const folder = dirname(file);
  const content = (await readFile(file)).toString('latin1');
  expect(content).toMatch(/^age-encryption\.org\/v1\n/);
  expect(content).not.toMatch(/SQLite format|CREATE TABLE|secret-session/);
  expect((await readdir(folder)).sort()).toEqual([
    'copy.age',
    'copy.age.checksum',
    ...(isSqlite ? ['copy.age.key'] : []),
  ]);
  if (isSqlite) {
    expect(await readFile(`${file}.key`, 'latin1')).toMatch(/^age-encryption\.org\/v1\n/);
    const beside = await readdir(dirname(from.url.slice('sqlite:'.length)));
    expect(beside.filter((name) => name.includes('partial'))).toEqual([]);
  }
  expect(await restore()).toMatchObject({ code: 1, stderr: expect.stringContaining('is encrypted: pass --key FILE') });
  const other = await createKey();
  const refused = await restore('--key', other.file);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('it is encrypted for another key') });
  const { code, stdout, stderr } = await restore('--key', keyFile);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('checksum verified');
  const restored = await startWithKey({ DATABASE_URL: to.url }, key);
  expect((await restored.request('/v1/state?session_id=secret-session')).status).toBe(200);
  if (!isSqlite) return;
  // The same key is beside the database.
  await rm(`${file}.key`);
  const verified = await runHere(['backup', '--verify', file, '--key', keyFile], { DATABASE_URL: from.url });
  expect(verified.stdout).toContain('checksum verified, ');
});

test('a truncated or changed encrypted backup changes nothing, also with --unverified', async () => {
  const { file, keyFile, to, restore } = await backedUp();
  const intact = await readFile(file);
  const changed = Buffer.from(intact);
  changed[intact.length - 40] = (changed[intact.length - 40] ?? 0) ^ 1;
  for (const damage of [() => truncate(file, intact.length - 1_000), () => writeFile(file, changed)]) {
    await damage();
    for (const flags of [[], ['--unverified']]) {
      const ended = await restore('--key', keyFile, ...flags);
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('it is truncated or damaged') });
    }
  }
  if (isSqlite) expect(await readdir(dirname(to.url.slice('sqlite:'.length)))).toEqual([]);
  await writeFile(file, intact);
  expect(await restore('--key', keyFile)).toMatchObject({ code: 0 });
});

test('an armored backup or key is an error that names the command to decode it', async () => {
  const { file, keyFile, restore } = await backedUp();
  for (const armored of isSqlite ? [file, `${file}.key`] : [file]) {
    const binary = await readFile(armored);
    const lines = binary.toString('base64').match(/.{1,64}/g) ?? [];
    const [begin, end] = ['BEGIN', 'END'].map((it) => `-----${it} AGE ENCRYPTED FILE-----`);
    await writeFile(armored, [begin, ...lines, end, ''].join('\n'));
    const { code, stderr } = await restore('--key', keyFile);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${armored} is an age file in text form`)]);
    const [, command = ''] = /: (sed .* > )/.exec(stderr) ?? [];
    execFileSync('sh', ['-c', `${command}'${armored}.binary'`]);
    expect((await readFile(`${armored}.binary`)).equals(binary)).toBe(true);
    await writeFile(armored, binary);
  }
  expect(await restore('--key', keyFile)).toMatchObject({ code: 0 });
});

test('a file that contains no private key is an error that does not print it', async () => {
  const { file, restore } = await backedUp();
  const wrong = join(dirname(file), 'wrong.key');
  await writeFile(wrong, 'AGE-SECRET-KEY-1WRONG\n');
  const { code, stderr } = await restore('--key', wrong);
  expect([code, stderr]).toEqual([1, expect.stringContaining('it must contain lines "AGE-SECRET-KEY-1…"')]);
  expect(stderr).not.toContain('WRONG');
});
