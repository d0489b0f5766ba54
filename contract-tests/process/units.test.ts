import { chmod, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { settingsFor } from '../../testkit/databases.js';
import { readMetric } from '../../testkit/metrics.js';
import { type Program, startProgram } from '../../testkit/program.js';
import { root } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { until } from '../../testkit/until.js';
import { listBackups } from './backups.js';

const main = fileURLToPath(new URL('dist/main.js', root));
/** PATH of systemd without `/usr/local`, and the folder of this Node. */
const systemPath = ['/usr/bin', '/bin', dirname(process.execPath)].join(':');
const units = ['state-service', 'state-service-deliver', 'state-service-backup'];

/** Returns the script that the unit passes to `/bin/sh -c`. */
async function readScript(unit: string): Promise<string> {
  const text = await readFile(new URL(`examples/operations/${unit}.service`, root), 'utf8');
  const [, script = ''] = /^ExecStart=\/bin\/sh -c '(.+)'$/m.exec(text) ?? [];
  // systemd replaces `$$` by `$`.
  return script.replaceAll('$$', '$');
}

async function startUnit(unit: string, env: Record<string, string>): Promise<Program> {
  const program = startProgram({ node: '/bin/sh', args: ['-c', await readScript(unit)], env });
  onTestFinished(() => program.signal('SIGKILL'));
  return program;
}

test('the systemd units find the package below any prefix of npm, SIGTERM reaches the program, and a backup sets the metric of the service', async () => {
  const [database, prefix] = [await temporaryDatabase('sqlite'), await temporaryFolder()];
  // As npm does.
  await chmod(main, 0o755);
  await symlink(main, join(prefix, 'state-service'));
  const own = { PORT: '0', METRICS_PORT: '0', BACKUP_STATUS_FILE: join(prefix, 'status.json'), BACKUP_FOLDER: prefix };
  const env = { ...settingsFor(database.url), ...own, PATH: `${prefix}:${systemPath}` };
  const service = await startUnit('state-service', env);
  const url = await service.find(/^Listening on (\S+)$/m);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const worker = await startUnit('state-service-deliver', env);
  await worker.find(/^(Delivering) webhooks$/m);
  const metricsUrl = await service.find(/^Metrics on (\S+)$/m);
  const readTime = () => readMetric(metricsUrl, 'last_backup_timestamp_seconds');
  expect(await readTime()).toBe(0);
  const backup = await startUnit('state-service-backup', env);
  await expect.poll(() => readdir(prefix)).toContainEqual(expect.stringMatching(/^state-.+\.db$/));
  await until('the time of the backup is a metric', async () => ((await readTime()) ?? 0) > 0);
  await expect.poll(backup.stderr).toContain('backup written');
  expect(await backup.stop('SIGTERM')).toMatchObject({ code: 0, stderr: expect.stringContaining('"stopped"') });
  for (const { stop } of [worker, service]) expect(await stop('SIGTERM')).toMatchObject({ code: 0 });
  const files = (await readdir(prefix)).filter((name) => /^state-.+\.db/.test(name));
  for (const name of files) expect((await stat(join(prefix, name))).mode & 0o777).toBe(0o600);
  const [file = '', ...others] = await listBackups(prefix);
  expect(others).toEqual([]);
  expect(await runHere(['backup', '--verify', join(prefix, file)], {})).toMatchObject({ code: 0 });
});

test.each(units)('%s names the remedy if the package is not in PATH', async (unit) => {
  const { code, stderr } = await (await startUnit(unit, { PATH: systemPath })).ended;
  expect([code, stderr]).toEqual([127, expect.stringMatching(/not in PATH .*: install the package, or set PATH in /)]);
});

test.each(units)('%s requires the environment file and has time for a shutdown', async (unit) => {
  const text = await readFile(new URL(`examples/operations/${unit}.service`, root), 'utf8');
  expect(text).toMatch(/^EnvironmentFile=\/etc\/state-service\.env$/m);
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(15);
});

test('the units of the service and of backups name the same file for the time of the last backup', async () => {
  const files = units.map(async (unit) => {
    const text = await readFile(new URL(`examples/operations/${unit}.service`, root), 'utf8');
    return /^Environment=BACKUP_STATUS_FILE=(\/var\/lib\/state-service\/.+)$/m.exec(text)?.[1];
  });
  const guide = await readFile(new URL('docs/operations.md', root), 'utf8');
  const [, inGuide] = /^echo "BACKUP_STATUS_FILE=(.+)" >> \/etc\/state-service\.env$/m.exec(guide) ?? [];
  expect(inGuide).toBeDefined();
  expect(await Promise.all(files)).toEqual(units.map(() => inGuide));
});
