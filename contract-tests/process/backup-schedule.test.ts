import { execFileSync } from 'node:child_process';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { backUpUntil } from '../../src/cli/backups/schedule.js';
import { readConfig } from '../../src/config/config.js';
import { createLog } from '../../src/observe/log.js';
import { runHere } from '../../testkit/command-line.js';
import { settingsFor } from '../../testkit/databases.js';
import { runCommand, startCommand } from '../../testkit/process.js';
import { root } from '../../testkit/service.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { listBackups, stallBackups } from './backups.js';
import { startWithKey } from './started.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';

const main = new URL('dist/main.js', root).pathname;

test('a restarted schedule waits for its time, and records erasures meanwhile', async () => {
  const { url, env } = await migratedDatabase();
  const folder = await temporaryFolder();
  expect((await runHere(['backup', '--to', folder], env)).code).toBe(0);
  const { read, request } = await startWithKey(env);
  await read({ session_id: 's1', subject_id: 'anna', tone: 'calm' });
  expect((await request('/v1/subjects/anna', { method: 'DELETE' })).status).toBe(200);
  const program = startCommand('backup', ['--every', '1h', '--to', folder], settingsFor(url));
  // A line for the person, and one for the session.
  const record = () => readFile(join(folder, 'state-service.erased'), 'utf8').catch(() => '');
  await expect.poll(async () => (await record()).split('\n').length).toBe(3);
  expect(await record()).not.toMatch(/anna|s1/);
  expect((await program.stop('SIGTERM')).code).toBe(0);
  expect(await listBackups(folder)).toHaveLength(1);
});

test('a failed backup is logged and retried at the next interval, and the recorded time stays', async () => {
  const { url } = await migratedDatabase();
  const [folder, status] = [await temporaryFolder(), join(await temporaryFolder(), 'status.json')];
  await writeFile(status, 'earlier');
  const config = readConfig({ ...settingsFor(url), BACKUP_STATUS_FILE: status });
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const stop = new AbortController();
  const away = `${folder}-away`;
  onTestFinished(() => rm(away, { recursive: true, force: true }));
  const program = join(await temporaryFolder(), 'program.mjs');
  // Moves the folder away for the first backup, and back for the second one.
  await writeFile(
    program,
    `import { existsSync, readdirSync, renameSync } from 'node:fs';
    const [folder, away, ...args] = process.argv.slice(2);
    if (existsSync(away)) renameSync(away, folder);
    else if (readdirSync(folder).length === 0) renameSync(folder, away);
    Object.assign(process.env, ${JSON.stringify({ ...settingsFor(url), BACKUP_STATUS_FILE: status })});
    process.argv.splice(1, Infinity, ...args);
    await import(args[0]);`,
  );
  const schedule = { folder, everyMs: 6_000, args: [program, folder, away, main, 'backup', '--to', folder] };
  const running = backUpUntil(stop.signal, config, schedule, log);
  await expect.poll(() => lines.join('')).toContain('backup failed');
  expect(lines.join('')).toContain('there is no folder');
  expect(await readFile(status, 'utf8')).toBe('earlier');
  await expect.poll(() => lines.join('')).toContain('backup written');
  stop.abort();
  await running;
  expect(await readFile(status, 'utf8')).toContain('completed_at');
  expect(await listBackups(folder)).not.toEqual([]);
});

const hourMs = 3_600_000;
test.each([
  ['takes longer than --every', 1_200, 'setInterval(() => {}, 1_000)', 'not finished within --every (0.02 minutes)'],
  ['is killed', hourMs, 'process.kill(process.pid, "SIGKILL")', 'it ended with SIGKILL'],
  ['ends without a message', hourMs, 'process.exit(3)', 'it ended with exit code 3'],
])('the log names the reason of a backup that %s', async (_name, everyMs, code, reason) => {
  const { url } = await migratedDatabase();
  const folder = await temporaryFolder();
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const stop = new AbortController();
  const program = join(folder, 'program.mjs');
  await writeFile(program, code);
  const schedule = { folder, everyMs, args: [program] };
  const running = backUpUntil(stop.signal, readConfig(settingsFor(url)), schedule, log);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  stop.abort();
  await running;
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
    msg: 'backup failed: retried at the next interval',
    reason: expect.stringContaining(reason),
  });
});

test('SIGKILL in the middle of a backup leaves no backup, and the next one removes the unfinished file', async () => {
  const { url, env } = await migratedDatabase();
  const folder = await temporaryFolder();
  const stalled = await stallBackups(url);
  const program = startCommand('backup', ['--to', folder], { ...settingsFor(url), ...stalled.env });
  await expect.poll(() => readdir(folder)).toHaveLength(1);
  await program.stop('SIGKILL');
  expect(await readdir(folder)).toEqual([expect.stringMatching(/\.partial$/)]);
  await stalled.release();
  expect(await runHere(['backup', '--to', folder], env)).toMatchObject({ code: 0 });
  expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([]);
  expect(await listBackups(folder)).toHaveLength(1);
});

test('SIGTERM in the middle of a scheduled backup ends both processes and removes the unfinished file', async () => {
  const { url } = await migratedDatabase();
  const folder = await temporaryFolder();
  const stalled = await stallBackups(url);
  const program = startCommand('backup', ['--every', '1h', '--to', folder], { ...settingsFor(url), ...stalled.env });
  await expect.poll(() => readdir(folder)).toHaveLength(1);
  const ended = await program.stop('SIGTERM');
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('stopped by the shutdown') });
  expect(await readdir(folder)).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)('a full disk leaves no partial backup and keeps the earlier one', async () => {
  const { env } = await migratedDatabase();
  const folder = await temporaryFolder();
  // A process of its own closes its files, so that the folder can be unmounted.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', [folder]));
  expect(await runCommand('backup', ['--to', folder, '--keep', '1'], env)).toMatchObject({ code: 0 });
  const before = await readdir(folder);
  await writeFile(join(folder, 'filler'), Buffer.alloc(1 << 23)).catch(() => undefined);
  const failed = await runCommand('backup', ['--to', folder, '--keep', '1'], env);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/full|no space/i) });
  expect(await readdir(folder)).toEqual([...before, 'filler'].sort());
});

test('--keep keeps the newest backups, and a missing folder is an error that names the remedy', async () => {
  const { env } = await migratedDatabase();
  const folder = await temporaryFolder();
  for (let count = 0; count < 3; count += 1) {
    const { code, stderr } = await runHere(['backup', '--to', folder, '--keep', '2'], env);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
  }
  expect(await listBackups(folder)).toHaveLength(2);
  const moved = `${folder}-moved`;
  await rename(folder, moved);
  onTestFinished(() => rm(moved, { recursive: true }));
  const missing = await runHere(['backup', '--to', folder], env);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('mount its disk, or create it') });
});

test('contradictory options are errors that name the fix', async () => {
  const { env } = await migratedDatabase();
  const key = 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj';
  for (const [args, message] of [
    [[], 'pass one of FILE, --to FOLDER'],
    [['a.db', '--to', 'folder'], 'pass one of FILE, --to FOLDER'],
    [['a.db', '--every', '6h'], '--every and --keep require --to FOLDER'],
    [['a.db', '--key', 'b'], '--key requires --verify FILE'],
    [['--verify', 'a.db', '--public-key', key], '--public-key is for writing a backup'],
    [['--to', '/tmp', '--every', '8d'], 'It must be from 1m to 7d.'],
    [['--to', '/tmp', '--keep', '0'], 'It must be a whole number from 1 to 99999.'],
    [['--to', '/tmp', '--public-key', 'age1'], '--public-key: must be an age public key'],
  ] as const)
    expect(await runHere(['backup', ...args], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    });
});
